import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AttachedEgress, EgressReady } from './attached-egress.ts';
import type { EgressDecision } from './egress-decision.ts';
import { type EgressOptions, planEgress } from './egress-plan.ts';

/** A program in a network of its own, whose way out is a plan of this folder. Disposing kills it. */
export interface Confined extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly egress: AttachedEgress;
  readonly ready: Promise<EgressReady>;
  readonly decisions: readonly EgressDecision[];
  /** Standard output up to now. */
  stdout(): string;
  /** The end, with all it wrote. */
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

export type ConfinedOptions = Omit<EgressOptions, 'onDecision' | 'channel'> & {
  readonly env?: Readonly<Record<string, string>>;
  /** As this user and group; as the tests' own unless given. */
  readonly uid?: number;
  readonly command?: readonly string[];
  /** More options for bubblewrap. */
  readonly bubblewrap?: readonly string[];
};

const channel = 3;
const gate = 4;

/** Whether bubblewrap can unshare the network here. */
export const bubblewrapWorks =
  process.platform === 'linux' &&
  spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-user', '--unshare-net', '--', '/bin/true']).status === 0;

/** Runs `script` with this Node inside, or `command`. */
export function confine(
  script: string,
  { env = {}, uid, command, bubblewrap = [], ...options }: ConfinedOptions,
): Confined {
  const decisions: EgressDecision[] = [];
  const planned = planEgress({ ...options, channel, onDecision: (decision) => decisions.push(decision) });
  if (planned.kind === 'refused') throw new Error(planned.message);
  const { plan } = planned;
  const directory = mkdtempSync(join(tmpdir(), 'reeve-egress-'));
  writeFileSync(join(directory, 'gate'), plan.file.data);
  const data = openSync(join(directory, 'gate'), 'r');
  const [program = '', ...rest] = command ?? [process.execPath, '-e', script];
  const inside = plan.wrap(program, rest);
  const child = spawn(
    'bwrap',
    [
      ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-net', '--cap-drop', 'ALL'],
      ...['--new-session', '--die-with-parent', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
      ...['--tmpfs', '/tmp', '--tmpfs', '/run', '--perms', plan.file.mode.toString(8), '--ro-bind-data', `${gate}`],
      ...[plan.file.path, ...plan.unsetEnv.flatMap((name) => ['--unsetenv', name]), ...bubblewrap, '--'],
      ...[inside.command, ...inside.args],
    ],
    {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', ...plan.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc', data],
      ...(uid === undefined ? {} : { uid, gid: uid }),
    },
  );
  const egress = plan.attach(child);
  closeSync(data);
  rmSync(directory, { recursive: true });

  const written = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    written.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    written.stderr += text;
  });
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    // Not 'close', which Node leaves out when this side has closed the channel.
    const ends = [child.stdout, child.stderr].map((stream) => stream && once(stream, 'close'));
    child.once('exit', (code) => void Promise.all(ends).then(() => resolve({ code, ...written })));
  });
  return {
    child,
    egress,
    ready: egress.ready,
    decisions,
    stdout: () => written.stdout,
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
      egress[Symbol.dispose]();
    },
  };
}
