import { createRequire } from 'node:module';
import type { Benchmark, Figure, Goal, Report, Settings } from '../benchmark.ts';
import { type McpCaller, openHttpMcpCaller, startMcpCaller } from '../clients/mcp-caller.ts';
import { onOneProcessor } from '../one-processor.ts';
import { inTurns } from '../rounds.ts';
import { startCopyingRelay } from '../servers/copying-relay.ts';
import { openReeveServers, SHIM_SCRIPT, socatProgram } from '../servers/reeve-mcp.ts';
import { median, quantile } from '../statistics.ts';

const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

const DIRECT = 'direct, stdio';
const SOCAT = 'Reeve, by socat';
const SHIM = 'Reeve, by the Node shim';
const HTTP = 'Reeve, over HTTP';
/** What the way itself costs, without a gateway on it. */
const COPIED_BY_SOCAT = 'bytes copied, by socat';
const COPIED_BY_SHIM = 'bytes copied, by the Node shim';
/** What Reeve may add to a call, p50, ms. */
const GOALS_MS: Readonly<Record<string, number>> = { [SOCAT]: 0.25, [SHIM]: 0.4, [HTTP]: 1 };
/** Calls of one contestant before it is the next one's turn: few, so that all have the same machine. */
const CALLS = 25;
/** After so many the code on the way is compiled for good: a server runs for days. */
const WARM_CALLS = 2000;
const ON_ONE = ', on one processor';
const NO_SOCAT = 'not by socat: it is not installed here (Debian: apt-get install socat)';

export const mcpToolCall: Benchmark = {
  name: 'mcp-tool-call',
  title: 'A tool call with 100 B there and back: to the server itself, and through the gateway',
  async run(settings) {
    const remarks = socatProgram() === undefined ? [NO_SOCAT] : [];
    const apart = await measure(settings, '');
    const together = await onOneProcessor(() => measure(settings, ON_ONE));
    if (together === undefined) remarks.push('not on one processor: there is no other, or no taskset (util-linux)');
    const all = [apart, together ?? { figures: [], goals: [] }];
    return {
      figures: all.flatMap(({ figures }) => figures),
      goals: all.flatMap(({ goals }) => goals),
      faults: [],
      remarks,
    };
  },
};

/** @param where ends the name of each contestant */
async function measure({ quick, rounds, note }: Settings, where: string): Promise<Pick<Report, 'figures' | 'goals'>> {
  await using opened = new AsyncDisposableStack();
  const ways = await waysTo(opened);
  for (const { caller } of ways) await take(caller, quick ? 20 : WARM_CALLS);

  const halves = new Map<string, number[]>(ways.map(({ name }) => [name, []]));
  const late = new Map<string, number[]>(ways.map(({ name }) => [name, []]));
  const added = new Map<string, number[]>(ways.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const times = new Map<string, number[]>(ways.map(({ name }) => [name, []]));
    await inTurns(ways, quick ? 4 : 80, async ({ name, caller }) => {
      times.get(name)?.push(...(await take(caller, CALLS)));
    });
    const direct = quantile(times.get(DIRECT) ?? [], 0.5);
    for (const [name, all] of times) {
      halves.get(name)?.push(quantile(all, 0.5));
      late.get(name)?.push(quantile(all, 0.99));
      added.get(name)?.push(quantile(all, 0.5) - direct);
      note(`round ${round + 1}: ${name}${where} p50 ${quantile(all, 0.5).toFixed(3)} ms`);
    }
  }
  const figures = ways.flatMap(({ name }): Figure[] => [
    { who: name + where, what: 'call, p50', unit: 'ms', samples: halves.get(name) ?? [] },
    { who: name + where, what: 'call, p99', unit: 'ms', samples: late.get(name) ?? [] },
    ...(name === DIRECT ? [] : [{ who: name + where, what: 'added, p50', unit: 'ms', samples: added.get(name) ?? [] }]),
  ]);
  const goals = Object.entries(GOALS_MS).flatMap(([name, goal]): Goal[] => {
    const more = added.get(name);
    if (more === undefined) return [];
    const value = median(more);
    const what = `added to a call, ${name}${where}, p50`;
    return [{ what, goal: `≤ ${goal} ms`, value: `${value.toFixed(2)} ms`, met: value <= goal }];
  });
  return { figures, goals };
}

interface Way {
  readonly name: string;
  readonly caller: McpCaller;
}

/** One server for each session, in a process of its own: directly, and behind Reeve, which runs as users run it. */
async function waysTo(opened: AsyncDisposableStack): Promise<readonly Way[]> {
  const way = async (name: string, caller: Promise<McpCaller>): Promise<Way> => ({
    name,
    caller: opened.use(await caller),
  });
  const server = { command: process.execPath, args: [EVERYTHING, 'stdio'] };
  const reeve = opened.use(await openReeveServers(server));
  const copying = opened.use(await startCopyingRelay(server));
  const ways = [
    await way(DIRECT, startMcpCaller(server.command, server.args)),
    await way(SHIM, startMcpCaller(process.execPath, [SHIM_SCRIPT, reeve.socket])),
    await way(COPIED_BY_SHIM, startMcpCaller(process.execPath, [SHIM_SCRIPT, copying.socket])),
    await way(HTTP, openHttpMcpCaller(reeve.http.url, reeve.http.headers)),
  ];
  const socat = socatProgram();
  if (socat !== undefined) {
    ways.push(await way(SOCAT, startMcpCaller(socat, ['STDIO', `UNIX-CONNECT:${reeve.socket}`])));
    ways.push(await way(COPIED_BY_SOCAT, startMcpCaller(socat, ['STDIO', `UNIX-CONNECT:${copying.socket}`])));
  }
  return ways;
}

async function take({ echo }: McpCaller, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const from = performance.now();
    await echo();
    times.push(performance.now() - from);
  }
  return times;
}
