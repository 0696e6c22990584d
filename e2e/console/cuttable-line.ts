import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A line to a server that can be cut, and led to another server: to a browser it is one address all the time. */
export interface CuttableLine extends AsyncDisposable {
  readonly url: string;
  /** Every connection ends, and no other can be made. */
  cut(): void;
  /** Connections can be made again, to the server at `url`. */
  restore(url: string): void;
}

export async function openCuttableLine(url: string): Promise<CuttableLine> {
  let target: number | undefined = Number(new URL(url).port);
  const sockets = new Set<Socket>();
  const hold = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };
  const server = createServer((near) => {
    hold(near);
    if (target === undefined) {
      near.destroy();
      return;
    }
    const far = connect(target, '127.0.0.1');
    hold(far);
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    target = undefined;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    restore: (next) => {
      target = Number(new URL(next).port);
    },
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
