import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A line to a server that can be cut, put to sleep, and led to another server: to a browser it is one address all the time. */
export interface CuttableLine extends AsyncDisposable {
  readonly url: string;
  /** Every connection ends, and no other can be made. */
  cut(): void;
  /** Connections can be made again, to the server at `url`. */
  restore(url: string): void;
  /**
   * Like the sleep of a machine behind a router that forgets: nothing is told to either end of a connection, and nothing comes over it any
   * more, now or later. Those made while it lasts are no better.
   */
  freeze(): void;
  /** Does so as soon as a request with this text goes over it; settles then. */
  freezeAt(text: string): Promise<void>;
  /** Connections that are made from now on work. */
  thaw(): void;
}

export async function openCuttableLine(url: string): Promise<CuttableLine> {
  let target: number | undefined = Number(new URL(url).port);
  let isFrozen = false;
  const sockets = new Set<Socket>();
  /** The browser's end and the server's, of every connection that works. */
  const joined = new Map<Socket, Socket>();
  const hold = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };
  const forget = (near: Socket, far?: Socket): void => {
    near.unpipe().resume();
    near.on('end', () => near.destroy());
    far?.unpipe().resume();
  };
  const freeze = (): void => {
    isFrozen = true;
    for (const [near, far] of joined) forget(near, far);
    joined.clear();
  };
  let trap: { readonly text: string; readonly sprung: () => void } | undefined;
  const server = createServer({ allowHalfOpen: true }, (near) => {
    hold(near);
    near.on('data', (chunk: Buffer) => {
      if (!trap || !chunk.includes(trap.text)) return;
      freeze();
      trap.sprung();
      trap = undefined;
    });
    if (isFrozen) return forget(near);
    if (target === undefined) {
      near.destroy();
      return;
    }
    const far = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    hold(far);
    joined.set(near, far);
    near.pipe(far).pipe(near);
    // Of a forgotten connection neither end learns what becomes of the other.
    near.on('close', () => {
      if (joined.delete(near)) far.destroy();
    });
    far.on('close', () => {
      if (joined.delete(near)) near.destroy();
    });
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
    freeze,
    freezeAt: (text) =>
      new Promise((sprung) => {
        trap = { text, sprung };
      }),
    thaw() {
      isFrozen = false;
    },
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
