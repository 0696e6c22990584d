import { setTimeout as delay } from 'node:timers/promises';
import type { Benchmark, Figure } from '../benchmark.ts';
import { residentMb } from '../processes.ts';
import { inTurns } from '../rounds.ts';
import { spawnReeve } from '../servers/reeve.ts';
import { SANDBOX_AGENT, spawnSandboxAgent } from '../servers/sandbox-agent.ts';
import { median } from '../statistics.ts';

interface Started {
  readonly startMs: number;
  readonly idleMb: number;
}

export const start: Benchmark = {
  name: 'start',
  title: 'From the command to a healthy server, and its memory when idle',
  async run({ rounds, note }) {
    const remarks: string[] = [];
    const contestants: { name: string; once: () => Promise<Started> }[] = [{ name: 'Reeve', once: startReeveOnce }];
    try {
      await startSandboxAgentOnce();
      contestants.push({ name: SANDBOX_AGENT, once: startSandboxAgentOnce });
    } catch (error) {
      remarks.push(`${SANDBOX_AGENT} was not run: ${(error as Error).message}`);
    }
    await startReeveOnce();
    const results = new Map<string, Started[]>(contestants.map(({ name }) => [name, []]));
    await inTurns(contestants, rounds + 2, async ({ name, once }) => {
      const started = await once();
      results.get(name)?.push(started);
      note(`${name}: ${started.startMs.toFixed(0)} ms, ${started.idleMb.toFixed(1)} MB`);
    });
    const of = (name: string, figure: keyof Started): number[] => (results.get(name) ?? []).map((one) => one[figure]);
    const startMs = median(of('Reeve', 'startMs'));
    return {
      figures: contestants.flatMap(({ name }): Figure[] => [
        { who: name, what: 'start to healthy', unit: 'ms', samples: of(name, 'startMs') },
        { who: name, what: 'resident memory, idle', unit: 'MB', samples: of(name, 'idleMb') },
      ]),
      goals: [{ what: 'start to healthy', goal: '≤ 300 ms', value: `${startMs.toFixed(0)} ms`, met: startMs <= 300 }],
      faults: [],
      remarks,
    };
  },
};

/** To its first line: it listens then. */
async function startReeveOnce(): Promise<Started> {
  const startedAt = performance.now();
  await using reeve = await spawnReeve();
  const startMs = performance.now() - startedAt;
  await delay(500);
  return { startMs, idleMb: residentMb(reeve.pid) };
}

async function startSandboxAgentOnce(): Promise<Started> {
  await using server = await spawnSandboxAgent();
  await delay(500);
  return { startMs: server.startMs, idleMb: residentMb(server.pid) };
}
