import {
  type ConnectionId,
  type EventSeq,
  encodeError,
  encodeResult,
  idKey,
  isObject,
  type JsonObject,
  type JsonRpcId,
  newConnectionId,
  parseMessage,
  ReeveError,
  type RpcError,
  rpcError,
  type SessionId,
} from '@reeve/protocol';
import { versionOf } from '../agents/acp-version.ts';
import { scopeOfMessage } from '../audit/trace-scope.ts';
import type { ClientFeatures, ClientPort, ClientReply } from '../sessions/client-port.ts';
import type { Session } from '../sessions/session.ts';
import type { SessionDirectory } from '../sessions/session-directory.ts';
import type { SessionSink } from '../sessions/session-sink.ts';
import { withId } from '../sessions/turn-answer.ts';
import type { Bound, Caller, ClientRequest } from './client-request.ts';
import { openConnection } from './open-connection.ts';
import { SESSION_REQUESTS } from './session-requests.ts';
import type { InboundConnection, Transport } from './transport.ts';

export interface ConnectionOptions {
  readonly directory: SessionDirectory;
  readonly transport: Transport;
  /** The agent that the URL names. */
  readonly agent: string | undefined;
  readonly version: string;
  /** Messages that may wait for the answer to `initialize`. */
  readonly maxEarlyMessages: number;
  /** Called once, when the peer is gone. */
  readonly onVanish: () => void;
}

/** In the words of ACP v1 and v2. */
const LOGINS: ReadonlySet<string> = new Set(['authenticate', 'auth/login']);
const LOGOUTS: ReadonlySet<string> = new Set(['logout', 'auth/logout']);

