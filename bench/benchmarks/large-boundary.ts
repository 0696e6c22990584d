import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fakeAgentCommand, startReeve } from '@reeve/testkit';
import type { Benchmark, Figure, Goal } from '../benchmark.ts';
import { type Bystander, startBystander } from '../clients/bystander.ts';
import { WebSocketClient } from '../clients/web-socket-client.ts';
import { median, quantile } from '../statistics.ts';

const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
/** Every root is given: what is asked of people is not measured. */
const POLICY = '@id("all") permit (principal, action, resource);';
/** Nobody is to wait longer while a boundary of 10,000 roots changes. */
const GOAL_MS = 50;

interface Root {
  readonly path: string;
  readonly access: 'rw';
}

export const largeBoundary: Benchmark = {
  name: 'large-boundary',
  title: 'Boundaries of 1, 100 and 10,000 roots: opened and changed, and what another client has meanwhile',
  async run({ quick, rounds, note }) {
    await using opened = new AsyncDisposableStack();
    const directory = await realpath(await mkdtemp(join(tmpdir(), 'reeve-bench-')));
    opened.defer(() => rm(directory, { recursive: true }));
    const policy = join(directory, 'all.cedar');
    await writeFile(policy, POLICY);
    const sizes = quick ? [1, 100] : [1, 100, 10_000];
    const trees = new Map<number, readonly Root[]>();
    for (const size of sizes) trees.set(size, await makeRoots(join(directory, `of-${size}`), size));
    const reeve = opened.use(
      await startReeve({
        config: {
          agents: { fake: fakeAgentCommand() },
          defaultAgent: 'fake',
          mcpServers: { everything: { command: process.execPath, args: [EVERYTHING, 'stdio'] } },
          policy: { files: [policy] },
          limits: { maxRoots: 20_000, maxMetadataBytes: 8 * 1024 * 1024 },
          log: { level: 'error' },
        },
      }),
    );
    const bystander = opened.use(await startBystander(reeve));
    const client = opened.use(await WebSocketClient.open(reeve));
    const samples = new Map<string, Map<string, number[]>>();
    const keep = (who: string, what: string, value: number): void => {
      const of = samples.get(who) ?? new Map<string, number[]>();
      samples.set(who, of.set(what, [...(of.get(what) ?? []), value]));
    };
    for (let round = 0; round < rounds; round++) {
      for (const [size, roots] of trees) {
        const who = size === 1 ? '1 root' : `${size.toLocaleString('en')} roots`;
        const extra = await makeRoots(join(directory, `beside-${size}`), 1);
        const measure = (what: string, act: () => Promise<unknown>): Promise<void> =>
          measured(bystander, act, (took, ping, prompt) => {
            keep(who, `${what}: took`, took);
            keep(who, `${what}: longest ping`, ping);
            keep(who, `${what}: prompt of another, p50`, prompt);
          });
        let sessionId = '';
        const boundary = { roots };
        await measure('open', async () => {
          const request = { cwd: roots[0]?.path, mcpServers: [], _meta: { 'sandboxagent.dev': { boundary } } };
          ({ sessionId } = await client.request<{ sessionId: string }>('session/new', request));
        });
        const change = (roots: readonly Root[]): Promise<unknown> =>
          client.request('_sandboxagent/session/set_boundary', { sessionId, boundary: { roots } });
        await measure('widen', () => change([...roots, ...extra]));
        await measure('narrow', () => change(roots));
        await measure('nothing', () => wait(300));
        await client.request('session/close', { sessionId });
        note(`round ${round + 1}: ${who}`);
      }
    }
    const figures = [...samples].flatMap(([who, of]) =>
      [...of].map(([what, values]): Figure => ({ who, what, unit: 'ms', samples: values })),
    );
    return { figures, goals: quick ? [] : goals(samples.get('10,000 roots')), faults: [], remarks: [] };
  },
};

/** @param tell milliseconds: of the act, of the longest ping meanwhile, and of a prompt of somebody else */
async function measured(
  bystander: Bystander,
  act: () => Promise<unknown>,
  tell: (took: number, ping: number, prompt: number) => void,
): Promise<void> {
  await bystander.times();
  const from = performance.now();
  await act();
  const took = performance.now() - from;
  // What the change left to be done counts as well.
  await wait(200);
  const { pings, prompts } = await bystander.times();
  tell(took, Math.max(...pings), quantile(prompts, 0.5));
}

async function makeRoots(directory: string, count: number): Promise<readonly Root[]> {
  const roots = Array.from({ length: count }, (_, at): Root => {
    return { path: join(directory, `team-${at % 100}`, `app-${at}`), access: 'rw' };
  });
  for (let start = 0; start < count; start += 500) {
    await Promise.all(roots.slice(start, start + 500).map(({ path }) => mkdir(path, { recursive: true })));
  }
  return roots;
}

function goals(of: ReadonlyMap<string, readonly number[]> | undefined): Goal[] {
  return ['open', 'widen', 'narrow'].map((what) => {
    const value = median(of?.get(`${what}: longest ping`) ?? []);
    return {
      what: `10,000 roots, ${what}: nobody else waits longer`,
      goal: `≤ ${GOAL_MS} ms`,
      value: `${value.toFixed(0)} ms`,
      met: value <= GOAL_MS,
    };
  });
}
