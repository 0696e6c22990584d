import type { FloodSpec } from '@reeve/testkit';
import type { Figure, Goal, Report, Settings } from '../benchmark.ts';
import { type FloodTarget, rateOf } from '../flood-target.ts';
import { processorMs } from '../processes.ts';
import { inTurns } from '../rounds.ts';
import { openRawPipe } from '../servers/raw-pipe.ts';
import { openReeveRelay } from '../servers/reeve.ts';
import { openSandboxAgentRelay, SANDBOX_AGENT } from '../servers/sandbox-agent.ts';
import { medianRatio } from '../statistics.ts';

const DURABLE = 'Reeve';
const MEMORY = 'Reeve, log off';

export interface RelayGoals {
  /** Times the rate of sandbox-agent. */
  readonly overSandboxAgent: number;
  /** Times the rate with the store in memory. */
  readonly overMemory?: number;
}

/** One agent floods, one client counts: Reeve with and without its log, sandbox-agent and the bare pipe in turns. */
export async function relay(spec: FloodSpec, goals: RelayGoals, { rounds, note }: Settings): Promise<Report> {
  await using opened = new AsyncDisposableStack();
  const remarks: string[] = [];
  const targets: FloodTarget[] = [opened.use(await openRawPipe())];
  targets.push(opened.use(await openReeveRelay(DURABLE, { store: 'sqlite' })));
  targets.push(opened.use(await openReeveRelay(MEMORY, { store: 'memory' })));
  try {
    targets.push(opened.use(await openSandboxAgentRelay()));
  } catch (error) {
    remarks.push(`${SANDBOX_AGENT} was not run: ${(error as Error).message}`);
  }

  const rates = new Map<string, number[]>(targets.map(({ name }) => [name, []]));
  const costs = new Map<string, number[]>(targets.map(({ name }) => [name, []]));
  const losses = new Map<string, number[]>(targets.map(({ name }) => [name, []]));
  const faults: string[] = [];
  const warm = { ...spec, count: Math.ceil(spec.count / 4) };
  for (const target of targets) await target.flood(warm);
  await inTurns(targets, rounds, async (target, round) => {
    const before = target.serverPid === undefined ? 0 : processorMs(target.serverPid);
    const outcome = await target.flood(spec);
    const { lost, outOfOrder } = outcome.tally;
    rates.get(target.name)?.push(rateOf(outcome));
    if (target.serverPid !== undefined) {
      // Of all that the agent wrote: what was thrown away has cost too.
      costs.get(target.name)?.push(((processorMs(target.serverPid) - before) * 1000) / spec.count);
    }
    losses.get(target.name)?.push((100 * lost) / spec.count);
    note(`round ${round + 1}: ${target.name} ${Math.round(rateOf(outcome) / 1000)} k/s, ${lost} lost`);
    if (target.name !== SANDBOX_AGENT && (lost > 0 || outOfOrder > 0))
      faults.push(`${target.name} lost ${lost} updates of ${spec.count} and had ${outOfOrder} out of order`);
  });

  const figures = targets.flatMap(({ name }): Figure[] => [
    { who: name, what: `updates of ${spec.bytes} B`, unit: '/s', samples: rates.get(name) ?? [] },
    { who: name, what: 'lost', unit: '%', samples: losses.get(name) ?? [] },
  ]);
  for (const [who, samples] of costs) {
    if (samples.length > 0)
      figures.push({ who, what: 'processor time of the server, per update', unit: 'µs', samples });
  }
  const reached: Goal[] = [];
  const compare = (name: string, times: number): void => {
    const theirs = rates.get(name);
    if (theirs === undefined) return;
    const ratio = medianRatio(rates.get(DURABLE) ?? [], theirs);
    reached.push({
      what: `${spec.bytes} B, durable, against ${name}`,
      goal: `≥ ${times} ×`,
      value: `${ratio.toFixed(2)} ×`,
      met: ratio >= times,
    });
  };
  compare(SANDBOX_AGENT, goals.overSandboxAgent);
  if (goals.overMemory !== undefined) compare(MEMORY, goals.overMemory);
  return { figures, goals: reached, faults, remarks };
}
