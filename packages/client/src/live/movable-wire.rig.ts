import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** An address that stays while the server behind it changes, and a wire that can be cut. */
export async function movableWire(target: string) {
  let port = Number(new URL(target).port);
  let up = true;
  const open = new Set<Socket>();
  const wire = createServer((near) => {
    if (!up) return void near.resetAndDestroy();
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        (socket === near ? far : near).destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    url: `http://127.0.0.1:${(wire.address() as AddressInfo).port}`,
    cut,
    down(): void {
      up = false;
      cut();
    },
    up(next?: string): void {
      if (next !== undefined) port = Number(new URL(next).port);
      up = true;
    },
    [Symbol.dispose]() {
      cut();
      wire.close();
    },
  };
}
