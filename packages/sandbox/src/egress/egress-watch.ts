import type { EgressDecision } from './egress-decision.ts';

export type OnEgress = (decision: EgressDecision) => void;

/** The same host and port are told once in this time. */
const AGAIN_AFTER_MS = 60_000;
/** Of one process in that time: a program may ask for a new name each time. */
const MAX_TOLD = 30;

/**
 * What one process was refused of the network, for people: each host and port once a minute, and no more than thirty in it. What came
 * before somebody listened is told then.
 */
export class EgressWatch {
  readonly #onRefused: OnEgress;
  readonly #now: () => number;
  readonly #told = new Set<string>();
  #since = Number.NEGATIVE_INFINITY;
  #early: EgressDecision[] = [];
  #listener: OnEgress | undefined;

  /** `onRefused` sees what a listener sees, at once. `now`: milliseconds. */
  constructor(onRefused: OnEgress, now: () => number = Date.now) {
    this.#onRefused = onRefused;
    this.#now = now;
  }

  see(decision: EgressDecision): void {
    if (decision.decision === 'allowed' || !this.#isNews(decision)) return;
    this.#onRefused(decision);
    if (this.#listener) this.#listener(decision);
    else if (this.#early.length < MAX_TOLD) this.#early.push(decision);
  }

  /** From now on `listener` is told, what came before first. */
  listen(listener: OnEgress): void {
    this.#listener = listener;
    for (const decision of this.#early) listener(decision);
    this.#early = [];
  }

  #isNews({ host, port, decision }: EgressDecision): boolean {
    const now = this.#now();
    if (now - this.#since >= AGAIN_AFTER_MS) {
      this.#since = now;
      this.#told.clear();
    }
    const what = `${decision} ${host}:${port}`;
    if (this.#told.has(what) || this.#told.size >= MAX_TOLD) return false;
    this.#told.add(what);
    return true;
  }
}
