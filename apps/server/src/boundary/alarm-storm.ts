export interface AlarmStormOptions<Alarm> {
  /** Sees the first alarm at once, and then no more than one in each `windowMs`, with the number that it stands for. */
  readonly emit: (alarm: Alarm, count: number) => void;
  readonly windowMs?: number;
}

const WINDOW_MS = 10_000;

/**
 * Makes one alarm of a storm: a server that is refused a thousand times is one matter. The last of a storm is told with the number that
 * it stands for, also when the storm is disposed of.
 */
export class AlarmStorm<Alarm> implements Disposable {
  readonly #emit: AlarmStormOptions<Alarm>['emit'];
  readonly #windowMs: number;
  #timer: NodeJS.Timeout | undefined;
  /** What came since the last one was told. */
  #waiting: { readonly last: Alarm; readonly count: number } | undefined;

  constructor({ emit, windowMs = WINDOW_MS }: AlarmStormOptions<Alarm>) {
    this.#emit = emit;
    this.#windowMs = windowMs;
  }

  raise(alarm: Alarm): void {
    if (this.#timer !== undefined) {
      this.#waiting = { last: alarm, count: (this.#waiting?.count ?? 0) + 1 };
      return;
    }
    this.#wait();
    this.#emit(alarm, 1);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#tell();
  }

  #wait(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      // It goes on: the next one waits as long.
      if (this.#waiting !== undefined) this.#wait();
      this.#tell();
    }, this.#windowMs);
    this.#timer.unref();
  }

  #tell(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.#emit(waiting.last, waiting.count);
  }
}
