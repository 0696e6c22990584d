import {
  type AgentEpoch,
  type ConnectionId,
  EXTENSION,
  idKey,
  type JsonRpcId,
  newRequestId,
  type RequestAnswer,
  type RequestId,
  type RequestKind,
  type RequestState,
  type ReviewParams,
  type SessionId,
} from '@reeve/protocol';
import type { Audit } from '../audit/audit-fact.ts';
import { newTraceId, type TraceId } from '../audit/trace-id.ts';
import { currentTrace, namedTrace, underTrace } from '../audit/trace-scope.ts';
import { askedFact, settledFact } from './audited-request.ts';
import { answerTooLate, checkAnswer } from './check-answer.ts';
import type { RequestStore, StoredRequest } from './request-store.ts';

export type AnswerResult =
  | { readonly kind: 'answered'; readonly request: StoredRequest }
  /** Somebody was first, or there is nobody left to answer. */
  | { readonly kind: 'already_resolved'; readonly request: StoredRequest }
  | { readonly kind: 'not_offered'; readonly offered: readonly string[]; readonly why: string }
  | { readonly kind: 'unknown' };

/** A request that an agent makes of a person. */
export type Ask = Pick<StoredRequest, 'sessionId' | 'agentEpoch' | 'rpcId' | 'kind' | 'method' | 'params'>;

/** Who answers: as people know them, and by which connection if by one. */
export interface Answerer {
  readonly label: string;
  readonly connection?: ConnectionId;
  /** May say yes where an administrator must. */
  readonly administrator?: boolean;
}

/** Who answers when nobody did in time. */
export const TIME_OUT: Answerer = { label: 'reeve (time-out)' };

/** How long a request of each kind waits for an answer; 0: for ever. */
export interface PatienceMs {
  readonly permissionMs: number;
  readonly questionMs: number;
  /** For ever unless told. */
  readonly reviewMs?: number;
}

/** What the asking session does when a request ends. Called once per request, when its end is on disk. */
export type OnSettled = (
  request: StoredRequest,
  state: Exclude<RequestState, { kind: 'pending' }>,
  by?: Answerer,
) => void;

/** What becomes of a review. */
export interface OnReviewed {
  /** Keeps what was decided: the answer is acknowledged when that is durable too. `result`: a ReviewResult. */
  onAnswer(result: unknown, by: Answerer | undefined): Promise<void>;
  readonly onSettled: OnSettled;
  /** Why an answer that fits what was asked cannot be carried out; the request goes on waiting then. Before `onAnswer`. */
  refusal?(result: unknown): Promise<string | undefined>;
}

/** Told of the reviews of one session, as long as it is in memory. */
export interface ReviewWatcher {
  opened(review: StoredRequest): void;
  settled: OnSettled;
}

/** Of a request that no agent made. */
const NO_AGENT = { agentEpoch: 0 as AgentEpoch, rpcId: null };

interface Pending {
  readonly request: StoredRequest;
  readonly onSettled: OnSettled;
  readonly onAnswer: OnReviewed['onAnswer'] | undefined;
  readonly refusal: OnReviewed['refusal'];
  /** In which it was asked: what becomes of it is told there. */
  readonly trace: TraceId;
  /** Set when an end was chosen: from here on every other answer comes too late. */
  settling: boolean;
  timer: NodeJS.Timeout | undefined;
}

export interface BrokerOptions {
  readonly store: RequestStore;
  readonly audit: Audit;
  readonly patience: PatienceMs;
  /** The store failed where nobody waits for the outcome. */
  readonly onFailure: (error: unknown) => void;
  readonly now?: () => number;
}

/**
 * What waits for a person, over all sessions. A request is keyed by session, agent epoch and JSON-RPC id: an answer never reaches
 * another process than the one that asked. The first valid answer wins, and counts only when it is on disk, and in the
 * audit log.
 */
