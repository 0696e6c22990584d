import type { ReviewParams, ReviewResult, ReviewServer, ReviewTools } from '@reeve/protocol';
import type { ServerFact } from '../audit/governance-fact.ts';
import type { Answerer } from '../requests/request-broker.ts';
import type { StoredRequest } from '../requests/request-store.ts';
import { applyReview } from './apply-review.ts';
import { reviewRoot } from './describe-server.ts';
import type { SessionGround } from './session-ground.ts';
import type { UndecidedRoot } from './stand-roots.ts';

/** One review of a server, through all its requests: it is asked anew when there is more to ask. */
export interface OpenReview {
  readonly kind: 'server' | 'root';
  readonly approval: 'user' | 'administrator';
  /** `ended`: without an answer. */
  state: 'unasked' | 'asked' | 'approved' | 'denied' | 'ended';
  by?: string;
  request?: StoredRequest;
  roots: readonly UndecidedRoot[];
}

/** The server as it is shown at the time of asking. */
export interface ReviewSubject {
  readonly server: ServerFact;
  readonly shown: ReviewServer;
  readonly tools: ReviewTools | undefined;
}

/**
 * What people are asked about one server: one request at a time for each who must say yes. Roots that come while it is open join it.
 * Requests need the session to have a name; until then they are held back.
 */
export class ServerReviews {
  readonly #ground: SessionGround;
  readonly #subject: () => ReviewSubject;
  readonly #open = new Map<OpenReview['approval'], OpenReview>();
  /** Roots that were asked about and came back without an answer: not asked about again by themselves. */
  readonly #unanswered = new Set<string>();
  #changed = Promise.withResolvers<void>();

  constructor(ground: SessionGround, subject: () => ReviewSubject) {
    this.#ground = ground;
    this.#subject = subject;
  }

  /** Something was answered, ended, or can be asked now; or `signal` aborted. */
  async change(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const aborted = Promise.withResolvers<void>();
    const abort = (): void => aborted.resolve();
    signal.addEventListener('abort', abort, { once: true });
    await Promise.race([this.#changed.promise, aborted.promise]);
    signal.removeEventListener('abort', abort);
  }

  /** Whoever waits looks again. */
  touch(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Roots that came back without an answer are asked about again from now on. */
  again(): void {
    this.#unanswered.clear();
  }

  /** Takes back what nobody needs to answer any more: reviews of roots none of which is undecided. */
  prune(undecided: readonly UndecidedRoot[]): void {
    const left = new Set(undecided.map(({ root }) => root.path));
    for (const review of this.#open.values()) {
      if (review.kind === 'root' && review.roots.every(({ root }) => !left.has(root.path))) this.drop(review);
    }
  }

  /** Takes a review back, if it still waits. */
  drop(review: OpenReview): void {
    if (this.#open.get(review.approval) === review) this.#open.delete(review.approval);
    if (review.state !== 'asked' || !review.request) return;
    review.state = 'ended';
    this.#ground.services.broker.cancel(review.request.id, 'it is decided otherwise').catch(this.#failed);
  }

  /** Asks whether the server may run, and for the roots with it. */
  askServer(approval: OpenReview['approval'], roots: readonly UndecidedRoot[]): OpenReview {
    return this.#ask(
      'server',
      approval,
      roots.filter((root) => root.approval === approval),
    );
  }

  /** Asks for roots. False when nobody is asked about any of them any more. */
  askRoots(undecided: readonly UndecidedRoot[]): boolean {
    let waiting = false;
    for (const approval of ['user', 'administrator'] as const) {
      const roots = undecided.filter((one) => one.approval === approval && !this.#unanswered.has(one.root.path));
      if (roots.length === 0) continue;
      const { state } = this.#ask('root', approval, roots);
      waiting ||= state === 'unasked' || state === 'asked';
    }
    return waiting;
  }

  #ask(kind: OpenReview['kind'], approval: OpenReview['approval'], roots: readonly UndecidedRoot[]): OpenReview {
    const known = this.#open.get(approval);
    const review: OpenReview = known ?? { kind, approval, state: 'unasked', roots };
    this.#open.set(approval, review);
    const asked = new Set(review.roots.map(({ root }) => `${root.access} ${root.path}`));
    const more = roots.some(({ root }) => !asked.has(`${root.access} ${root.path}`));
    if (more) review.roots = joined(review.roots, roots);
    if (review.state === 'unasked' || more) this.#request(review);
    return review;
  }

  #request(review: OpenReview): void {
    const { session, services } = this.#ground;
    if (session === undefined) return;
    const { server, shown, tools } = this.#subject();
    const before = review.request;
    if (!before && services.broker.pendingOf(session).length >= services.limits.maxPendingRequests) {
      services.onFailure(new Error('limits.maxPendingRequests'), 'a review was not asked: too many requests wait');
      return this.#end(review, 'ended');
    }
    const params: ReviewParams = {
      review: review.kind,
      approval: review.approval,
      server: shown,
      ...(review.roots.length === 0 ? {} : { roots: review.roots.map(reviewRoot) }),
      ...(tools === undefined ? {} : { tools }),
      scopes: ['session', 'project', 'always'],
    };
    const request: StoredRequest = services.broker.openReview(session, params, {
      onAnswer: async (result, by) => {
        const { kind, roots } = review;
        const reviewed = { kind, server, roots, named: false, request: request.id };
        const answer = result as ReviewResult;
        // First, so that nothing is started that was not shown.
        if (kind === 'server' && answer.decision === 'approve' && shown.package !== undefined)
          await services.packages?.approve(server.fingerprint, shown.package);
        await applyReview(this.#ground, reviewed, answer, actorOf(by));
      },
      onSettled: (_request, state, by) => {
        // Asked anew with more, or taken back.
        if (review.request?.id !== request.id || review.state !== 'asked') return;
        if (state.kind !== 'answered') return this.#end(review, 'ended');
        review.by = by?.label ?? state.by;
        this.#end(review, (state.result as ReviewResult).decision === 'approve' ? 'approved' : 'denied');
      },
    });
    review.request = request;
    review.state = 'asked';
    if (before) services.broker.cancel(before.id, `asked again with more roots: ${request.id}`).catch(this.#failed);
  }

  readonly #failed = (error: unknown): void => this.#ground.services.onFailure(error, 'a review could not be ended');

  #end(review: OpenReview, state: 'approved' | 'denied' | 'ended'): void {
    review.state = state;
    if (this.#open.get(review.approval) === review) this.#open.delete(review.approval);
    if (state === 'ended') for (const { root } of review.roots) this.#unanswered.add(root.path);
    this.touch();
  }
}

export function actorOf(by: Answerer | undefined): { readonly label: string; readonly administrator: boolean } {
  return { label: by?.label ?? 'reeve', administrator: by?.administrator === true };
}

function joined(before: readonly UndecidedRoot[], more: readonly UndecidedRoot[]): readonly UndecidedRoot[] {
  const paths = new Set(more.map(({ root }) => root.path));
  return [...before.filter(({ root }) => !paths.has(root.path)), ...more];
}
