import type { Benchmark, Figure, Goal } from '../benchmark.ts';
import { inTurns } from '../rounds.ts';
import { BARE, CONFINED, CONTAINED, LISTED, openStarters, type RunningProcess } from '../sandboxes/starters.ts';
import { medianRatio, quantile } from '../statistics.ts';

const GOAL_RATIO = 1.1;
/** Trips of one contestant before it is the next one's turn: few, so that all have the same machine. */
const TRIPS = 25;
const LINE = `${'x'.repeat(199)}\n`;

export const sandboxedRoundTrip: Benchmark = {
  name: 'sandboxed-round-trip',
  title: 'A line of 200 B to a program and back over stdio, in a sandbox and without',
  async run({ quick, rounds, note }) {
    await using opened = new AsyncDisposableStack();
    const { starters, remarks } = opened.use(await openStarters());
    const targets: { readonly name: string; readonly trip: () => Promise<void> }[] = [];
    for (const { name, start } of starters) {
      targets.push({ name, trip: echoedBy(opened.use(await start('/bin/cat', []))) });
    }
    for (const { trip } of targets) await take(trip, 500);

    const turns = new Map<string, number[]>(targets.map(({ name }) => [name, []]));
    const halves = new Map<string, number[]>(targets.map(({ name }) => [name, []]));
    const late = new Map<string, number[]>(targets.map(({ name }) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      const ofRound = new Map<string, number[]>(targets.map(({ name }) => [name, []]));
      await inTurns(targets, quick ? 10 : 100, async ({ name, trip }) => {
        const times = await take(trip, TRIPS);
        turns.get(name)?.push(quantile(times, 0.5));
        ofRound.get(name)?.push(...times);
      });
      for (const [name, times] of ofRound) {
        halves.get(name)?.push(quantile(times, 0.5) * 1000);
        late.get(name)?.push(quantile(times, 0.99) * 1000);
        note(`round ${round + 1}: ${name} p50 ${(quantile(times, 0.5) * 1000).toFixed(0)} µs`);
      }
    }
    const figures = targets.flatMap(({ name }): Figure[] => [
      { who: name, what: 'round trip, p50', unit: 'µs', samples: halves.get(name) ?? [] },
      { who: name, what: 'round trip, p99', unit: 'µs', samples: late.get(name) ?? [] },
    ]);
    const goals = [CONTAINED, CONFINED, LISTED].flatMap((name): Goal[] => {
      const own = turns.get(name);
      if (own === undefined) return [];
      const ratio = medianRatio(own, turns.get(BARE) ?? []);
      return [
        {
          what: `round trip, ${name}, against bare, p50`,
          goal: `≤ ${GOAL_RATIO} ×`,
          value: `${ratio.toFixed(2)} ×`,
          met: ratio <= GOAL_RATIO,
        },
      ];
    });
    return { figures, goals, faults: [], remarks };
  },
};

async function take(trip: () => Promise<void>, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const startedAt = performance.now();
    await trip();
    times.push(performance.now() - startedAt);
  }
  return times;
}

/** One line there and back; one at a time. */
function echoedBy({ stdin, stdout }: RunningProcess): () => Promise<void> {
  let missing = 0;
  let arrived = (): void => {};
  stdout.on('data', (chunk: Buffer) => {
    missing -= chunk.length;
    if (missing === 0) arrived();
  });
  return () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    missing = LINE.length;
    arrived = resolve;
    stdin.write(LINE);
    return promise;
  };
}