export class RequestBroker {
  readonly #store: RequestStore;
  readonly #audit: Audit;
  readonly #patience: PatienceMs;
  readonly #onFailure: (error: unknown) => void;
  readonly #now: () => number;
  readonly #pending = new Map<RequestId, Pending>();
  readonly #watchers = new Map<SessionId, ReviewWatcher>();

  constructor({ store, audit, patience, onFailure, now = Date.now }: BrokerOptions) {
    this.#store = store;
    this.#audit = audit;
    this.#patience = patience;
    this.#onFailure = onFailure;
    this.#now = now;
  }

  /** Takes up a request. Its row is written before anything that is appended to the log after this call. */
  open(ask: Ask, onSettled: OnSettled, { onAnswer, refusal }: Partial<OnReviewed> = {}): StoredRequest {
    const request: StoredRequest = { ...ask, id: newRequestId(), createdAt: this.#now(), state: { kind: 'pending' } };
    const trace = currentTrace() ?? newTraceId();
    const pending: Pending = { request, onSettled, onAnswer, refusal, trace, settling: false, timer: undefined };
    this.#pending.set(request.id, pending);
    this.#watchPatience(pending);
    this.#store.add(request).catch((error: unknown) => {
      this.#onFailure(error);
      this.#abandon(request.id);
    });
    underTrace(trace, () => this.#audit.note(askedFact(request)));
    return request;
  }

  /** Asks people in Reeve's own name. A review outlives the agent process, not the session. */
  openReview(sessionId: SessionId, params: ReviewParams, { onSettled, ...others }: OnReviewed): StoredRequest {
    const watched: OnSettled = (...end) => {
      onSettled(...end);
      this.#watchers.get(sessionId)?.settled(...end);
    };
    const ask = { ...NO_AGENT, sessionId, kind: 'review', method: EXTENSION.review, params } as const;
    const review = this.open(ask, watched, others);
    this.#watchers.get(sessionId)?.opened(review);
    return review;
  }

