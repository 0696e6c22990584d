import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { connectReeve, type Reeve } from '@reeve/client';
import { fakeAgentCommand, type SpawnedReeve, startReeve } from '@reeve/testkit';
import { type CliRun, runCli } from '../apps/cli/src/cli.rig.ts';

const top = resolve(import.meta.dirname, '..');
/** Processes are started, in sandboxes. */
export const SLOW_MS = 120_000;
export const STARTED = { timeout: 60_000, interval: 100 } as const;

/** A server that confines its agents, with a home of its own, and `reeve` at its command line. Disposing ends it and removes the files. */
export interface ReeveLab extends AsyncDisposable {
  /** Canonical; holds all directories. */
  readonly base: string;
  readonly reeve: SpawnedReeve;
  readonly api: Reeve;
  at(name: string): string;
  cli(...args: readonly string[]): Promise<CliRun>;
  /** What a command that goes well prints, for people and for programs. */
  told(...args: readonly string[]): Promise<string>;
  /** What a command that goes well prints for programs. */
  printed(...args: readonly string[]): Promise<string>;
}

/** What a lab makes before its server starts; `at` says where a name is. */
export interface ReeveLabSetup {
  /** `home` is made beside them. */
  readonly directories: readonly string[];
  readonly fill?: (at: (name: string) => string) => void;
  /** Agents beside `fake`, by their names. */
  readonly agents?: (at: (name: string) => string) => object;
  /** Whatever else is in the configuration; `defaultAgent` is `fake` unless it says otherwise. */
  readonly config?: (at: (name: string) => string) => object;
}

export async function openReeveLab(setup: ReeveLabSetup): Promise<ReeveLab> {
  await using opened = new AsyncDisposableStack();
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-lab-')));
  opened.defer(() => rmSync(base, { recursive: true, force: true }));
  const at = (name: string): string => join(base, name);
  for (const name of [...setup.directories, 'home']) mkdirSync(at(name));
  setup.fill?.(at);
  // It is not shown its own files unless told: they are of this repository.
  const fake = { ...fakeAgentCommand(), sandbox: { readOnly: [top], network: 'none' } };
  const agents = { fake, ...setup.agents?.(at) };
  const config = { sandbox: {}, agents, defaultAgent: 'fake', ...setup.config?.(at) };
  const reeve = opened.use(await startReeve({ config, env: { HOME: at('home') } }));
  const cli = (...args: readonly string[]): Promise<CliRun> =>
    runCli(args, { REEVE_URL: reeve.url, REEVE_TOKEN: reeve.token, HOME: base });
  const goesWell = async (args: readonly string[]): Promise<CliRun> => {
    const run = await cli(...args);
    if (run.code !== 0) throw new Error(`reeve ${args.join(' ')} ended with ${run.code}: ${run.stderr}`);
    return run;
  };
  const resources = opened.move();
  return {
    base,
    reeve,
    api: connectReeve(reeve),
    at,
    cli,
    async told(...args) {
      const { stdout, stderr } = await goesWell(args);
      return stdout + stderr;
    },
    printed: async (...args) => (await goesWell(args)).stdout,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
