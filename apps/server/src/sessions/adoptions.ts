import type { SessionId } from '@reeve/protocol';

/** How the agent opened it: `load` gave its history, which is in our log now, `resume` none. */
export type AdoptedBy = 'load' | 'resume';

/** The sessions of agents that are being taken over just now, so that each is taken over once. */
export class Adoptions {
  readonly #running = new Map<SessionId, Promise<AdoptedBy>>();

  /** The one that runs for that id. */
  running(sessionId: SessionId): Promise<AdoptedBy> | undefined {
    return this.#running.get(sessionId);
  }

  /** Runs `adopt` unless one runs for that id: who comes meanwhile shares what becomes of it. */
  once(sessionId: SessionId, adopt: () => Promise<AdoptedBy>): Promise<AdoptedBy> {
    const running = this.#running.get(sessionId);
    if (running) return running;
    const adopting = adopt().finally(() => this.#running.delete(sessionId));
    this.#running.set(sessionId, adopting);
    return adopting;
  }
}
