import {
  classifyMessage,
  EXTENSION,
  encodeNotification,
  encodeRequest,
  isObject,
  type JsonObject,
  type JsonRpcId,
  ourMeta,
  withOurMeta,
} from '@reeve/protocol';
import type { AcpOptions } from './acp-options.ts';
import { AttachedSessions, resumption } from './attached-sessions.ts';
import { backOffMs, pause } from './back-off.ts';
import { CallError, errorOfRpc } from './call-error.ts';
import { closedError, lostError } from './connection-error.ts';
import { IncomingRequests } from './incoming-requests.ts';
import { type OpenSocket, openSocket, type SocketAddress } from './open-socket.ts';
import { silenceOf } from './silence.ts';
import { type SilenceWatch, watchSilence } from './watch-silence.ts';

export interface AcpEndpoint {
  /** Asked before each socket: a token may be another one by then. */
  readonly address: () => SocketAddress;
  /** Says why a socket could not be opened. */
  diagnose(): Promise<CallError>;
}

interface Pending {
  readonly id: number;
  readonly method: string;
  params: JsonObject;
  sent: boolean;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** The id of our own questions whether the server is there; requests of callers have numbers. */
const ALIVE = 'alive';

/** Requests that change nothing the second time; a prompt is one by its idempotency key. */
const NOT_REPEATABLE = new Set(['session/new', 'session/fork']);

/**
 * ACP as raw JSON-RPC over WebSocket. When the socket is lost it is opened again, its sessions are resumed after the
 * last update seen, and requests without an answer are sent again; none is run twice. Each update is given once, in order.
 */
export class AcpConnection {
  readonly sessions = new AttachedSessions();
  readonly #endpoint: AcpEndpoint;
  readonly #options: AcpOptions;
  readonly #stop = new AbortController();
  readonly #pending = new Map<number, Pending>();
  readonly #unsent: string[] = [];
  #socket: OpenSocket | undefined;
  #incoming: IncomingRequests | undefined;
  #watching: SilenceWatch | undefined;
  /** Requests of callers go out only once the socket's sessions are resumed. */
  #ready = false;
  /** An update came since the last attempt to connect. */
  #progress = false;
  #nextId = 1;
  #initialized: JsonObject = {};
  #end: CallError | undefined;

  constructor(endpoint: AcpEndpoint, options: AcpOptions) {
    this.#endpoint = endpoint;
    this.#options = options;
    options.signal?.addEventListener('abort', () => this.close(), { once: true });
  }

  /** The result of the newest `initialize`. */
  get initialized(): JsonObject {
    return this.#initialized;
  }

  /** To be called once, before all else. Rejects when the first attempt fails: only a lost connection is tried again. */
  async open(): Promise<void> {
    try {
      this.#watch(await this.#connect());
    } catch (error) {
      this.#finish(error instanceof CallError ? error : undefined);
      throw error;
    }
  }

  /** Sends any request. Rejects with a `CallError`. */
  request(method: string, params: JsonObject): Promise<unknown> {
    return this.#call(method, params, this.#ready);
  }

