import {
  type AgentEpoch,
  type ConnectionId,
  type EventSeq,
  EXTENSION,
  encodeError,
  encodeNotification,
  encodeResult,
  isObject,
  type JsonRpcId,
  META_KEY,
  type RequestId,
  type RequestKind,
  type RequestState,
  removeMember,
  rpcError,
  type SessionId,
  setMember,
} from '@reeve/protocol';
import type { FromAgent } from '../agents/agent-connection.ts';
import type { Answerer } from '../requests/request-broker.ts';
import type { StoredRequest } from '../requests/request-store.ts';
import type { ClientPort, ClientReply } from './client-port.ts';
import { serves } from './client-requests.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionStream } from './session-stream.ts';
import { withId } from './turn-queue.ts';

type AgentRequest = Extract<FromAgent, { kind: 'request' }>;

/** Methods by which an agent asks a person (ACP: tool calls, requesting permission; elicitation). */
const ASKED: Readonly<Record<string, RequestKind>> = {
  'session/request_permission': 'permission',
  'elicitation/create': 'elicitation',
};

/** How often a client that gives an answer that was not offered is asked again. */
const MAX_REOFFERS = 3;

interface Offered {
  readonly raw: Buffer;
  readonly seq: EventSeq;
  /** Asked for the turn that ran then: it ends with that turn. */
  readonly ofTurn: boolean;
  /** The id under which each client knows the request, while its answer is open. */
  readonly clientIds: Map<ConnectionId, { readonly port: ClientPort; readonly id: JsonRpcId }>;
}

export interface AskedHost {
  readonly sessionId: SessionId;
  readonly stream: SessionStream;
  /** Answers the agent of that epoch; dropped when it is gone. */
  reply(epoch: AgentEpoch, message: Uint8Array): void;
  /** Who knows the request that the agent names, and by which id (ACP, elicitation scoped to a request). */
  clientIdOf(agentId: JsonRpcId): { readonly port: ClientPort; readonly id: JsonRpcId } | undefined;
  /** The id under which the agent knows the prompt that it works on; undefined outside a turn. */
  promptId(): JsonRpcId | undefined;
  /** The turn was cancelled and has not ended: nobody is asked any more. */
  cancelling(): boolean;
}

/** What the agent of one session asks of people: offered to every controller, answered by whoever is first. */
export class AskedRequests {
  readonly #services: SessionServices;
  readonly #host: AskedHost;
  readonly #offered = new Map<RequestId, Offered>();

  constructor(services: SessionServices, host: AskedHost) {
    this.#services = services;
    this.#host = host;
  }

  static asks(method: string): boolean {
    return method in ASKED;
  }

