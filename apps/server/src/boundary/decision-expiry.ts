import { underOwnTrace } from '../audit/trace-scope.ts';
import type { ServerView } from './server-view.ts';
import type { GuardServices } from './session-ground.ts';

/** Longest wait of a timer; what expires later is looked at again then. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Takes back what was decided about a server for a time, as soon as that is over. */
export class DecisionExpiry implements Disposable {
  readonly #services: GuardServices;
  readonly #view: ServerView;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(services: GuardServices, view: ServerView) {
    this.#services = services;
    this.#view = view;
  }

  /** Waits for what expires next, by the decisions as they are now. */
  watch(): void {
    clearTimeout(this.#timer);
    const { now, book, onFailure } = this.#services;
    const next = this.#view.nextExpiry();
    if (next === undefined || this.#ended) return;
    this.#timer = setTimeout(
      () =>
        underOwnTrace(() => book.expire(this.#view.fingerprint)).then(
          () => this.watch(),
          (error: unknown) => onFailure(error, 'an expired grant could not be removed'),
        ),
      Math.min(MAX_TIMER_MS, Math.max(0, next - now())),
    ).unref();
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }
}
