import type { ScopeChange } from '../../boundary/server-guard.ts';

/** That a server is to be started anew in another scope: why, and who waits for it. */
export class Replacement {
  #running = false;
  #because: ScopeChange | undefined;
  #asked = Promise.withResolvers<void>();
  /** Told when the next one has started, or nothing of it runs. */
  #waiting: (() => void)[] = [];

  /** A process or connection may be there. */
  get running(): boolean {
    return this.#running;
  }

  /** Why the one that comes next is another one. */
  get because(): ScopeChange | undefined {
    return this.#because;
  }

  /** Resolves when the one that runs is to end for another one. */
  get asked(): Promise<void> {
    return this.#asked.promise;
  }

  /** Resolves when another one has started in its present scope, or nothing of it runs. */
  async ask(because: ScopeChange): Promise<void> {
    this.#because = because;
    if (!this.#running) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    this.#asked.resolve();
    await promise;
  }

  /** The next one is about to start. `started`: tells those who have waited until now that it has. */
  begin(): { readonly because: ScopeChange | undefined; readonly started: () => void } {
    const because = this.#because;
    const waiting = this.#waiting;
    this.#because = undefined;
    this.#waiting = [];
    this.#asked = Promise.withResolvers();
    this.#running = true;
    return {
      because,
      started: () => {
        for (const done of waiting) done();
      },
    };
  }

  /** The one that comes next is asked about anew. */
  forget(): void {
    this.#because = undefined;
  }

  /** Nothing of it runs: whoever waits for a narrower start has what they wait for. */
  gone(): void {
    this.#running = false;
    for (const done of this.#waiting) done();
    this.#waiting = [];
  }
}
