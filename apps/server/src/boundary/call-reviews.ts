import type { ReviewParams, ReviewResult } from '@reeve/protocol';
import type { StoredRequest } from '../requests/request-store.ts';
import type { ReviewSubject } from './review-subject.ts';
import type { CallAnswerer, CallApproval, CallQuestion } from './server-guard.ts';
import type { SessionGround } from './session-ground.ts';

interface AskedCall {
  request: StoredRequest | undefined;
  readonly answered: PromiseWithResolvers<CallApproval>;
}

/**
 * Single calls that a person must approve, by key. An answer that comes when nobody waits any more counts for the same call sent again,
 * once.
 */
export class CallReviews {
  readonly #ground: SessionGround;
  readonly #subject: () => ReviewSubject;
  readonly #asked = new Map<string, AskedCall>();

  constructor(ground: SessionGround, subject: () => ReviewSubject) {
    this.#ground = ground;
    this.#subject = subject;
  }

  async ask(question: CallQuestion, signal: AbortSignal): Promise<CallApproval> {
    const { key } = question;
    const asked = this.#asked.get(key) ?? this.#open(question);
    if (asked === undefined) return { kind: 'denied' };
    const aborted = Promise.withResolvers<CallApproval>();
    const abort = (): void => aborted.resolve({ kind: 'pending', ...idOf(asked.request) });
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    const approved = await Promise.race([asked.answered.promise, aborted.promise]);
    signal.removeEventListener('abort', abort);
    if (approved.kind !== 'pending') this.#asked.delete(key);
    return approved;
  }

  drop(key: string, reason: string): void {
    const asked = this.#asked.get(key);
    this.#asked.delete(key);
    if (!asked?.request) return;
    const { broker, onFailure } = this.#ground.services;
    broker.cancel(asked.request.id, reason).catch((error: unknown) => onFailure(error, 'a review could not be ended'));
  }

  /** Undefined where too many requests wait already. */
  #open({ call, key, outcome, shown: words }: CallQuestion): AskedCall | undefined {
    const { session, services } = this.#ground;
    const { broker, limits } = services;
    if (session === undefined || broker.pendingOf(session).length >= limits.maxPendingRequests) return undefined;
    const { shown, tools } = this.#subject();
    const params: ReviewParams = {
      review: 'call',
      approval: outcome === 'ask_admin' ? 'administrator' : 'user',
      server: shown,
      ...(tools === undefined ? {} : { tools }),
      call: {
        method: call.method,
        ...(call.tool === undefined ? {} : { tool: call.tool }),
        ...(words === undefined ? {} : { arguments: words }),
      },
      scopes: ['session'],
    };
    const asked: AskedCall = { request: undefined, answered: Promise.withResolvers() };
    this.#asked.set(key, asked);
    asked.request = broker.openReview(session, params, {
      onAnswer: async () => {},
      onSettled: (_request, state, by) => {
        const approved = state.kind === 'answered' && (state.result as ReviewResult).decision === 'approve';
        const request = idOf(asked.request);
        asked.answered.resolve(
          approved ? { kind: 'approved', by: by?.label ?? 'reeve', ...request } : deniedBy(by?.label, request),
        );
        if (state.kind !== 'answered' && this.#asked.get(key) === asked) this.#asked.delete(key);
      },
    });
    return asked;
  }
}

function deniedBy(by: string | undefined, request: CallAnswerer): CallApproval {
  return { kind: 'denied', ...(by === undefined ? {} : { by }), ...request };
}

function idOf(request: StoredRequest | undefined): Pick<CallAnswerer, 'request'> {
  return request === undefined ? {} : { request: request.id };
}
