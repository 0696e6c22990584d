import { connect, type Socket } from 'node:net';

const READ_BYTES = 1024 * 1024;

export interface ByteStreamOptions {
  readonly host: string;
  readonly port: number;
  /** Takes whole messages from `bytes[0..end)` and gives where the first incomplete one begins. */
  readonly consume: (bytes: Buffer, end: number) => number;
}

/** A TCP connection that is read into one buffer of its own, so that receiving makes no objects. */
export function openByteStream({ host, port, consume }: ByteStreamOptions): Promise<Socket> {
  let buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  let filled = 0;
  const room = (): Buffer => {
    if (filled === buffer.length) {
      const grown = Buffer.allocUnsafeSlow(buffer.length * 2);
      buffer.copy(grown, 0, 0, filled);
      buffer = grown;
    }
    return buffer.subarray(filled);
  };
  const socket = connect({
    host,
    port,
    noDelay: true,
    onread: {
      buffer: room as () => Uint8Array<ArrayBuffer>,
      callback: (bytes) => {
        filled += bytes;
        const from = consume(buffer, filled);
        if (from > 0) {
          buffer.copyWithin(0, from, filled);
          filled -= from;
        }
        return true;
      },
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  socket.once('connect', () => resolve(socket));
  socket.once('error', reject);
  return promise;
}
