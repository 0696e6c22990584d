import type { ReviewParams, ReviewResult } from '@reeve/protocol';
import type { Answerer } from '../requests/request-broker.ts';
import type { StoredRequest } from '../requests/request-store.ts';
import { applyReview, undecidedAfter } from './apply-review.ts';
import { reviewGiven, reviewRoot } from './describe-server.ts';
import type { GivenRoot } from './given-roots.ts';
import type { ReviewSubject } from './review-subject.ts';
import type { SessionGround } from './session-ground.ts';
import type { UndecidedRoot } from './stand-roots.ts';

/** One review of a server, through all its requests: it is asked anew when there is more to ask. */
export interface OpenReview {
  /** A question about roots becomes one about the server where that has to be asked. */
  kind: 'server' | 'root';
  readonly approval: 'user' | 'administrator';
  /** `ended`: without an answer. */
  state: 'unasked' | 'asked' | 'approved' | 'denied' | 'ended';
  by?: string;
  request?: StoredRequest;
  roots: readonly UndecidedRoot[];
  /** What the server has anyway, once it runs. */
  given: readonly GivenRoot[];
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
  askServer(
    approval: OpenReview['approval'],
    roots: readonly UndecidedRoot[],
    given: readonly GivenRoot[],
  ): OpenReview {
    return this.#ask('server', approval, { roots, given });
  }

  /** Asks for roots. False when nobody is asked about any of them any more. */
  askRoots(undecided: readonly UndecidedRoot[]): boolean {
    let waiting = false;
    for (const approval of ['user', 'administrator'] as const) {
      const roots = undecided.filter((one) => one.approval === approval && !this.#unanswered.has(one.root.path));
      if (roots.length === 0) continue;
      const { state } = this.#ask('root', approval, { roots, given: [] });
      waiting ||= state === 'unasked' || state === 'asked';
    }
    return waiting;
  }

  #ask(
    kind: OpenReview['kind'],
    approval: OpenReview['approval'],
    what: Pick<OpenReview, 'roots' | 'given'>,
  ): OpenReview {
    const known = this.#open.get(approval);
    const review: OpenReview = known ?? { kind, approval, state: 'unasked', ...what };
    this.#open.set(approval, review);
    const asked = new Set([...review.roots, ...review.given].map(keyOf));
    const more = [...what.roots, ...what.given].some((one) => !asked.has(keyOf(one)));
    const another = kind === 'server' && review.kind === 'root';
    if (another) review.kind = kind;
    if (more || another) {
      review.roots = joined(review.roots, what.roots);
      if (review.kind === kind) review.given = what.given;
    }
    if (review.state === 'unasked' || more || another) this.#request(review);
    return review;
  }

  #request(review: OpenReview): void {
    const { session, services } = this.#ground;
    if (session === undefined) return;
    const { server, shown, tools } = this.#subject();
    // An answer is to what was shown, whatever joins the review meanwhile.
    const { kind, roots, given } = review;
    const told = [...roots.map(reviewRoot), ...given.map(reviewGiven)];
    const before = review.request;
    if (!before && services.broker.pendingOf(session).length >= services.limits.maxPendingRequests) {
      services.onFailure(new Error('limits.maxPendingRequests'), 'a review was not asked: too many requests wait');
      return this.#end(review, 'ended');
    }
    const params: ReviewParams = {
      review: kind,
      approval: review.approval,
      server: shown,
      ...(told.length === 0 ? {} : { roots: told }),
      ...(tools === undefined ? {} : { tools }),
      scopes: ['session', 'project', 'always'],
    };
    const request: StoredRequest = services.broker.openReview(session, params, {
      onAnswer: async (result, by) => {
        const reviewed = { kind, server, roots, given, named: false, request: request.id };
        const answer = result as ReviewResult;
        // First, so that nothing is started that was not shown.
        if (kind === 'server' && answer.decision === 'approve' && shown.package !== undefined)
          await services.packages?.approve(server.fingerprint, shown.package);
        await applyReview(this.#ground, reviewed, answer, actorOf(by));
      },
      onSettled: (_request, state, by) => {
        // Asked anew with more.
        if (review.request?.id !== request.id) return;
        const answer = state.kind === 'answered' ? (state.result as ReviewResult) : undefined;
        if (review.state === 'asked') {
          review.by = by?.label ?? (state.kind === 'answered' ? state.by : 'reeve');
          this.#end(review, answer ? (answer.decision === 'approve' ? 'approved' : 'denied') : 'ended');
        }
        const left = answer ? undecidedAfter(roots, answer) : [];
        if (left.length > 0) this.#ask('root', review.approval, { roots: left, given: [] });
      },
    });
    review.request = request;
    review.state = 'asked';
    if (before)
      services.broker.cancel(before.id, `asked again with all there is to decide: ${request.id}`).catch(this.#failed);
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

function keyOf({ root }: Pick<UndecidedRoot, 'root'>): string {
  return `${root.access} ${root.path}`;
}

function joined(before: readonly UndecidedRoot[], more: readonly UndecidedRoot[]): readonly UndecidedRoot[] {
  const paths = new Set(more.map(({ root }) => root.path));
  return [...before.filter(({ root }) => !paths.has(root.path)), ...more];
}