  /** Sends any notification; while the connection is down it waits. */
  notify(method: string, params: JsonObject): void {
    const line = encodeNotification(method, params);
    if (this.#ready && this.#socket) this.#socket.send(line);
    else if (!this.#stop.signal.aborted) this.#unsent.push(line);
  }

  /** Leaves the server; sessions and turns go on there. Requests without an answer reject with `connection_closed`. */
  close(): void {
    this.#finish(undefined);
  }

  #call(method: string, params: JsonObject, now: boolean): Promise<unknown> {
    if (this.#stop.signal.aborted) return Promise.reject(this.#end ?? closedError());
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const pending: Pending = { id: this.#nextId, method, params, sent: false, resolve, reject };
    this.#nextId += 1;
    this.#pending.set(pending.id, pending);
    if (now) this.#transmit(pending);
    return promise;
  }

  #transmit(pending: Pending): void {
    if (!this.#socket) return;
    pending.sent = true;
    this.#socket.send(encodeRequest(pending.id, pending.method, pending.params));
  }

  async #connect(): Promise<OpenSocket> {
    const socket = await openSocket(this.#endpoint.address(), (data) => this.#receive(data), this.#stop.signal);
    if (!socket) throw this.#stop.signal.aborted ? closedError() : await this.#endpoint.diagnose();
    this.#socket = socket;
    this.#incoming = new IncomingRequests(this.#options.onRequest, (text) => {
      if (this.#socket === socket) socket.send(text);
    });
    const lost = socket.closed.then(() => {
      throw lostError();
    });
    const result = await Promise.race([this.#call('initialize', initializeParams(this.#options), true), lost]);
    this.#initialized = isObject(result) ? result : {};
    this.#watching = watchSilence({
      silenceMs: this.#options.silenceMs ?? silenceOf(),
      ask: () => socket.send(encodeRequest(ALIVE, EXTENSION.ping, {})),
      onSilent: () => socket.abandon(),
    });
    await Promise.race([this.#resumeSessions(), lost]);
    this.#ready = true;
    for (const line of this.#unsent.splice(0)) socket.send(line);
    for (const pending of this.#pending.values()) {
      const session = this.sessions.get(pending.params.sessionId);
      const attaching = pending.method === 'session/load' || pending.method === 'session/resume';
      if (pending.sent && attaching && session?.cursor !== undefined) {
        pending.params = withOurMeta(pending.params, { after: session.cursor });
      }
      this.#transmit(pending);
    }
    this.#options.onState?.({ kind: 'connected' });
    return socket;
  }

  async #resumeSessions(): Promise<void> {
    for (const session of this.sessions.attached()) {
      const { cursor, role, sessionId } = session;
      const ours = cursor === undefined ? { role } : { role, after: cursor };
      try {
        await this.#call('session/resume', withOurMeta(resumption(session), ours), true);
      } catch (error) {
        if (error instanceof CallError && error.rpcCode === undefined) throw error;
        this.sessions.remove(sessionId);
        for (const pending of [...this.#pending.values()]) {
          if (pending.params.sessionId === sessionId) this.#settle(pending.id)?.reject(error);
        }
      }
    }
  }

  #watch(socket: OpenSocket): void {
    void socket.closed.then(() => this.#reconnect());
  }

  async #reconnect(): Promise<void> {
    const patienceMs = this.#options.giveUpMs ?? 60_000;
    let giveUpAt = Date.now() + patienceMs;
    for (let attempt = 0; !this.#stop.signal.aborted; attempt += 1) {
      this.#forgetSocket();
      this.#options.onState?.({ kind: 'reconnecting', attempt });
      await pause(backOffMs(attempt), this.#stop.signal);
      if (this.#stop.signal.aborted) return;
      this.#progress = false;
      try {
        this.#watch(await this.#connect());
        return;
      } catch (error) {
        const refused = error instanceof CallError && (error.rpcCode !== undefined || error.status === 401);
        if (refused || Date.now() > giveUpAt) {
          this.#finish(error instanceof CallError ? error : lostError());
          return;
        }
      }
      // A replay that broke off further on is no failure to wait for.
      if (!this.#progress) continue;
      attempt = -1;
      giveUpAt = Date.now() + patienceMs;
    }
  }

  #forgetSocket(): void {
    this.#ready = false;
    this.#watching?.[Symbol.dispose]();
    this.#socket?.close();
    this.#socket = undefined;
    this.#incoming?.drop();
    for (const pending of [...this.#pending.values()]) {
      const ours =
        pending.method === 'initialize' ||
        (pending.method === 'session/resume' && pending.sent && this.sessions.get(pending.params.sessionId)?.attached);
      if (ours || (pending.sent && NOT_REPEATABLE.has(pending.method))) this.#settle(pending.id)?.reject(lostError());
    }
  }

  #settle(id: JsonRpcId): Pending | undefined {
    const pending = this.#pending.get(id as number);
    this.#pending.delete(id as number);
    return pending;
  }

  #finish(error: CallError | undefined): void {
    if (this.#stop.signal.aborted) return;
    this.#end = error;
    this.#watching?.[Symbol.dispose]();
    this.#stop.abort();
    this.#socket?.close();
    this.#socket = undefined;
    this.#incoming?.drop();
    for (const pending of this.#pending.values()) pending.reject(error ?? closedError());
    this.#pending.clear();
    this.#options.onState?.({ kind: 'closed', error });
  }

  #receive(data: string | Uint8Array): void {
    if (this.#stop.signal.aborted) return;
    const text = typeof data === 'string' ? data : new TextDecoder().decode(data);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return;
    }
    const message = classifyMessage(value);
    this.#watching?.heard();
    if (isAliveAnswer(message)) return;
    if (message.kind === 'notification') {
      this.#notified(message.method, message.params, text);
      return;
    }
    this.#options.onLine?.(text);
    if (message.kind === 'request') this.#incoming?.take(message.id, message.method, asObject(message.params));
    else if (message.kind === 'result') this.#settle(message.id)?.resolve(message.result);
    else if (message.kind === 'error') this.#settle(message.id)?.reject(errorOfRpc(message.error));
  }

  #notified(method: string, given: unknown, text: string): void {
    const params = asObject(given);
    const { seq } = ourMeta(params);
    const { sessionId } = params;
    if (!this.sessions.advance(sessionId, seq)) return;
    if (seq !== undefined) this.#progress = true;
    this.#options.onLine?.(text);
    if (method === '$/cancel_request') this.#incoming?.cancel(params.requestId as JsonRpcId);
    if (method === EXTENSION.requestResolved) this.#incoming?.resolved(params.requestId);
    this.#options.onUpdate?.({
      method,
      params,
      sessionId: typeof sessionId === 'string' ? sessionId : undefined,
      seq: typeof seq === 'number' ? seq : undefined,
    });
  }
}

/** Whatever it says: a server that does not know the question is there too. */
function isAliveAnswer(message: ReturnType<typeof classifyMessage>): boolean {
  return (message.kind === 'result' || message.kind === 'error') && message.id === ALIVE;
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function initializeParams({ clientCapabilities, clientInfo }: AcpOptions): JsonObject {
  return {
    protocolVersion: 1,
    clientCapabilities: withOurMeta(clientCapabilities ?? {}, { turnEnded: true, requestResolved: true, seq: true }),
    ...(clientInfo ? { clientInfo } : {}),
  };
}
