import { type PacedSpec, script } from '@reeve/testkit';
import type { Benchmark, Figure } from '../benchmark.ts';
import type { PacedTarget } from '../paced-target.ts';
import { processorMs, singleThreadMs } from '../processes.ts';
import { inTurns } from '../rounds.ts';
import { openBareAgents } from '../servers/bare-agents.ts';
import { openReeveSessions } from '../servers/reeve-sessions.ts';
import { median, quantile } from '../statistics.ts';

const PER_SECOND = 50;
const BARE = 'bare stdio';
const DURABLE = 'Reeve';
const MEMORY = 'Reeve, log off';

/** What is measured of one contestant in one round, in the order of the report. */
const MEASURES = {
  p50: { what: 'from the agent’s write to the client, p50', unit: 'ms' },
  p99: { what: 'from the agent’s write to the client, p99', unit: 'ms' },
  rate: { what: 'updates in total', unit: '/s' },
  late: { what: 'the player wrote later than planned, p99', unit: 'ms' },
  server: { what: 'cores in use by the server', unit: '' },
  player: { what: 'cores in use by the player', unit: '' },
  agents: { what: 'cores in use by the agents', unit: '' },
  client: { what: 'cores in use by the clients', unit: '' },
} as const;
type Measures = Readonly<Record<keyof typeof MEASURES, number>>;

export const manySessions: Benchmark = {
  name: 'many-sessions',
  title: `Many sessions at once, ${PER_SECOND} updates a second each`,
  async run({ quick, rounds, note }) {
    const sessions = quick ? 20 : 200;
    /** The updates of the first second are not timed: the agents begin together. */
    const spec: PacedSpec = { perSecond: PER_SECOND, seconds: quick ? 2 : 6, bytes: 64 };
    await using opened = new AsyncDisposableStack();
    const targets: PacedTarget[] = [];
    for (const open of [
      () => openBareAgents(BARE, sessions, PER_SECOND),
      () => openReeveSessions(DURABLE, sessions, PER_SECOND, 'sqlite'),
      () => openReeveSessions(MEMORY, sessions, PER_SECOND, 'memory'),
    ]) {
      targets.push(opened.use(await open()));
      note(`${targets.at(-1)?.name}: ${sessions} sessions are open`);
    }

    const measured = new Map<string, Measures[]>(targets.map(({ name }) => [name, []]));
    const faults: string[] = [];
    const turn = async (target: PacedTarget): Promise<Measures> => {
      const { measures, broken } = await runTurn(target, spec);
      if (broken > 0) faults.push(`${target.name}: ${broken} of ${sessions} sessions were not delivered whole`);
      return measures;
    };
    for (const target of targets) await turn(target);
    await inTurns(targets, rounds, async (target, round) => {
      const measures = await turn(target);
      measured.get(target.name)?.push(measures);
      note(`round ${round + 1}: ${target.name} p99 ${measures.p99.toFixed(1)} ms`);
    });

    const samples = (name: string, measure: keyof Measures): number[] =>
      (measured.get(name) ?? []).map((measures) => measures[measure]);
    const figures = targets.flatMap(({ name, serverPid }): Figure[] =>
      (Object.keys(MEASURES) as (keyof Measures)[])
        .filter((measure) => measure !== 'server' || serverPid !== undefined)
        .map((measure) => ({ who: name, ...MEASURES[measure], samples: samples(name, measure) })),
    );
    for (const measure of ['p50', 'p99'] as const) {
      const bare = samples(BARE, measure);
      const added = samples(DURABLE, measure).map((value, round) => value - (bare[round] ?? Number.NaN));
      figures.push({ who: `${DURABLE}, added to bare`, what: MEASURES[measure].what, unit: 'ms', samples: added });
    }
    const p99 = median(samples(DURABLE, 'p99'));
    return {
      figures,
      goals: [{ what: `${sessions} sessions, p99`, goal: '≤ 10 ms', value: `${p99.toFixed(1)} ms`, met: p99 <= 10 }],
      faults,
      remarks: ['all agents are played by one process; player, agents and clients share the cores with the server'],
    };
  },
};

/** All sessions have one turn at the same time. */
async function runTurn(
  { serverPid, player, check, prompts }: PacedTarget,
  spec: PacedSpec,
): Promise<{ readonly measures: Measures; readonly broken: number }> {
  const agents = player.agents();
  const used = () => ({
    server: serverPid === undefined ? 0 : processorMs(serverPid),
    player: processorMs(player.pid),
    agents: agents.reduce((sum, pid) => sum + singleThreadMs(pid), 0),
    client: process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000,
  });
  await player.lateness();
  const before = used();
  const startedAt = performance.now();
  await Promise.all(prompts.map((prompt) => prompt(script({ paced: spec }))));
  const tookMs = performance.now() - startedAt;
  const after = used();
  const expected = Math.round(spec.perSecond * spec.seconds);
  const { delaysMs, broken } = check.take(expected);
  const cores = (who: keyof typeof before): number => (after[who] - before[who]) / tookMs;
  return {
    broken,
    measures: {
      p50: quantile(delaysMs, 0.5),
      p99: quantile(delaysMs, 0.99),
      rate: (prompts.length * expected * 1000) / tookMs,
      late: (await player.lateness()).p99Ms,
      server: cores('server'),
      player: cores('player'),
      agents: cores('agents'),
      client: cores('client'),
    },
  };
}
