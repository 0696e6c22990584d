import { once } from 'node:events';
import type { Benchmark, Figure, Goal } from '../benchmark.ts';
import { inTurns } from '../rounds.ts';
import { BARE, CONFINED, CONTAINED, LISTED, openStarters, type Starter } from '../sandboxes/starters.ts';
import { median, medianRatio, quantile } from '../statistics.ts';

const GOAL_MS = 15;

export const sandboxedStart: Benchmark = {
  name: 'sandboxed-start',
  title: 'From the start of a program to its first byte, in a sandbox and without',
  async run({ quick, rounds, note }) {
    await using opened = await openStarters();
    const { starters, remarks } = opened;
    for (const starter of starters) await firstByteMs(starter);
    const times = new Map<string, number[]>(starters.map(({ name }) => [name, []]));
    const halves = new Map<string, number[]>(starters.map(({ name }) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      const ofRound = new Map<string, number[]>(starters.map(({ name }) => [name, []]));
      // One start of each after the other, so that each has the machine of its neighbours.
      await inTurns(starters, quick ? 5 : 40, async (starter) => {
        ofRound.get(starter.name)?.push(await firstByteMs(starter));
      });
      for (const [name, taken] of ofRound) {
        times.get(name)?.push(...taken);
        halves.get(name)?.push(quantile(taken, 0.5));
        note(`round ${round + 1}: ${name} p50 ${quantile(taken, 0.5).toFixed(2)} ms`);
      }
    }
    const bare = times.get(BARE) ?? [];
    const figures = [...halves].map(
      ([who, samples]): Figure => ({ who, what: 'start to first byte, p50', unit: 'ms', samples }),
    );
    const goals = [CONTAINED, CONFINED, LISTED].flatMap((name): Goal[] => {
      const own = times.get(name);
      if (own === undefined) return [];
      const added = median(own.map((value, at) => value - (bare[at] as number)));
      return [
        {
          what: `start, ${name}, added to bare, p50`,
          goal: `≤ ${GOAL_MS} ms`,
          value: `${added.toFixed(1)} ms (${medianRatio(own, bare).toFixed(1)} ×)`,
          met: added <= GOAL_MS,
        },
      ];
    });
    return { figures, goals, faults: [], remarks };
  },
};

async function firstByteMs({ start }: Starter): Promise<number> {
  const startedAt = performance.now();
  await using child = await start('/bin/echo', ['x']);
  await once(child.stdout, 'data');
  return performance.now() - startedAt;
}
