import { encodeNotification, isObject, type JsonObject, type SessionId } from '@reeve/protocol';

/** What the foreground needs of its session. */
export interface ForegroundHost {
  readonly sessionId: SessionId;
  /** Writes an update of Reeve's own into the log, for all who look on. */
  append(message: Buffer): void;
  /** It became busy or idle. */
  onChange(): void;
  /** The work was cancelled: what it asked of people is of no use to it any more. */
  onCancelled(): void;
}

/**
 * What a session of ACP v2 is doing, as its agent tells it in `state_update` (ACP v2, `StateUpdate`). A session of v1 never tells: there
 * it stays idle, and turns are counted by their prompts.
 *
 *   idle ──running | requires_action | a state unknown to us──▶ busy ──idle──▶ idle
 */
export class Foreground {
  readonly #host: ForegroundHost;
  readonly #waiting = new Set<() => void>();
  /** The last `state_update`, as the agent or Reeve gave it. */
  #last: JsonObject = IDLE;
  #runs = 0;
  #interruptions = 0;

  constructor(host: ForegroundHost) {
    this.#host = host;
  }

  /** Work goes on in the foreground. */
  get busy(): boolean {
    return this.#last.state !== 'idle';
  }

  /** The work waits for a person. */
  get blocked(): boolean {
    return this.#last.state === 'requires_action';
  }

  /** The agent said that something goes on beside the foreground. */
  get background(): boolean {
    return Array.isArray(this.#last.background) && this.#last.background.length > 0;
  }

  /** Why the work stopped that ended last; undefined while it goes on, and where that was not said. */
  get stopReason(): string | undefined {
    const { stopReason } = this.#last;
    return typeof stopReason === 'string' ? stopReason : undefined;
  }

  /** How often the foreground was busy and became idle again. */
  get runs(): number {
    return this.#runs;
  }

  /** How often work that had not begun yet was made impossible: the agent is gone, or the session ended. */
  get interruptions(): number {
    return this.#interruptions;
  }

  /** A `state_update` of the agent. A repeated one is no new end (ACP v2, `IdleStateUpdate`). */
  follow(update: JsonObject): void {
    const wasBusy = this.busy;
    this.#last = update;
    if (wasBusy === this.busy) return;
    if (wasBusy) {
      this.#runs += 1;
      if (update.stopReason === 'cancelled') this.#host.onCancelled();
    }
    this.#host.onChange();
    this.#wake();
  }

  /** The state as a client is told it that comes now (ACP v2, `ResumeSessionResponse`). */
  snapshot(): Buffer {
    return this.#message(this.#last);
  }

  /** The agent can end its work no more: Reeve says that it ended, where it goes on. */
  settle(
    how: { readonly stopReason: 'cancelled' } | { readonly stopReason: 'error'; readonly error: JsonObject },
  ): void {
    if (this.busy) {
      const update = { ...IDLE, ...how };
      this.#host.append(this.#message(update));
      return this.follow(update);
    }
    this.#interruptions += 1;
    this.#wake();
  }

  /** Resolves when `isOver` says so, which is asked at once and whenever the foreground became busy or idle, or cannot become busy. */
  until(isOver: () => boolean, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (!isOver() && !signal?.aborted) return;
      this.#waiting.delete(look);
      signal?.removeEventListener('abort', look);
      resolve();
    };
    this.#waiting.add(look);
    signal?.addEventListener('abort', look);
    look();
    return promise;
  }

  /** The session ends: gives the agent `graceMs` to end its work, then says that it was cancelled. */
  async finish(graceMs: number): Promise<void> {
    if (this.busy && graceMs > 0) await this.until(() => !this.busy, AbortSignal.timeout(graceMs));
    this.settle({ stopReason: 'cancelled' });
  }

  #wake(): void {
    for (const look of [...this.#waiting]) look();
  }

  #message(update: JsonObject): Buffer {
    return Buffer.from(encodeNotification('session/update', { sessionId: this.#host.sessionId, update }));
  }
}

const IDLE: JsonObject = { sessionUpdate: 'state_update', state: 'idle' };

/** Updates that tell how things stand and are no history: they are left out where it is replayed (ACP v2, `StateUpdate`, `Notice`). */
export function isMomentary(update: unknown): boolean {
  return isObject(update) && (update.sessionUpdate === 'state_update' || update.sessionUpdate === 'notice');
}
