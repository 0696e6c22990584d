import type { MessageTransport } from './message-transport.ts';

export type JsonRpcId = string | number | null;
/** A JSON-RPC message with everything that came, known or not. */
export type JsonRpcMessage = Readonly<Record<string, unknown>>;

export interface LogEntry {
  readonly direction: 'in' | 'out';
  /** Milliseconds of `performance.now()`. */
  readonly atMs: number;
  readonly raw: string;
  /** Undefined when `raw` is no JSON object: a banner, garbage, a batch. */
  readonly message: JsonRpcMessage | undefined;
}

/** An error answer; also what a request handler throws to give one. */
export class JsonRpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'JsonRpcFailure';
    this.code = code;
    this.data = data;
  }
}

export type RequestHandler = (params: unknown, request: { id: JsonRpcId; method: string }) => unknown;
export type NotificationHandler = (params: unknown, method: string) => void;

export interface WaitOptions {
  /** 60 000 by default. */
  readonly timeoutMs?: number;
  /** Index in the log at which to begin looking; 0 by default, so what has come already counts. */
  readonly from?: number;
}

export interface PeerOptions {
  /** What the ids of this peer's requests begin with; integers from 1 when absent. */
  readonly idPrefix?: string;
  /** False keeps nothing in the log, for benchmarks; `waitFor` then sees only what comes after its call. */
  readonly keepLog?: boolean;
}

/**
 * One end of a JSON-RPC 2.0 connection that hides nothing: unknown methods, fields and update variants arrive as they
 * came. Requests without a handler are answered with -32601.
 */
export class JsonRpcPeer implements AsyncDisposable {
  readonly log: LogEntry[] = [];
  readonly closed: Promise<void>;
  readonly #transport: MessageTransport;
  readonly #options: PeerOptions;
  readonly #pending = new Map<JsonRpcId, { method: string; settle: (message: JsonRpcMessage | undefined) => void }>();
  readonly #requestHandlers = new Map<string, RequestHandler>();
  readonly #notificationHandlers = new Map<string, NotificationHandler>();
  readonly #watchers = new Set<(entry: LogEntry) => void>();
  #nextId = 1;
  #isClosed = false;

