import type { ServerState } from '../server-status.ts';

/** Whether a server can be called: what a call that needs it is told. */
export type Readiness = { readonly kind: 'open' } | { readonly kind: 'unavailable'; readonly text: string };

/** The state of one server, and who waits for another one. */
export class Availability {
  readonly #name: string;
  readonly #onChange: () => void;
  readonly #waiting = new Set<() => void>();
  #state: ServerState = 'waiting';
  #lastError: string | undefined;

  /** @param name of the server, for texts */
  constructor(name: string, onChange: () => void) {
    this.#name = name;
    this.#onChange = onChange;
  }

  get state(): ServerState {
    return this.#state;
  }

  /** Why it ended last, or is not there. */
  get lastError(): string | undefined {
    return this.#lastError;
  }

  /** @param error why, where that is news; without a word the one before stays, but for a refusal that is over */
  become(state: ServerState, error = this.#state === 'refused' ? undefined : this.#lastError): void {
    if (this.#state === state && this.#lastError === error) return;
    this.#state = state;
    this.#lastError = error;
    this.#onChange();
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Resolves when it can be called, when it is known that it cannot, or after `patienceMs`. Rejects with the signal's reason. */
  async ready(patienceMs: number, signal: AbortSignal): Promise<Readiness> {
    const until = performance.now() + patienceMs;
    for (;;) {
      signal.throwIfAborted();
      if (this.#state === 'running') return { kind: 'open' };
      const left = until - performance.now();
      const settled = this.#state === 'refused' || this.#state === 'failed' || this.#state === 'stopped';
      if (settled || left <= 0) return { kind: 'unavailable', text: this.unavailable() };
      await this.#changed(left, signal);
    }
  }

  /** What a call is told while the server is not open, with the next step. */
  unavailable(): string {
    const server = `The MCP server "${this.#name}"`;
    switch (this.#state) {
      case 'waiting':
        return `${server} waits for a person to admit it: try again later.`;
      case 'refused':
        return `${server} was not admitted: ${this.#lastError}`;
      case 'failed':
        return `${server} has failed: ${this.#lastError}. "reeve servers show ${this.#name}" tells more; go on without it.`;
      case 'stopped':
        return `${server} has ended with its session.`;
      default:
        return this.#lastError === undefined
          ? `${server} is not ready yet: try again later.`
          : `${server} is not ready yet: try again later. Its last end: ${this.#lastError}.`;
    }
  }

  async #changed(withinMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    const wake = () => resolve();
    this.#waiting.add(wake);
    signal.addEventListener('abort', wake, { once: true });
    await promise;
    signal.removeEventListener('abort', wake);
    this.#waiting.delete(wake);
    clearTimeout(timer);
  }
}