/** Reeve as the agent of one client, over any transport. Every request is answered once, whatever happens. */
export class ClientConnection implements InboundConnection, ClientPort {
  readonly id: ConnectionId = newConnectionId();
  readonly #options: ConnectionOptions;
  readonly #expected = new Map<string, (reply: ClientReply) => void>();
  #bound: Bound | undefined;
  /** What came while `initialize` was being answered; undefined at any other time. */
  #parked: (() => void)[] | undefined;
  /** Params of the login that succeeded last. In memory only. */
  #authenticated: JsonObject | undefined;
  #nextId = 0;
  #vanished = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get label(): string {
    return this.#bound?.introduction.label ?? 'unnamed client';
  }

  get claimed(): ClientPort['claimed'] {
    return this.#bound?.introduction.claimed;
  }

  get transport(): ClientPort['transport'] {
    return this.#options.transport.kind;
  }

  get profile(): ClientPort['profile'] {
    return this.#bound?.introduction.profile ?? { clientCapabilities: {} };
  }

  get features(): ClientFeatures {
    return this.#bound?.introduction.features ?? { seq: false, turnEnded: false, requestResolved: false };
  }

  get gone(): boolean {
    return this.#vanished;
  }

  drop(reason: string): void {
    this.#options.transport.close(reason);
  }

  sink(streamId: SessionId): SessionSink {
    return this.#options.transport.sink(streamId);
  }

  release(streamId: SessionId): void {
    this.#options.transport.release(streamId);
  }

  expectReply(onReply: (reply: ClientReply) => void): JsonRpcId {
    const id = this.#nextId;
    this.#nextId += 1;
    if (this.#vanished) queueMicrotask(() => onReply({ kind: 'gone' }));
    else this.#expected.set(idKey(id), onReply);
    return id;
  }

  forgetReply(id: JsonRpcId): void {
    this.#expected.delete(idKey(id));
  }

  receive(text: string): void {
    const message = parseMessage(text);
    switch (message.kind) {
      case 'not-json':
        return this.#send(encodeError(null, rpcError('parse_error')));
      case 'invalid':
        return this.#send(
          encodeError(message.id, rpcError('invalid_request', { message: `Invalid request: ${message.why}` })),
        );
      case 'result':
      case 'error': {
        const key = idKey(message.id);
        const onReply = this.#expected.get(key);
        this.#expected.delete(key);
        const raw = Buffer.from(text);
        onReply?.(message.kind === 'result' ? { kind: 'result', result: message.result, raw } : { kind: 'error', raw });
        return;
      }
      case 'notification': {
        const enter = scopeOfMessage(traceparentIn(message.params));
        return this.#inOrder(() => enter(() => this.#notified(message.method, message.params, text)));
      }
      case 'request': {
        const { id, method } = message;
        if (id === null && versionOf(this.profile) === 2) {
          return this.#send(encodeError(null, rpcError('invalid_request', { message: 'ACP v2: an id is no null' })));
        }
        const params = isObject(message.params) ? message.params : {};
        const enter = scopeOfMessage(traceparentIn(params));
        const dispatch = (): void => {
          enter(() => this.#dispatch({ id, method, params, raw: Buffer.from(text) })).catch((error: unknown) => {
            this.#refuse(id, params.sessionId, this.#options.directory.services.rpcErrorOf(error));
          });
        };
        if (method === 'initialize') dispatch();
        else this.#inOrder(dispatch);
      }
    }
  }

  /** A client need not wait for the answer to `initialize` before it goes on; we do. */
  #inOrder(act: () => void): void {
    if (!this.#parked) act();
    else if (this.#parked.length < this.#options.maxEarlyMessages) this.#parked.push(act);
    else this.drop('too many messages before initialize was answered (limits.maxEarlyMessages)');
  }

  resumeStream(sessionId: SessionId, after: number): void {
    this.#options.directory
      .findAttached(sessionId, this.id)
      ?.attachment(this.id)
      ?.rewind(after as EventSeq);
  }

  vanish(_reason: string): void {
    if (this.#vanished) return;
    this.#vanished = true;
    const expected = [...this.#expected.values()];
    this.#expected.clear();
    for (const onReply of expected) onReply({ kind: 'gone' });
    this.#options.directory.leaveAll(this.id);
    this.#options.onVanish();
  }

  async #dispatch(request: ClientRequest): Promise<void> {
    const { method, params } = request;
    if (method === 'initialize') return this.#initialize(request);
    const bound = this.#bound;
    if (!bound) throw new ReeveError('invalid_request', { message: 'send initialize first' });
    const handler = SESSION_REQUESTS.get(method);
    if (handler) return handler(this.#caller(bound), request);
    if (method.startsWith('_sandboxagent/')) throw new ReeveError('method_not_found', { data: { method } });
    if (params.sessionId !== undefined) return this.#controlled(params.sessionId).command({ port: this, ...request });
    return this.#askAnteroom(bound, request);
  }

  async #initialize({ id, params }: ClientRequest): Promise<void> {
    if (this.#bound || this.#parked)
      throw new ReeveError('invalid_request', { message: 'initialize was sent already on this connection' });
    const parked: (() => void)[] = [];
    this.#parked = parked;
    try {
      const { bound, result } = await openConnection(this.#options.directory.services.agents, params, this.#options);
      this.#bound = bound;
      this.#send(encodeResult(id, result));
    } finally {
      this.#parked = undefined;
      for (const act of parked) queueMicrotask(act);
    }
  }

  #caller(bound: Bound): Caller {
    return {
      port: this,
      directory: this.#options.directory,
      bound,
      authenticated: this.#authenticated,
      send: (message) => this.#send(message),
      controlled: (sessionId) => this.#controlled(sessionId),
    };
  }

  /** A request that names no session goes to a process of the agent that serves none (`authenticate`, `auth/login`, unknown ones). */
  async #askAnteroom(bound: Bound, { id, method, params, raw }: ClientRequest): Promise<void> {
    const { agents } = this.#options.directory.services;
    const { connection } = await agents.borrow(bound.entry, bound.introduction.profile);
    connection.request(raw, (reply) => {
      if (reply.kind === 'result' && LOGINS.has(method)) this.#authenticated = params;
      if (reply.kind === 'result' && LOGOUTS.has(method)) this.#authenticated = undefined;
      if (reply.kind === 'gone') this.#send(encodeError(id, rpcError('agent_crashed')));
      else this.#send(withId(reply.raw, id));
    });
  }

  #notified(method: string, params: unknown, text: string): void {
    if (!isObject(params)) return;
    if (method === '$/cancel_request') return this.#cancelRequest(params.requestId as JsonRpcId);
    if (params.sessionId === undefined || method.startsWith('_sandboxagent/')) return;
    try {
      const session = this.#controlled(params.sessionId);
      if (method === 'session/cancel') session.cancel(this, Buffer.from(text), params);
      else session.notify(this, Buffer.from(text), params);
    } catch {
      // A notification is never answered (JSON-RPC 2.0, section 4.1): one that nobody may send is dropped.
    }
  }

  #cancelRequest(id: JsonRpcId): void {
    for (const session of this.#options.directory.attachedTo(this.id)) if (session.cancelRequest(this, id)) return;
  }

  /** The session, if this connection is attached to it and may act. */
  #controlled(sessionId: unknown): Session {
    const session = this.#options.directory.attached(sessionId, this.id);
    if (session.attachment(this.id)?.role === 'observer') throw new ReeveError('observer_may_not');
    return session;
  }

  /** Errors of requests that name a session go by that session's stream, where the client waits for them. */
  #refuse(id: JsonRpcId, sessionId: unknown, error: RpcError): void {
    const message = Buffer.from(encodeError(id, error));
    const attachment = this.#options.directory.findAttached(sessionId, this.id)?.attachment(this.id);
    if (attachment) attachment.sendAfter(0 as EventSeq, message);
    else this.#options.transport.send(message);
  }

  #send(message: string | Uint8Array): void {
    this.#options.transport.send(typeof message === 'string' ? Buffer.from(message) : message);
  }
}

/** ACP, extensibility: `traceparent` of `_meta` is reserved for W3C Trace Context. */
function traceparentIn(params: unknown): unknown {
  return isObject(params) && isObject(params._meta) ? params._meta.traceparent : undefined;
}
