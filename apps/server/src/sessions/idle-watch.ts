export interface IdleWatchOptions {
  /** Somebody needs the session: clients, turns, a restore that runs. */
  readonly isUsed: () => boolean;
  /** How long an unused session waits; 0 when it has no process to free. */
  readonly waitMs: () => number;
  readonly onIdle: () => void;
}

/** Without clients and without work the process is freed after a while; without a process nothing needs to stay in memory. */
export class IdleWatch {
  readonly #options: IdleWatchOptions;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #holds = 0;

  constructor(options: IdleWatchOptions) {
    this.#options = options;
  }

  /** Something changed: the wait begins anew, if nobody needs the session. */
  look(): void {
    const { isUsed, waitMs, onIdle } = this.#options;
    this.pause();
    if (this.#stopped || this.#holds > 0 || isUsed()) return;
    this.#timer = setTimeout(() => {
      if (!isUsed()) onIdle();
    }, waitMs()).unref();
  }

  /** Somebody works on it who needs no client and no turn; until the last of them is done it does not end. */
  hold(): Disposable {
    this.#holds += 1;
    this.pause();
    return {
      [Symbol.dispose]: () => {
        this.#holds -= 1;
        this.look();
      },
    };
  }

  /** Somebody came. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** The session ends: never again. */
  stop(): void {
    this.#stopped = true;
    this.pause();
  }
}
