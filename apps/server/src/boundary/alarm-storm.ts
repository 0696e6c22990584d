import type { BoundaryAlarm } from './boundaries.ts';

/** One alarm, for itself and for those like it that came after the last one. */
export interface CountedAlarm extends BoundaryAlarm {
  /** At least 1. */
  readonly count: number;
}

export interface AlarmStormOptions {
  /** Sees the first alarm of a server at once, and then no more than one in each `windowMs`. */
  readonly emit: (alarm: CountedAlarm) => void;
  readonly windowMs?: number;
}

/** What came of one server of one session within the time. */
interface Storm {
  last: BoundaryAlarm;
  count: number;
  readonly timer: NodeJS.Timeout;
}

const WINDOW_MS = 10_000;

/**
 * Makes one alarm of a storm: a server that is refused a thousand times is one matter. The last of a storm is told with the number that
 * it stands for, also when the storm is disposed of.
 */
export class AlarmStorm implements Disposable {
  readonly #emit: AlarmStormOptions['emit'];
  readonly #windowMs: number;
  readonly #storms = new Map<string, Storm>();

  constructor({ emit, windowMs = WINDOW_MS }: AlarmStormOptions) {
    this.#emit = emit;
    this.#windowMs = windowMs;
  }

  raise(alarm: BoundaryAlarm): void {
    const of = `${alarm.session} ${alarm.server.fingerprint} ${alarm.server.name}`;
    const storm = this.#storms.get(of);
    if (storm !== undefined) {
      storm.last = alarm;
      storm.count += 1;
      return;
    }
    this.#begin(of, alarm);
    this.#emit({ ...alarm, count: 1 });
  }

  [Symbol.dispose](): void {
    for (const [of, { timer }] of [...this.#storms]) {
      clearTimeout(timer);
      this.#end(of);
    }
  }

  #begin(of: string, alarm: BoundaryAlarm): void {
    const timer = setTimeout(() => {
      const last = this.#end(of);
      // It goes on: the next one waits as long.
      if (last !== undefined) this.#begin(of, last);
    }, this.#windowMs);
    timer.unref();
    this.#storms.set(of, { last: alarm, count: 0, timer });
  }

  #end(of: string): BoundaryAlarm | undefined {
    const storm = this.#storms.get(of);
    this.#storms.delete(of);
    if (storm === undefined || storm.count === 0) return undefined;
    this.#emit({ ...storm.last, count: storm.count });
    return storm.last;
  }
}
