import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { createProcessHolder, type Launch, type NetworkRule, type ProcessHolder, type Profile } from '@reeve/sandbox';

/** A process with pipes. Disposing ends its stdin and waits for its end. */
export interface RunningProcess extends AsyncDisposable {
  readonly stdin: Writable;
  readonly stdout: Readable;
}

/** One way to start a program. */
export interface Starter {
  readonly name: string;
  start(command: string, args: readonly string[]): Promise<RunningProcess>;
}

export interface Starters extends AsyncDisposable {
  /** The first is `BARE`. */
  readonly starters: readonly Starter[];
  /** What could not be had, and why. */
  readonly remarks: readonly string[];
}

export const BARE = 'bare';
export const CONTAINED = 'contained, no profile';
export const CONFINED = 'profile, no network';
export const LISTED = 'profile, allow-list';

const MiB = 1024 * 1024;
/** As an agent has them, so that what holds them is measured too. */
const limits = { memoryBytes: 2048 * MiB, processes: 512, fileBytes: 1024 * MiB, openFiles: 4096 };
const env = { PATH: '/usr/bin:/bin' };

/** The same program started by Node alone, by a holder without a sandbox, and in each kind of sandbox. */
export async function openStarters(): Promise<Starters> {
  await using opened = new AsyncDisposableStack();
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-bench-')));
  opened.defer(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, 'root');
  mkdirSync(root);

  const unheld = opened.use(createProcessHolder({ sandbox: 'none' }));
  const holder = opened.use(createProcessHolder());
  const { usable, contains, reason = '' } = await holder.probe();
  const confined = (name: string, network: NetworkRule) => [held(name, holder, root, profileOf(root, network))];
  const lists = process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64');
  const starters: readonly Starter[] = [
    { name: BARE, start: (command, args) => startBare(command, args, root) },
    held('held, no sandbox', unheld, root),
    ...(contains ? [held(CONTAINED, holder, root)] : []),
    ...(usable ? confined(CONFINED, 'none') : []),
    ...(usable ? confined('profile, full network', 'full') : []),
    ...(usable && lists ? confined(LISTED, { allow: ['api.example.org'] }) : []),
  ];
  const parts = opened.move();
  return {
    starters,
    remarks: usable ? [] : [`no profile can be enforced here: ${reason}`],
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** In a session of its own, like a held process: Linux shares the cores among sessions (sched(7), autogroup). */
async function startBare(command: string, args: readonly string[], cwd: string): Promise<RunningProcess> {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(command, args, {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const ended = once(child, 'close');
  await once(child, 'spawn');
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      child.stdout.resume();
      await ended;
    },
  };
}

function held(name: string, holder: ProcessHolder, cwd: string, profile?: Profile): Starter {
  return {
    name,
    async start(command, args) {
      const launch: Launch = { command, args, env, cwd, ...(profile === undefined ? {} : { profile }) };
      const started = await holder.start(launch);
      if (started.kind === 'failed') throw new Error(`${name}: ${started.message}`);
      return started.process;
    },
  };
}

function profileOf(root: string, network: NetworkRule): Profile {
  return {
    roots: [{ path: root, access: 'rw' }],
    readOnly: [],
    home: { path: '/home/agent' },
    state: [],
    files: [],
    sockets: [],
    network,
    limits,
  };
}
