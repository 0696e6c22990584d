import { isUtf8 } from 'node:buffer';
import { encodeRequest, idKey, type JsonRpcId, parseMessage, type RpcMessage, setMember } from '@reeve/protocol';
import { createLineSplitter, type HeldProcess, type ProcessExit } from '@reeve/sandbox';
import { PlainUpdates } from './plain-update.ts';

/** Stands where bytes were no UTF-8. */
const REPLACEMENT = '\u{fffd}';

/** A message that the agent began. */
export type FromAgent = Extract<RpcMessage, { kind: 'request' | 'notification' }>;

/** How a request to the agent ended. `raw` is the response line with the id that Reeve used. */
export type AgentReply =
  | { readonly kind: 'result'; readonly result: unknown; readonly raw: Buffer }
  | {
      readonly kind: 'error';
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
      readonly raw: Buffer;
    }
  /** The process ended before it answered. */
  | { readonly kind: 'gone'; readonly exit: ProcessExit };

export interface AgentConnectionOptions {
  readonly process: HeldProcess;
  readonly maxLineBytes: number;
  /** Output that is no JSON-RPC message (a banner, a too long line): for the diagnostic log, never answered. */
  readonly onNoise: (what: string) => void;
}

export interface AgentListener {
  /** In the order of the wire. `raw` may be kept: it is not reused. */
  onMessage(message: FromAgent, raw: Buffer): void;
  onExit(exit: ProcessExit): void;
}

/**
 * Raw JSON-RPC over the stdio of one agent process. Messages are parsed once to route them, and the bytes are kept.
 * Requests to the agent get ids of this connection, counted from 0.
 */
export class AgentConnection {
  readonly process: HeldProcess;
  readonly #options: AgentConnectionOptions;
  readonly #pending = new Map<string, (reply: AgentReply) => void>();
  readonly #plain = new PlainUpdates();
  #nextId = 0;
  #listener: AgentListener | undefined;
  /** What came before somebody listened, up to `maxLineBytes` in all. */
  #early: { message: FromAgent; raw: Buffer }[] = [];
  #earlyBytes = 0;
  #exit: ProcessExit | undefined;

  constructor(options: AgentConnectionOptions) {
    this.#options = options;
    this.process = options.process;
    const splitter = createLineSplitter({
      maxLineBytes: options.maxLineBytes,
      onLine: (line) => this.#receive(line),
      onOversize: (bytes) =>
        options.onNoise(`a line of ${bytes} bytes, over the limit of ${options.maxLineBytes} (limits.maxLineBytes)`),
    });
    const { stdout } = options.process;
    stdout.on('data', (chunk: Buffer) => splitter.push(chunk));
    const drained = new Promise<void>((resolve) => {
      stdout.once('end', () => {
        splitter.end();
        resolve();
      });
      stdout.once('close', resolve);
      stdout.once('error', () => resolve());
    });
    void options.process.exited.then(async (exit) => {
      // A paused reader must not hold the news of the exit, and a grandchild that kept stdout open neither.
      stdout.resume();
      await Promise.race([drained, delay(500)]);
      this.#ended(exit);
    });
  }

  get exit(): ProcessExit | undefined {
    return this.#exit;
  }

