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
  questionStatus,
  type RequestId,
  type RequestKind,
  type RequestState,
  readQuestion,
  rpcError,
  type SessionId,
  servesElicitation,
} from '@reeve/protocol';
import type { FromAgent } from '../agents/agent-connection.ts';
import { cancelledAnswer } from '../requests/check-answer.ts';
import { type Answerer, TIME_OUT } from '../requests/request-broker.ts';
import type { StoredRequest } from '../requests/request-store.ts';
import { type AskedForm, askedForm } from './asked-form.ts';
import { askedMessage, resultForAgent } from './asked-message.ts';
import type { ClientPort, ClientReply } from './client-port.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionStream } from './session-stream.ts';
import { withId } from './turn-answer.ts';
import { UrlElicitations } from './url-elicitations.ts';

type AgentRequest = Extract<FromAgent, { kind: 'request' }>;

/** Methods by which an agent asks a person (ACP: tool calls, requesting permission; elicitation; session surface 3.2). */
const ASKED: ReadonlyMap<string, RequestKind> = new Map([
  ['session/request_permission', 'permission'],
  ['elicitation/create', 'elicitation'],
  [EXTENSION.requestQuestion, 'question'],
]);

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
  /** The agent works for a client: what it asks now it asks for that work, unless it says otherwise. */
  working(): boolean;
  /** The id under which the agent knows the prompt that it works on; undefined outside a turn, and in ACP v2. */
  promptId(): JsonRpcId | undefined;
  /** The turn was cancelled and has not ended: nobody is asked any more. */
  cancelling(): boolean;
}

/** What the agent of one session asks of people: offered to every controller, answered by whoever is first. */
export class AskedRequests {
  readonly #services: SessionServices;
  readonly #host: AskedHost;
  readonly #offered = new Map<RequestId, Offered>();
  readonly #urls = new UrlElicitations();

  constructor(services: SessionServices, host: AskedHost) {
    this.#services = services;
    this.#host = host;
  }

  static asks(method: string): boolean {
    return ASKED.has(method);
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
    const kind = ASKED.get(method) as RequestKind;
    const reading = kind === 'question' ? readQuestion(params) : undefined;
    if (reading?.kind === 'invalid') {
      stream.append({ source: 'agent', kind: 'request', message: raw });
      const message = Buffer.from(encodeError(request.id, rpcError('invalid_params', { message: reading.why })));
      stream.append({ source: 'reeve', kind: 'response', message });
      return this.#host.reply(epoch, message);
    }
    const stored = broker.open({ sessionId, agentEpoch: epoch, rpcId, kind, method, params }, (settled, state, by) =>
      this.#settled(settled, state, by),
    );
    const seq = stream.append({ source: 'agent', kind: 'request', message: raw });
    this.#urls.shown(params);
    this.#offered.set(stored.id, { raw, seq, ofTurn: this.#isOfTurn(params), clientIds: new Map() });
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
      if (!this.#offered.get(request.id)?.clientIds.has(port.id)) this.#offer(request, port, 0, { after });
    }
  }

  /** The agent says that what an elicitation's URL was for is done: told to the clients that can be shown one. */
  completed(params: unknown, raw: Buffer): void {
    const { stream } = this.#host;
    if (!this.#urls.completed(params)) return;
    for (const port of stream.controllers())
      if (servesElicitation(port.profile.clientCapabilities, 'url')) stream.sendAfter(port, stream.lastSeq, raw);
  }

  /** A question that the agent asks while it works on a prompt, unless it names another request that it is for. */
  #isOfTurn(params: unknown): boolean {
    if (!this.#host.working()) return false;
    const scope = isObject(params) ? params.requestId : undefined;
    return scope === undefined || scope === this.#host.promptId();
  }

  /** `refused`: why the client's last answer was none. */
  #offer(
    request: StoredRequest,
    port: ClientPort,
    reoffers: number,
    { after = 0 as EventSeq, refused }: { after?: EventSeq; refused?: string } = {},
  ): void {
    const offered = this.#offered.get(request.id);
    const form = askedForm(request, port.profile.clientCapabilities);
    if (!offered || port.gone || !form) return;
    const { sessionId } = this.#host;
    const message = askedMessage(request, form, {
      raw: offered.raw,
      sessionId,
      scope: this.#scopeFor(request, port),
      refused,
    });
    const id = port.expectReply((reply) => void this.#answered(request, port, form, reply, reoffers));
    offered.clientIds.set(port.id, { port, id });
    this.#host.stream.sendAfter(port, Math.max(offered.seq, after) as EventSeq, withId(message, id));
  }

  /** The id by which the client knows the request that an elicitation is tied to (ACP, ElicitationRequestScope). */
  #scopeFor({ kind, params }: StoredRequest, port: ClientPort): JsonRpcId | undefined {
    const scope = kind === 'elicitation' && isObject(params) ? params.requestId : undefined;
    const known = scope === undefined ? undefined : this.#host.clientIdOf(scope as JsonRpcId);
    return known?.port.id === port.id ? known.id : undefined;
  }

  async #answered(
    request: StoredRequest,
    port: ClientPort,
    form: AskedForm,
    reply: ClientReply,
    reoffers: number,
  ): Promise<void> {
    this.#offered.get(request.id)?.clientIds.delete(port.id);
    // An error is no answer: the request waits for the others.
    if (reply.kind !== 'result') return;
    const by: Answerer = { label: port.label, connection: port.id };
    const { broker, warn, limits } = this.#services;
    const { sessionId } = this.#host;
    const again = reoffers < limits.maxReoffers;
    try {
      const outcome = await broker.answer(request.id, { result: resultForAgent(request, form, reply.result) }, by);
      if (outcome.kind !== 'not_offered') return;
      warn('a client answered what was not offered', { sessionId, requestId: request.id, client: port.label });
      if (again) this.#offer(request, port, reoffers + 1, { refused: outcome.why });
    } catch (error) {
      warn('an answer could not be stored', { sessionId, requestId: request.id, error: String(error) });
      if (again) this.#offer(request, port, reoffers + 1);
    }
  }

  #settled(request: StoredRequest, state: Exclude<RequestState, { kind: 'pending' }>, by: Answerer | undefined): void {
    const offered = this.#offered.get(request.id);
    this.#offered.delete(request.id);
    const { stream, sessionId } = this.#host;
    const result = state.kind === 'answered' ? state.result : cancelledAnswer(request);
    const mapping = state.kind === 'answered' ? state.mapping : undefined;
    if (state.kind !== 'void') {
      const message = Buffer.from(encodeResult(request.rpcId, result));
      if (mapping || by === TIME_OUT)
        stream.note('request_answered', { requestId: request.id, by: by?.label, ...mapping });
      stream.append({
        source: state.kind === 'answered' && by !== TIME_OUT ? 'client' : 'reeve',
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
      ...(mapping ? { mapping } : {}),
      ...(request.kind === 'permission' ? {} : { status: questionStatus(result) }),
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
