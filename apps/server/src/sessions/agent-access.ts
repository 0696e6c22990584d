import type { RestoredBy } from './agent-restore.ts';

/** What the access to an agent needs of its session. */
export interface AgentAccessHost {
  /** There is a process; it may have ended since. */
  has(): boolean;
  /** It lives. */
  lives(): boolean;
  /** Why it must be replaced, where nothing keeps it from being. */
  outdated(): string | undefined;
  /** Brings the session into a fresh process. */
  restore(): Promise<RestoredBy>;
}

/**
 * Who may have the agent of a session, and when. Whoever wants it gets a process that is the present one: it is restored where there is
 * none, replaced where it is outdated and has nothing to do, and waited for while somebody holds it.
 */
export class AgentAccess {
  readonly #host: AgentAccessHost;
  #restoring: Promise<RestoredBy> | undefined;
  #holds = 0;
  #released = Promise.withResolvers<void>();

  constructor(host: AgentAccessHost) {
    this.#host = host;
  }

  /** A process takes the session back. */
  get restoring(): boolean {
    return this.#restoring !== undefined;
  }

  /** The process may be spoken to at once, if it lives. */
  get open(): boolean {
    return !this.#restoring && this.#holds === 0 && this.#host.outdated() === undefined;
  }

  /** Resolves when there is a live process that is the present one: how it was restored, or undefined when it was there. */
  async wake(): Promise<RestoredBy | undefined> {
    let restored: RestoredBy | undefined;
    for (;;) {
      if (this.#holds > 0) await this.#released.promise;
      // While choices are set again nothing else may act on the agent: not a prompt in another mode than the one that was chosen.
      else if (this.open && (this.#host.lives() || (restored && this.#host.has()))) return restored;
      else {
        this.#restoring ??= this.#host.restore().finally(() => {
          this.#restoring = undefined;
        });
        restored = await this.#restoring;
      }
    }
  }

  /** Keeps everybody who wants the agent waiting until it is disposed of. */
  hold(): Disposable {
    this.#holds += 1;
    return {
      [Symbol.dispose]: () => {
        this.#holds -= 1;
        if (this.#holds > 0) return;
        this.#released.resolve();
        this.#released = Promise.withResolvers();
      },
    };
  }

  /** Resolves when no process is about to take the session back any more. */
  async restored(): Promise<void> {
    await this.#restoring?.catch(() => undefined);
  }
}