  /** One at a time for each session. */
  watchReviews(sessionId: SessionId, watcher: ReviewWatcher): Disposable {
    this.#watchers.set(sessionId, watcher);
    return {
      [Symbol.dispose]: () => {
        if (this.#watchers.get(sessionId) === watcher) this.#watchers.delete(sessionId);
      },
    };
  }

  /** Decides a request. Rejects only if the store fails. */
  async answer(id: RequestId, answer: RequestAnswer, by: Answerer): Promise<AnswerResult> {
    const pending = this.#pending.get(id);
    if (!pending) {
      const request = await this.#store.find(id);
      return request ? { kind: 'already_resolved', request } : { kind: 'unknown' };
    }
    const checked = checkAnswer(pending.request, answer, {
      administrator: by.administrator === true,
      now: this.#now(),
    });
    if (checked.kind === 'not_offered') return checked;
    const { result, mapping } = checked;
    const why = await pending.refusal?.(result);
    if (why !== undefined) return { kind: 'not_offered', offered: ['{"decision": "deny"}'], why };
    const state = { kind: 'answered', at: this.#now(), by: by.label, result, ...(mapping ? { mapping } : {}) } as const;
    const settled = await this.#settle(id, state, by);
    const request = settled ?? (await this.#store.find(id)) ?? pending.request;
    return { kind: settled ? 'answered' : 'already_resolved', request };
  }

  /** Ends the request that the agent took back, if it still waits. */
  cancelOne(sessionId: SessionId, agentEpoch: AgentEpoch, rpcId: JsonRpcId, reason: string): void {
    for (const { request } of this.#of(sessionId)) {
      if (request.agentEpoch !== agentEpoch || idKey(request.rpcId) !== idKey(rpcId)) continue;
      this.#settle(request.id, { kind: 'cancelled', at: this.#now(), reason }).catch(this.#onFailure);
    }
  }

  /** Ends one request, if it still waits. */
  async cancel(id: RequestId, reason: string): Promise<void> {
    await this.#settle(id, { kind: 'cancelled', at: this.#now(), reason });
  }

  /** Ends every request of the session: as `cancelled` while its agent can still be told, else as `void`. */
  async endSession(sessionId: SessionId, kind: 'cancelled' | 'void', reason: string): Promise<void> {
    await this.#end(this.#of(sessionId), kind, reason);
  }

  /** Ends what the agent of the session asked; reviews go on waiting. */
  async endAgent(sessionId: SessionId, kind: 'cancelled' | 'void', reason: string): Promise<void> {
    await this.#end(
      this.#of(sessionId).filter(({ request }) => request.kind !== 'review'),
      kind,
      reason,
    );
  }

  /** Requests of the session that still take an answer, oldest first. */
  pendingOf(sessionId: SessionId): readonly StoredRequest[] {
    return this.#of(sessionId).map(({ request }) => request);
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  /** Answers for the people when they do not in time; as long as the store keeps no answer it tries again, after as long. */
  #watchPatience(pending: Pending): void {
    const { request } = pending;
    const wait = this.#patienceFor(request.kind);
    if (wait === 0) return;
    pending.timer = setTimeout(async () => {
      const state = { kind: 'answered', at: this.#now(), by: TIME_OUT.label, ...answerTooLate(request) } as const;
      await this.#settle(request.id, state, TIME_OUT).catch(this.#onFailure);
      if (this.#pending.get(request.id) === pending) this.#watchPatience(pending);
    }, wait).unref();
  }

  #patienceFor(kind: RequestKind): number {
    const { permissionMs, questionMs, reviewMs = 0 } = this.#patience;
    if (kind === 'review') return reviewMs;
    return kind === 'permission' ? permissionMs : questionMs;
  }

  async #end(waiting: readonly Pending[], kind: 'cancelled' | 'void', reason: string): Promise<void> {
    await Promise.all(waiting.map(({ request }) => this.#settle(request.id, { kind, at: this.#now(), reason })));
  }

  #of(sessionId: SessionId): Pending[] {
    return [...this.#pending.values()].filter(({ request, settling }) => request.sessionId === sessionId && !settling);
  }

  /** The request as it ended, or undefined when another end was first. */
  async #settle(
    id: RequestId,
    state: Exclude<RequestState, { kind: 'pending' }>,
    by?: Answerer,
  ): Promise<StoredRequest | undefined> {
    const pending = this.#pending.get(id);
    if (!pending || pending.settling) return undefined;
    pending.settling = true;
    const answerTrace = namedTrace();
    return underTrace(pending.trace, () => this.#settleFirst(pending, state, { by, answerTrace }));
  }

  async #settleFirst(
    pending: Pending,
    state: Exclude<RequestState, { kind: 'pending' }>,
    { by, answerTrace }: { readonly by: Answerer | undefined; readonly answerTrace: TraceId | undefined },
  ): Promise<StoredRequest | undefined> {
    const { id } = pending.request;
    try {
      const late = by === TIME_OUT;
      const fact = settledFact(pending.request, state, by && { label: by.label, late, answerTrace });
      // Called together, so that they are written together: an answer counts when both are on disk.
      const kept = state.kind === 'answered' ? pending.onAnswer?.(state.result, by) : undefined;
      const [settled] = await Promise.all([this.#store.settle(id, state), this.#audit.record(fact), kept]);
      if (!settled) {
        pending.settling = false;
        this.#abandon(id);
        return undefined;
      }
    } catch (error) {
      pending.settling = false;
      throw error;
    }
    return this.#settled(pending, state, by);
  }

  /** The store does not have the request as pending: no answer could count, so the agent is told `cancelled`. */
  #abandon(id: RequestId): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    const state = { kind: 'cancelled', at: this.#now(), reason: 'the request could not be stored' } as const;
    underTrace(pending.trace, () => this.#audit.note(settledFact(pending.request, state, undefined)));
    this.#settled(pending, state);
  }

  #settled(pending: Pending, state: Exclude<RequestState, { kind: 'pending' }>, by?: Answerer): StoredRequest {
    clearTimeout(pending.timer);
    this.#pending.delete(pending.request.id);
    const request = { ...pending.request, state };
    pending.onSettled(request, state, by);
    return request;
  }
}
