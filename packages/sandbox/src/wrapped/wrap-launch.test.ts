import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bareProfile } from '../bare-profile.ts';
import type { ContainerEngine } from '../container/container-engine.ts';
import type { Profile } from '../profile.ts';
import { enforces, probeWrapBackends, type WrapBackend } from './wrap-backend.ts';
import { type WrappedLaunch, wrapLaunch } from './wrap-launch.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-wrap-')));
  mkdirSync(join(base, 'rw/.git/hooks'), { recursive: true });
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true, force: true });
});

const host = {
  runtime: { directories: ['/usr'], links: [] },
  limits: {
    root: false,
    prlimit: '/usr/bin/prlimit',
    countsProcessesPerNamespace: true,
    cgroup: undefined,
    canWatch: true,
  },
};
const landlock: WrapBackend = {
  kind: 'landlock',
  reach: { setpriv: '/usr/bin/setpriv', network: true, scope: true },
};

function wrap(backend: WrapBackend, changes: Partial<Profile> = {}, path: string | undefined = '/usr/bin/agent') {
  const profile = bareProfile({
    roots: [{ path: join(base, 'rw'), access: 'rw' }],
    readOnly: ['/usr/bin/agent'],
    limits: { openFiles: 64, processes: 32, wallMs: 1_000 },
    ...changes,
  });
  const launch = { command: 'agent', args: ['-v'], env: { TOKEN: 'secret' }, cwd: join(base, 'rw'), profile };
  return wrapLaunch(backend, { launch, path, host, marker: 'one' });
}

async function wrappedBy(...args: Parameters<typeof wrap>): Promise<WrappedLaunch> {
  const answer = await wrap(...args);
  if (answer.kind === 'failed') throw new Error(answer.message);
  return answer;
}

/** A client that writes down how it was called, and for `run` what it was given to read. */
function engine(): ContainerEngine {
  const program = join(base, 'engine');
  const log = join(base, 'log');
  writeFileSync(
    program,
    `#!/bin/sh
case $1 in
  version) echo 28.0;;
  image) echo id;;
  run) echo held;;
  rm) echo "$@" >>${log};;
esac
`,
    { mode: 0o755 },
  );
  return { kind: 'docker', program, image: 'example/agent:1', env: { PATH: '/usr/bin:/bin' } };
}

describe('a launch behind landlock or seatbelt', () => {
  it('begins with the limits, then the boundary, then the program as it was', async () => {
    const { launch, limits, enforcement } = await wrappedBy(landlock);
    expect(launch.command).toBe('/usr/bin/prlimit');
    expect(launch.args.slice(0, 3)).toEqual(['--core=0:0', '--nofile=64:64', '--']);
    expect(launch.args[3]).toBe('/usr/bin/setpriv');
    expect(launch.args.slice(-3)).toEqual(['--', '/usr/bin/agent', '-v']);
    expect(launch.env).toMatchObject({ TOKEN: 'secret' });
    // No user namespace of its own: RLIMIT_NPROC would count for the whole user.
    expect(limits.watch).toEqual({ processes: 32, wallMs: 1_000 });
    expect(enforcement).toMatchObject({
      backend: 'landlock',
      fs: 'partial',
      network: 'partial',
      limits: 'partial',
      limitsTier: 'watchdog',
    });
  });

  it('says how far the network is held', async () => {
    const weaker: WrapBackend = { kind: 'landlock', reach: { setpriv: '/x', network: false, scope: false } };
    expect((await wrappedBy(weaker)).enforcement.network).toBe('declared');
    expect((await wrappedBy(landlock, { network: 'full' })).enforcement.network).toBe('declared');
    expect((await wrappedBy({ kind: 'seatbelt' })).enforcement).toMatchObject({
      backend: 'seatbelt',
      network: 'enforced',
    });
  });

  it('knows which protected paths were missing', async () => {
    const { absent } = await wrappedBy(landlock);
    expect(absent).toContain(join(base, 'rw/.git/config'));
    expect(absent).not.toContain(join(base, 'rw/.git/hooks'));
  });

  it('is refused with the reason where its profile cannot be said', async () => {
    expect(await wrap({ kind: 'seatbelt' }, { roots: [{ path: '/a\nb', access: 'rw' }] })).toMatchObject({
      kind: 'failed',
    });
  });
});

describe('a launch in a container', () => {
  it('has its files staged for the time it runs, the environment readable by nobody else', async () => {
    const { launch, resources } = await wrappedBy({ kind: 'container', engine: engine() });
    const file = launch.args[launch.args.indexOf('--env-file') + 1] as string;
    expect(readFileSync(file, 'utf8')).toBe('TOKEN=secret\nHOME=/home/agent\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    expect(JSON.stringify(launch)).not.toContain('secret');
    await resources.disposeAsync();
    expect(existsSync(dirname(file))).toBe(false);
    expect(readFileSync(join(base, 'log'), 'utf8')).toBe('rm --force --volumes reeve-one\n');
  });

  it('runs the command of the host where it is shown, else the one of the image', async () => {
    const backend: WrapBackend = { kind: 'container', engine: engine() };
    const entry = ({ launch }: WrappedLaunch) => launch.args[launch.args.indexOf('--entrypoint') + 1];
    for (const [path, expected] of [
      ['/usr/bin/agent', '/usr/bin/agent'],
      ['/opt/other/agent', 'agent'],
    ] as const) {
      const wrapped = await wrappedBy(backend, {}, path);
      expect(entry(wrapped)).toBe(expected);
      await wrapped.resources.disposeAsync();
    }
  });

  it('leaves nothing behind where its profile cannot be said', async () => {
    vi.stubEnv('TMPDIR', base);
    const backend: WrapBackend = { kind: 'container', engine: engine() };
    expect(await wrap(backend, { roots: [{ path: '/a,b', access: 'rw' }] })).toMatchObject({ kind: 'failed' });
    expect(readdirSync(base).filter((name) => name.startsWith('reeve-container-'))).toEqual([]);
  });

  it('is told to be held by the engine, and the clock by the server', async () => {
    const { enforcement, limits, resources } = await wrappedBy({ kind: 'container', engine: engine() });
    expect(enforcement).toMatchObject({ backend: 'container', fs: 'partial', network: 'enforced' });
    expect(limits.watch).toEqual({ wallMs: 1_000 });
    expect(limits.tiers.processes).toBe('cgroup');
    await resources.disposeAsync();
  });
});

describe('the backend in place of bubblewrap', () => {
  it('is the container engine where one is configured and works', async () => {
    const configured = engine();
    expect(await probeWrapBackends(configured)).toEqual({
      kind: 'found',
      backend: { kind: 'container', engine: configured },
    });
  });

  it('enforces a profile, unless it is landlock', async () => {
    expect(enforces({ kind: 'seatbelt' })).toBe(true);
    expect(enforces(landlock)).toBe(false);
  });
});