  constructor(transport: MessageTransport, options: PeerOptions = {}) {
    this.#transport = transport;
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    transport.listen(
      (text) => this.#receive(text),
      () => {
        this.#isClosed = true;
        for (const { settle } of this.#pending.values()) settle(undefined);
        this.#pending.clear();
        resolve();
      },
    );
  }

  /**
   * Resolves with the result; rejects with `JsonRpcFailure` on an error answer, with an `Error` when the connection
   * closes first. An abort of `signal` sends `$/cancel_request`; the answer to the request is still awaited.
   */
  async request<Result = Record<string, unknown>>(
    method: string,
    params: unknown,
    options: { signal?: AbortSignal; id?: JsonRpcId } = {},
  ): Promise<Result> {
    const { idPrefix } = this.#options;
    const id = options.id ?? (idPrefix === undefined ? this.#nextId++ : `${idPrefix}${this.#nextId++}`);
    if (this.#isClosed) throw new Error(`${method}: the connection is closed`);
    const { promise, resolve } = Promise.withResolvers<JsonRpcMessage | undefined>();
    this.#pending.set(id, { method, settle: resolve });
    this.#send({ id, method, params });
    const cancel = (): void => this.notify('$/cancel_request', { requestId: id });
    if (options.signal?.aborted) cancel();
    options.signal?.addEventListener('abort', cancel, { once: true });
    const answer = await promise;
    options.signal?.removeEventListener('abort', cancel);
    if (answer === undefined) throw new Error(`${method}: the connection closed before the answer`);
    if (answer.error !== undefined) {
      const { code, message, data } = answer.error as { code: number; message: string; data?: unknown };
      throw new JsonRpcFailure(code, message, data);
    }
    return answer.result as Result;
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  /** Sends a text as it stands. */
  sendRaw(raw: string): void {
    if (this.#isClosed) return;
    this.#record('out', raw, parse(raw));
    this.#transport.send(raw);
  }

  /** `*` is for methods without a handler of their own. A handler that never settles leaves the request open. */
  onRequest(method: string, handler: RequestHandler): void {
    this.#requestHandlers.set(method, handler);
  }

  onNotification(method: string, handler: NotificationHandler): void {
    this.#notificationHandlers.set(method, handler);
  }

  /** Answers a request that a handler left open. */
  respond(id: JsonRpcId, result: unknown): void {
    this.#send({ id, result });
  }

  /** The first incoming message that satisfies `predicate`, from the log or yet to come. Rejects after the time-out. */
  async waitFor(predicate: (message: JsonRpcMessage) => boolean, options: WaitOptions = {}): Promise<JsonRpcMessage> {
    const { timeoutMs = 60_000, from = 0 } = options;
    const matches = (entry: LogEntry): boolean =>
      entry.direction === 'in' && entry.message !== undefined && predicate(entry.message);
    const seen = this.log.slice(from).find(matches)?.message;
    if (seen !== undefined) return seen;
    const { promise, resolve, reject } = Promise.withResolvers<JsonRpcMessage>();
    const watch = (entry: LogEntry): void => {
      if (matches(entry)) resolve(entry.message ?? {});
    };
    this.#watchers.add(watch);
    const last = (): string =>
      this.log
        .slice(-5)
        .map(({ direction, raw }) => `${direction} ${raw.slice(0, 200)}`)
        .join('\n');
    const timer = setTimeout(
      () => reject(new Error(`no such message within ${timeoutMs} ms; the last of ${this.log.length}:\n${last()}`)),
      timeoutMs,
    );
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#watchers.delete(watch);
    }
  }

  /** The params of every notification of `method` so far. */
  notifications(method: string): Record<string, unknown>[] {
    return this.log.flatMap(({ direction, message }) =>
      direction === 'in' && message?.method === method && message.id === undefined
        ? [message.params as Record<string, unknown>]
        : [],
    );
  }

  /** The `update` of every `session/update` so far, of one session or of all. */
  updates(sessionId?: string): Record<string, unknown>[] {
    return this.notifications('session/update').flatMap((params) =>
      sessionId === undefined || params.sessionId === sessionId ? [params.update as Record<string, unknown>] : [],
    );
  }

  /** The texts of the `agent_message_chunk` updates so far. */
  agentTexts(sessionId?: string): string[] {
    return this.updates(sessionId).flatMap((update) => {
      const { text } = (update.content ?? {}) as { text?: unknown };
      return update.sessionUpdate === 'agent_message_chunk' && typeof text === 'string' ? [text] : [];
    });
  }

  close(): void {
    this.#transport.close();
  }

  /** Closes this side; does not wait for the other. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  #send(message: object): void {
    this.sendRaw(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  #record(direction: 'in' | 'out', raw: string, message: JsonRpcMessage | undefined): void {
    const keepLog = this.#options.keepLog ?? true;
    if (!keepLog && this.#watchers.size === 0) return;
    const entry: LogEntry = { direction, atMs: performance.now(), raw, message };
    if (keepLog) this.log.push(entry);
    for (const watch of this.#watchers) watch(entry);
  }

  #receive(text: string): void {
    const message = parse(text);
    this.#record('in', text, message);
    if (message === undefined) return;
    const id = message.id as JsonRpcId | undefined;
    if (typeof message.method === 'string') {
      if (id === undefined) {
        const handler = this.#notificationHandlers.get(message.method) ?? this.#notificationHandlers.get('*');
        handler?.(message.params, message.method);
      } else void this.#answer(id, message.method, message.params);
      return;
    }
    if (id === undefined) return;
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.settle(message);
  }

  async #answer(id: JsonRpcId, method: string, params: unknown): Promise<void> {
    const handler = this.#requestHandlers.get(method) ?? this.#requestHandlers.get('*');
    try {
      if (handler === undefined) throw new JsonRpcFailure(-32601, 'Method not found', { method });
      this.#send({ id, result: (await handler(params, { id, method })) ?? null });
    } catch (error) {
      const failure = error instanceof JsonRpcFailure ? error : new JsonRpcFailure(-32603, String(error));
      const { code, message, data } = failure;
      this.#send({ id, error: { code, message, ...(data === undefined ? {} : { data }) } });
    }
  }
}

function parse(text: string): JsonRpcMessage | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRpcMessage) : undefined;
  } catch {
    return undefined;
  }
}
