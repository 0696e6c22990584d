import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { openByteStream } from './byte-stream.ts';
import type { FloodCheck } from './flood-check.ts';

export interface WebSocketClientOptions {
  /** Of the server, `http:`. */
  readonly url: string;
  readonly token: string;
  /** Every message that is neither of the flood that is checked nor an answer. */
  readonly onMessage?: (bytes: Buffer, start: number, end: number) => void;
}

interface Answer {
  readonly result?: unknown;
  readonly error?: unknown;
}

/**
 * An ACP client over WebSocket (RFC 6455) that is as cheap as can be: frames are read in place and floods are counted, not
 * parsed, so that what is measured is the server.
 */
export class WebSocketClient implements AsyncDisposable {
  readonly #socket: Promise<Socket>;
  readonly #pending = new Map<number, (answer: Answer) => void>();
  readonly #opened = Promise.withResolvers<void>();
  readonly #onMessage: WebSocketClientOptions['onMessage'];
  #upgraded = false;
  #nextId = 1;
  #check: FloodCheck | undefined;

  private constructor(options: WebSocketClientOptions) {
    const url = new URL(options.url);
    this.#onMessage = options.onMessage;
    this.#socket = openByteStream({
      host: url.hostname,
      port: Number(url.port),
      consume: (bytes, end) => this.#consume(bytes, end),
    });
    const key = randomBytes(16).toString('base64');
    const head = [
      'GET /acp HTTP/1.1',
      `Host: ${url.host}`,
      `Authorization: Bearer ${options.token}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${key}`,
    ].join('\r\n');
    this.#socket.then((socket) => {
      socket.on('error', () => undefined);
      socket.once('close', () => this.#closed());
      socket.write(`${head}\r\n\r\n`);
    }, this.#opened.reject);
  }

  /** Connected and initialized. */
  static async open(options: WebSocketClientOptions): Promise<WebSocketClient> {
    const client = new WebSocketClient(options);
    await client.#opened.promise;
    await client.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    return client;
  }

  /** Updates of this flood are counted from now on. */
  check(flood: FloodCheck | undefined): void {
    this.#check = flood;
  }

  /** Rejects on an error answer. */
  async request<Result = Record<string, unknown>>(method: string, params: unknown): Promise<Result> {
    const id = this.#nextId++;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#pending.set(id, resolve);
    (await this.#socket).write(textFrame(JSON.stringify({ jsonrpc: '2.0', id, method, params })));
    const answer = await promise;
    if (answer.error !== undefined) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
    return answer.result as Result;
  }

  /** Stops reading from the socket: the server sees a full window. */
  async pause(): Promise<void> {
    (await this.#socket).pause();
  }

  async resume(): Promise<void> {
    (await this.#socket).resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    (await this.#socket).destroy();
  }

  #closed(): void {
    const error = new Error('the server closed the connection');
    this.#opened.reject(error);
    for (const resolve of this.#pending.values()) resolve({ error: error.message });
    this.#pending.clear();
  }

  #consume(bytes: Buffer, end: number): number {
    let at = 0;
    if (!this.#upgraded) {
      const head = bytes.indexOf('\r\n\r\n');
      if (head === -1 || head >= end) return 0;
      const status = bytes.toString('latin1', 0, bytes.indexOf('\r\n'));
      if (!status.includes(' 101 ')) {
        this.#opened.reject(new Error(`the upgrade was refused: ${status}`));
        return end;
      }
      this.#upgraded = true;
      this.#opened.resolve();
      at = head + 4;
    }
    this.#check?.stamp();
    while (end - at >= 2) {
      const opcode = (bytes[at] as number) & 0x0f;
      let length = (bytes[at + 1] as number) & 0x7f;
      let start = at + 2;
      if (length === 126) {
        if (end - at < 4) break;
        length = ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number);
        start = at + 4;
      } else if (length === 127) {
        if (end - at < 10) break;
        length = bytes.readUInt32BE(at + 2) * 2 ** 32 + bytes.readUInt32BE(at + 6);
        start = at + 10;
      }
      if (end - start < length) break;
      if (opcode === 1) this.#text(bytes, start, start + length);
      else if (opcode === 9) void this.#pong();
      at = start + length;
    }
    return at;
  }

  #text(bytes: Buffer, start: number, end: number): void {
    if (this.#check?.take(bytes, start, end)) return;
    // Answers begin with the id or have it early; what else comes is an update of no interest, or the observer's.
    if (bytes[start + 1] === 0x22 && isAnswer(bytes, start, end)) {
      const message = JSON.parse(bytes.toString('utf8', start, end)) as Answer & { id?: unknown };
      const settle = this.#pending.get(message.id as number);
      if (settle !== undefined) {
        this.#pending.delete(message.id as number);
        settle(message);
        return;
      }
    }
    this.#onMessage?.(bytes, start, end);
  }

  async #pong(): Promise<void> {
    (await this.#socket).write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]));
  }
}

const UPDATE = Buffer.from('"method":"session/update"');

function isAnswer(bytes: Buffer, start: number, end: number): boolean {
  const at = bytes.subarray(start, Math.min(end, start + 64)).indexOf(UPDATE);
  return at === -1;
}

/** A masked text frame, as a client must send it; the mask is zero. */
function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const extended = payload.length < 126 ? 0 : payload.length < 65_536 ? 2 : 8;
  const head = Buffer.alloc(6 + extended);
  head[0] = 0x81;
  if (extended === 0) head[1] = 0x80 | payload.length;
  else if (extended === 2) {
    head[1] = 0x80 | 126;
    head.writeUInt16BE(payload.length, 2);
  } else {
    head[1] = 0x80 | 127;
    head.writeBigUInt64BE(BigInt(payload.length), 2);
  }
  return Buffer.concat([head, payload]);
}
