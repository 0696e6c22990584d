import { type PacedSpec, pacedText, wallClockMs } from '@reeve/testkit';

export interface PacedTurn {
  readonly spec: PacedSpec;
  readonly write: (text: string) => void;
  /** After the last update was written. */
  readonly done: () => void;
}

/** How much later than planned updates were written, ms: what the player's own process waited for a core. */
export interface Lateness {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface Running extends PacedTurn {
  readonly startMs: number;
  next: number;
}

/** Share of the interval between two updates by which an agent starts later than the one before it (golden ratio): never in step. */
const PHASE = 0.618034;

/** Writes the updates of all turns on time, with one timer. `onLate` is told of each update past its turn's first second. */
export function createPacer(onLate: (lateMs: number) => void): { start(turn: PacedTurn): void } {
  const running = new Set<Running>();
  let started = 0;
  const tick = (): void => {
    for (const turn of running) {
      const { spec, startMs } = turn;
      const dueMs = startMs + (turn.next * 1000) / spec.perSecond;
      const sentAtMs = wallClockMs();
      if (dueMs > sentAtMs) continue;
      if (turn.next >= spec.perSecond) onLate(sentAtMs - dueMs);
      turn.write(pacedText(spec, { index: turn.next++, sentAtMs }));
      if (turn.next < Math.round(spec.perSecond * spec.seconds)) continue;
      running.delete(turn);
      turn.done();
    }
    if (running.size > 0) setTimeout(tick, 1);
  };
  return {
    start(turn) {
      const phase = (started++ * PHASE) % 1;
      running.add({ ...turn, startMs: wallClockMs() + (phase * 1000) / turn.spec.perSecond, next: 0 });
      if (running.size === 1) setTimeout(tick, 1);
    },
  };
}
