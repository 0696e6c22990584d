import type { Socket } from 'node:net';
import { openByteStream } from './byte-stream.ts';
import type { FloodCheck } from './flood-check.ts';
import { readLines } from './line-reader.ts';

/** What stands before the message in a line of an event stream. */
const DATA = Buffer.from('data: ');

/**
 * A stream of server-sent events, read in place. It asks in HTTP/1.0, so that the body comes without chunks: taking a chunk per
 * event apart would cost the receiver more than counting does.
 */
export class SseClient implements Disposable {
  #socket: Socket | undefined;
  #check: FloodCheck | undefined;
  #inBody = false;

  /** Resolves when the head of the response is there; rejects when it is no 200. */
  static async open(url: string): Promise<SseClient> {
    const client = new SseClient();
    const { hostname, port, pathname, host } = new URL(url);
    const opened = Promise.withResolvers<void>();
    const socket = await openByteStream({
      host: hostname,
      port: Number(port),
      consume: (bytes, end) => client.#consume(bytes, end, opened),
    });
    client.#socket = socket;
    socket.on('error', () => undefined);
    socket.once('close', () => opened.reject(new Error('the server closed the stream')));
    socket.write(`GET ${pathname} HTTP/1.0\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`);
    await opened.promise;
    return client;
  }

  check(flood: FloodCheck | undefined): void {
    this.#check = flood;
  }

  [Symbol.dispose](): void {
    this.#socket?.destroy();
  }

  #consume(bytes: Buffer, end: number, opened: PromiseWithResolvers<void>): number {
    if (!this.#inBody) {
      const head = bytes.indexOf('\r\n\r\n');
      if (head === -1 || head >= end) return 0;
      const status = bytes.toString('latin1', 0, bytes.indexOf('\r\n'));
      if (status.includes(' 200 ')) opened.resolve();
      else opened.reject(new Error(`the stream was refused: ${status}`));
      this.#inBody = true;
      return head + 4;
    }
    const before = this.#check?.received ?? 0;
    const next = readLines(bytes, end, (all, start, stop) => {
      if (stop - start > DATA.length && all[start] === DATA[0]) this.#check?.take(all, start + DATA.length, stop);
    });
    if (this.#check !== undefined && this.#check.received > before) this.#check.stamp();
    return next;
  }
}
