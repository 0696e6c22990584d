import { accessSync, constants, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bareProfile } from './bare-profile.ts';
import { noNamespaces } from './bubblewrap/bubblewrap-failure.ts';
import { readOsRuntime } from './bubblewrap/os-runtime.ts';
import type { PassedDescriptors } from './bubblewrap/passed-descriptors.ts';
import {
  type PreparedLaunch,
  passedDescriptors,
  prepareConfined,
  prepareContained,
  type SandboxHost,
} from './bubblewrap/prepared-launch.ts';
import type { SandboxBackend } from './enforcement.ts';
import type { Launch } from './launch.ts';
import { readLimitsMachine } from './limits/limits-machine.ts';
import { nextStepFor, type ProbeCause } from './sandbox-advice.ts';
import { spawnPiped } from './spawn-piped.ts';
import type { StartFailure } from './start-failure.ts';
import type { WrapBackend } from './wrapped/wrap-backend.ts';

/** What this machine can do, found by doing it. */
export interface SandboxProbe {
  readonly backend: SandboxBackend;
  /** Whether a profile can be enforced. */
  readonly usable: boolean;
  /** Whether a process can at least be given a process namespace of its own, so that its whole tree ends with it. */
  readonly contains: boolean;
  /** Path of bubblewrap, where it was found. */
  readonly program?: string;
  /** What holds profiles where bubblewrap does not. A backend that cannot enforce one leaves `usable` false. */
  readonly wrap?: WrapBackend;
  /** Why a profile cannot be enforced, and what to do, for a person on this distribution. */
  readonly reason?: string;
  readonly nextStep?: string;
}

export function readSandboxHost(): SandboxHost {
  return { runtime: readOsRuntime(), limits: readLimitsMachine() };
}

export const switchedOff: SandboxProbe = Object.freeze({
  backend: 'none',
  usable: false,
  contains: false,
  reason: 'the sandbox is switched off by the configuration',
  nextStep: 'Set "sandbox.backend" to "auto", or choose the boundary to be only declared.',
});

const places = ['/usr/bin', '/usr/local/bin', '/bin', '/run/current-system/sw/bin'];
/** Long: a machine that is busy is not one without a sandbox, and the answer stays for the life of the server. */
const deadlineMs = 15_000;

/** Runs the real thing: `true`-like in a sandbox of its own, and in it an attempt to read what lies outside. At most 15 s. */
export async function probeSandbox(): Promise<SandboxProbe> {
  if (process.platform !== 'linux') return unusable('not-linux', 'bubblewrap needs Linux');
  const program = places.map((place) => join(place, 'bwrap')).find(isExecutable);
  if (program === undefined) return unusable('missing', 'bubblewrap is not installed');
  const [confined, contained] = await Promise.all([attemptConfined(program), attemptContained(program)]);
  const contains = contained.kind === 'held';
  if (confined.kind === 'held') return { backend: 'bubblewrap', usable: true, contains, program };
  return { ...unusable(confined.cause, confined.reason), contains, program };
}

function unusable(cause: ProbeCause, reason: string): SandboxProbe {
  return { backend: 'none', usable: false, contains: false, reason, nextStep: nextStepFor(cause) };
}

type Attempt =
  | { readonly kind: 'held' }
  | { readonly kind: 'not-held'; readonly cause: ProbeCause; readonly reason: string };

async function attemptConfined(program: string): Promise<Attempt> {
  let base: string | undefined;
  try {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-probe-')));
    const root = join(base, 'root');
    mkdirSync(root);
    writeFileSync(join(root, 'inside'), '');
    writeFileSync(join(base, 'canary'), '');
    const script = `[ -e ${JSON.stringify(join(root, 'inside'))} ] || exit 3; [ ! -e ${JSON.stringify(join(base, 'canary'))} ] || exit 4; echo held`;
    const launch: Launch = { command: '/bin/sh', args: ['-c', script], env: {}, cwd: root };
    const profile = bareProfile({ roots: [{ path: root, access: 'ro' }] });
    return await attempt((passed) => prepareConfined({ program, launch, profile }, readSandboxHost(), passed));
  } catch (error) {
    return { kind: 'not-held', cause: 'failed', reason: `the probe could not be made (${(error as Error).message})` };
  } finally {
    if (base !== undefined) rmSync(base, { recursive: true, force: true });
  }
}

function attemptContained(program: string): Promise<Attempt> {
  const launch: Launch = { command: '/bin/sh', args: ['-c', 'echo held'], env: {}, cwd: '/' };
  return attempt((passed) => prepareContained({ program, launch }, passed));
}

async function attempt(
  prepare: (passed: PassedDescriptors) => Promise<PreparedLaunch | StartFailure>,
): Promise<Attempt> {
  const failed = (cause: ProbeCause, reason: string): Attempt => ({ kind: 'not-held', cause, reason });
  using passed = passedDescriptors();
  const prepared = await prepare(passed);
  if (prepared.kind === 'failed') return failed('failed', prepared.message);
  const spawned = await spawnPiped({
    path: prepared.program,
    args: prepared.args,
    cwd: '/',
    env: {},
    descriptors: ['pipe', 'pipe', 'ignore', ...passed.all],
  });
  if (spawned.kind === 'failed') return failed('failed', spawned.message);
  const { child, ended, pipes } = spawned;
  for (const pipe of pipes) pipe.resume().end();
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    stderr = (stderr + String(chunk)).slice(-2_000);
  });
  const late = new AbortController();
  const exit = await Promise.race([
    ended,
    delay(deadlineMs, undefined, { signal: late.signal }).catch(() => undefined),
  ]);
  late.abort();
  if (exit === undefined) {
    child.kill('SIGKILL');
    return failed('failed', `bubblewrap did not run a program within ${deadlineMs} ms`);
  }
  await Promise.all([closed(child.stdout), closed(child.stderr)]);
  if (exit.code === 0 && stdout === 'held\n') return { kind: 'held' };
  if (exit.code === 4) return failed('leaks', 'a file outside of the boundary could be seen in the sandbox');
  const said = stderr.trim().split('\n').at(-1) ?? '';
  if (noNamespaces.test(said))
    return failed('no-namespaces', `this system forbids what a sandbox is made of (${said})`);
  if (/Unknown option/.test(said)) return failed('too-old', `this bubblewrap is too old (${said})`);
  return failed('failed', `bubblewrap failed (${said === '' ? `exit ${exit.code ?? exit.signal}` : said})`);
}

function closed(stream: NodeJS.ReadableStream & { readonly closed?: boolean }): Promise<void> {
  return stream.closed === true ? Promise.resolve() : new Promise((resolve) => void stream.once('close', resolve));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
