/** Between the answer to `roots/list` and the next call: a server takes its new roots in after it has read them. */
const TAKEN_IN_MS = 30;

/**
 * How fresh the view is that a server of the old era has of its roots. It keeps what it fetched, and is told of a change by a
 * notification that it may ignore (MCP up to 2025-11-25, roots).
 */
export class RootsView {
  readonly #patienceMs: number;
  /** Of the last answer to its `roots/list` since it was started. */
  #fetched: number | undefined;
  /** It asked once, so it will again when it is started again: until then it may refuse what it was given. */
  #asks = false;
  #start = 0;
  #wanted = 0;
  #since = 0;
  #waiting: (() => void)[] = [];

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  started(revision: number): void {
    this.#start += 1;
    this.#fetched = undefined;
    this.#wanted = Math.max(this.#wanted, revision);
    this.#since = performance.now();
    this.#wake();
  }

  fetched(revision: number): void {
    this.#asks = true;
    const start = this.#start;
    const take = (): void => {
      if (start !== this.#start) return;
      this.#fetched = Math.max(this.#fetched ?? 0, revision);
      this.#wake();
    };
    if (this.isFresh) take();
    else setTimeout(take, TAKEN_IN_MS);
  }

  changed(revision: number): void {
    this.#wanted = Math.max(this.#wanted, revision);
    this.#since = performance.now();
  }

  /** It has fetched what it should know: nothing is to be waited for. */
  get isFresh(): boolean {
    return !this.#isStale && !this.#isEmpty;
  }

  /** Waits until the server has fetched what it should know; false when it has an older view and did not in time. */
  async fresh(signal: AbortSignal): Promise<boolean> {
    while (!this.isFresh && !signal.aborted) {
      const left = this.#since + this.#patienceMs - performance.now();
      if (left <= 0) break;
      await this.#changedWithin(left, signal);
    }
    return !this.#isStale;
  }

  get #isStale(): boolean {
    return this.#fetched !== undefined && this.#fetched < this.#wanted;
  }

  get #isEmpty(): boolean {
    return this.#asks && this.#fetched === undefined;
  }

  async #changedWithin(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#waiting.push(resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    clearTimeout(timer);
  }

  #wake(): void {
    for (const tell of this.#waiting) tell();
    this.#waiting = [];
  }
}