  /** Takes up a request of the agent: on disk first, then to the clients. */
  ask(request: AgentRequest, raw: Buffer, epoch: AgentEpoch): void {
    const { sessionId, stream } = this.#host;
    const { broker, limits } = this.#services;
    if (this.#offered.size >= limits.maxPendingRequests) {
      const error = rpcError('overloaded', {
        message: 'too many requests of this session wait for a person (limits.maxPendingRequests)',
      });
      this.#host.reply(epoch, Buffer.from(encodeError(request.id, error)));
      return;
    }
    const { id: rpcId, method, params } = request;
    const kind = ASKED[method] as RequestKind;
    const stored = broker.open({ sessionId, agentEpoch: epoch, rpcId, kind, method, params }, (settled, state, by) =>
      this.#settled(settled, state, by),
    );
    const seq = stream.append({ source: 'agent', kind: 'request', message: raw });
    const marked = setMember(raw, ['params', '_meta', META_KEY, 'requestId'], JSON.stringify(stored.id));
    this.#offered.set(stored.id, { raw: marked, seq, ofTurn: this.#isOfTurn(params), clientIds: new Map() });
    // ACP, cancellation: the client owes `cancelled` also to what the agent asks before it has heard of the cancel.
    if (this.#host.cancelling()) broker.cancelOne(sessionId, epoch, rpcId, 'the turn was cancelled');
    else for (const port of stream.controllers()) this.#offer(stored, port, 0);
  }

  /** The agent ended its turn: what it asked for that turn and nobody has answered is answered as cancelled. */
  endTurn(): void {
    const { broker } = this.#services;
    for (const { id, sessionId, agentEpoch, rpcId } of broker.pendingOf(this.#host.sessionId)) {
      if (this.#offered.get(id)?.ofTurn) broker.cancelOne(sessionId, agentEpoch, rpcId, 'its turn ended');
    }
  }

  /** A client left the session: what it was asked waits for the others, and for its return. */
  left(connection: ConnectionId): void {
    for (const { clientIds } of this.#offered.values()) {
      const known = clientIds.get(connection);
      if (!known) continue;
      known.port.forgetReply(known.id);
      clientIds.delete(connection);
    }
  }

  /** Offers what still waits to a controller that has just come, when it has everything up to `after`. */
  offerPending(port: ClientPort, after: EventSeq): void {
    for (const request of this.#services.broker.pendingOf(this.#host.sessionId)) {
      if (!this.#offered.get(request.id)?.clientIds.has(port.id)) this.#offer(request, port, 0, after);
    }
  }

  /** A question that the agent asks while it works on a prompt, unless it names another request that it is for. */
  #isOfTurn(params: unknown): boolean {
    const promptId = this.#host.promptId();
    if (promptId === undefined) return false;
    const scope = isObject(params) ? params.requestId : undefined;
    return scope === undefined || scope === promptId;
  }

  #offer(request: StoredRequest, port: ClientPort, reoffers: number, after = 0 as EventSeq): void {
    const offered = this.#offered.get(request.id);
    if (!offered || port.gone || !serves(port, request.method)) return;
    let { raw } = offered;
    const scope = isObject(request.params) ? request.params.requestId : undefined;
    if (request.kind === 'elicitation' && scope !== undefined) {
      const known = this.#host.clientIdOf(scope as JsonRpcId);
      if (known?.port.id === port.id) raw = setMember(raw, ['params', 'requestId'], JSON.stringify(known.id));
      else {
        // Only the prompter knows that request; to the others it is a question of the session.
        raw = removeMember(raw, ['params', 'requestId']);
        raw = setMember(raw, ['params', 'sessionId'], JSON.stringify(this.#host.sessionId));
      }
    }
    const id = port.expectReply((reply) => void this.#answered(request, port, reply, reoffers));
    offered.clientIds.set(port.id, { port, id });
    this.#host.stream.sendAfter(port, Math.max(offered.seq, after) as EventSeq, withId(raw, id));
  }

  async #answered(request: StoredRequest, port: ClientPort, reply: ClientReply, reoffers: number): Promise<void> {
    this.#offered.get(request.id)?.clientIds.delete(port.id);
    // An error is no answer: the request waits for the others.
    if (reply.kind !== 'result') return;
    const by: Answerer = { label: port.label, connection: port.id };
    const { broker, warn } = this.#services;
    const { sessionId } = this.#host;
    try {
      const result = await broker.answer(request.id, { result: reply.result }, by);
      if (result.kind !== 'not_offered') return;
      warn('a client answered what was not offered', { sessionId, requestId: request.id, client: port.label });
      if (reoffers < MAX_REOFFERS) this.#offer(request, port, reoffers + 1);
    } catch (error) {
      warn('an answer could not be stored', { sessionId, requestId: request.id, error: String(error) });
      if (reoffers < MAX_REOFFERS) this.#offer(request, port, reoffers + 1);
    }
  }

  #settled(request: StoredRequest, state: Exclude<RequestState, { kind: 'pending' }>, by: Answerer | undefined): void {
    const offered = this.#offered.get(request.id);
    this.#offered.delete(request.id);
    const { stream, sessionId } = this.#host;
    if (state.kind !== 'void') {
      const result = state.kind === 'answered' ? state.result : cancelledResult(request.kind);
      const message = Buffer.from(encodeResult(request.rpcId, result));
      stream.append({
        source: state.kind === 'answered' ? 'client' : 'reeve',
        kind: 'response',
        connection: by?.connection,
        message,
      });
      this.#host.reply(request.agentEpoch, message);
    }
    for (const { port, id } of offered?.clientIds.values() ?? []) {
      port.forgetReply(id);
      stream.sendAfter(port, stream.lastSeq, Buffer.from(encodeNotification('$/cancel_request', { requestId: id })));
    }
    const outcome = {
      kind: state.kind,
      ...(state.kind === 'answered' ? { result: state.result } : { reason: state.reason }),
    };
    const told = Buffer.from(
      encodeNotification(EXTENSION.requestResolved, {
        sessionId,
        requestId: request.id,
        by: by?.label ?? null,
        outcome,
      }),
    );
    for (const { port } of stream.attachments) {
      if (port.id !== by?.connection && port.features.requestResolved) stream.sendAfter(port, stream.durableSeq, told);
    }
  }
}

function cancelledResult(kind: RequestKind): unknown {
  return kind === 'permission' ? { outcome: { outcome: 'cancelled' } } : { action: 'cancel' };
}