  /** From now on messages go to `listener`, those that came before first. Replaces the listener before it. */
  listen(listener: AgentListener): void {
    this.#listener = listener;
    const early = this.#early;
    this.#early = [];
    if (this.#earlyBytes > this.#options.maxLineBytes) this.resume();
    this.#earlyBytes = 0;
    for (const { message, raw } of early) listener.onMessage(message, raw);
    if (this.#exit) listener.onExit(this.#exit);
  }

  /** From now on messages wait for the next listener. */
  hold(): void {
    this.#listener = undefined;
  }

  /**
   * Sends a request; its `id` becomes ours and is returned. `raw`: the whole request as JSON text. `onReply` is called once,
   * in the order of the wire: before any message that the agent sent after its response.
   */
  request(raw: Uint8Array, onReply: (reply: AgentReply) => void): JsonRpcId {
    const id = this.#nextId;
    this.#nextId += 1;
    if (this.#exit) {
      onReply({ kind: 'gone', exit: this.#exit });
      return id;
    }
    this.#pending.set(idKey(id), onReply);
    this.send(setMember(raw, ['id'], String(id)));
    return id;
  }

  /** Sends a request that Reeve makes itself. Never rejects. */
  call(method: string, params: unknown): Promise<AgentReply> {
    return new Promise((resolve) => this.request(Buffer.from(encodeRequest(0, method, params)), resolve));
  }

  /** Sends a notification or a response as it is. A message to a process that has ended is dropped. */
  send(raw: Uint8Array): void {
    const { stdin } = this.process;
    if (this.#exit || !stdin.writable) return;
    stdin.cork();
    stdin.write(raw);
    stdin.write('\n');
    process.nextTick(() => stdin.uncork());
  }

  /** Whether requests wait for their answers. */
  get busy(): boolean {
    return this.#pending.size > 0;
  }

  /** Bytes that the agent has not read from its stdin yet. */
  get unreadBytes(): number {
    return this.process.stdin.writableLength;
  }

  /** Stops reading: back-pressure reaches the agent as a full pipe. */
  pause(): void {
    this.process.stdout.pause();
  }

  resume(): void {
    this.process.stdout.resume();
  }

  #receive(line: Buffer): void {
    try {
      const plain = this.#listener && this.#plain.recognise(line);
      if (plain) return this.#listener?.onMessage(plain, line);
      const text = line.toString();
      // What goes on to clients as a text frame must be UTF-8 (RFC 6455, section 5.6).
      this.#route(parseMessage(text), text.includes(REPLACEMENT) && !isUtf8(line) ? Buffer.from(text) : line);
    } catch (error) {
      this.#options.onNoise(
        `a message that could not be dealt with (${String(error)}): ${line.toString('utf8', 0, 200)}`,
      );
    }
  }

  #route(message: ReturnType<typeof parseMessage>, line: Buffer): void {
    switch (message.kind) {
      case 'notification':
      case 'request':
        if (message.kind === 'notification') this.#plain.learn(line, message);
        if (this.#listener) this.#listener.onMessage(message, line);
        else this.#keepEarly(message, line);
        return;
      case 'result':
        this.#settle(message.id, { kind: 'result', result: message.result, raw: line });
        return;
      case 'error':
        this.#settle(message.id, { kind: 'error', error: message.error, raw: line });
        return;
      case 'not-json':
      case 'invalid':
        this.#options.onNoise(line.toString('utf8', 0, 200));
    }
  }

  /** Nobody listens yet. While an answer is awaited reading must go on, so an agent that says too much before it is ended. */
  #keepEarly(message: FromAgent, line: Buffer): void {
    this.#earlyBytes += line.byteLength;
    if (this.#earlyBytes > this.#options.maxLineBytes) {
      this.pause();
      if (this.#pending.size > 0) {
        this.#options.onNoise(
          `more than ${this.#options.maxLineBytes} bytes before there was a session (limits.maxLineBytes): the agent is ended`,
        );
        void this.process.stop({ graceMs: 0 });
        return;
      }
    }
    this.#early.push({ message, raw: Buffer.from(line) });
  }

  #settle(id: JsonRpcId, reply: AgentReply): void {
    const key = idKey(id);
    const onReply = this.#pending.get(key);
    if (!onReply) return this.#options.onNoise(`a response to an unknown request: id ${key}`);
    this.#pending.delete(key);
    onReply(reply);
  }

  #ended(exit: ProcessExit): void {
    if (this.#exit) return;
    this.#exit = exit;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const onReply of pending) onReply({ kind: 'gone', exit });
    this.#listener?.onExit(exit);
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
