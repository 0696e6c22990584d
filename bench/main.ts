/**
 * `npm run bench -- [names…] [--quick] [--json] [--rounds=N]`: measures Reeve side by side with what it is compared with.
 * Leaves with 1 only when an event was lost, repeated or out of order; with 2 for a name that there is not. Figures fail nothing.
 */
import { cpus, release, totalmem } from 'node:os';
import type { Benchmark, Report } from './benchmark.ts';
import { webConsole } from './benchmarks/console.ts';
import { dormantSessions } from './benchmarks/dormant-sessions.ts';
import { fanOut } from './benchmarks/fan-out.ts';
import { idleSessions } from './benchmarks/idle-sessions.ts';
import { largeBoundary } from './benchmarks/large-boundary.ts';
import { manySessions } from './benchmarks/many-sessions.ts';
import { mcpToolCall } from './benchmarks/mcp-tool-call.ts';
import { pausedReader } from './benchmarks/paused-reader.ts';
import { policy } from './benchmarks/policy.ts';
import { promptRoundTrip } from './benchmarks/prompt-round-trip.ts';
import { relay4kb } from './benchmarks/relay-4kb.ts';
import { relay64b } from './benchmarks/relay-64b.ts';
import { replay } from './benchmarks/replay.ts';
import { sandboxedRoundTrip } from './benchmarks/sandboxed-round-trip.ts';
import { sandboxedStart } from './benchmarks/sandboxed-start.ts';
import { start } from './benchmarks/start.ts';
import { printReport } from './print-report.ts';

const BENCHMARKS: readonly Benchmark[] = [
  relay64b,
  relay4kb,
  fanOut,
  manySessions,
  promptRoundTrip,
  replay,
  start,
  idleSessions,
  dormantSessions,
  sandboxedStart,
  sandboxedRoundTrip,
  pausedReader,
  policy,
  mcpToolCall,
  largeBoundary,
  webConsole,
];

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const flags = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
const quick = flags.includes('--quick');
const json = flags.includes('--json');
const rounds = Number(flags.find((flag) => flag.startsWith('--rounds='))?.slice('--rounds='.length) ?? (quick ? 1 : 5));

const unknown = [
  ...names.filter((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name)),
  ...flags.filter((flag) => !/^--(quick|json|rounds=[1-9]\d*)$/.test(flag)),
];
if (unknown.length > 0) {
  console.error(`no such benchmark or flag: ${unknown.join(', ')}`);
  console.error(`benchmarks: ${BENCHMARKS.map(({ name }) => name).join(' ')}; flags: --quick --json --rounds=N`);
  process.exit(2);
}

const machine = {
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  kernel: `${process.platform} ${release()}`,
  node: process.versions.node,
};
if (!json) console.log(`${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.kernel}, Node ${machine.node}`);

const reports: (Report & { readonly name: string })[] = [];
let faults = 0;
for (const benchmark of BENCHMARKS.filter(({ name }) => names.length === 0 || names.includes(name))) {
  const note = (text: string): void => {
    if (process.stderr.isTTY) process.stderr.write(`  ${benchmark.name}: ${text}\n`);
  };
  const report = await benchmark.run({ quick, rounds, note });
  reports.push({ name: benchmark.name, ...report });
  faults += report.faults.length;
  if (!json) console.log(printReport(benchmark, report));
}
if (json) console.log(JSON.stringify({ machine, quick, rounds, reports }, null, 2));
process.exitCode = faults > 0 ? 1 : 0;
