import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bareProfile } from '../bare-profile.ts';
import type { Profile } from '../profile.ts';
import { guardedRoots } from '../protected-places.ts';
import { type ContainerPlan, containerPlan } from './container-command.ts';
import type { ContainerEngine } from './container-engine.ts';
import { probeContainer } from './container-probe.ts';
import { environmentFile } from './environment-file.ts';

const docker: ContainerEngine = {
  kind: 'docker',
  program: '/usr/bin/docker',
  image: 'example/agent:1',
  env: { HOME: '/home/operator' },
};

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-container-')));
  for (const name of ['rw/.git/hooks', 'ro', 'staging']) mkdirSync(join(base, name), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function profile(changes: Partial<Profile> = {}): Profile {
  return bareProfile({
    roots: [
      { path: join(base, 'rw'), access: 'rw' },
      { path: join(base, 'ro'), access: 'ro' },
    ],
    ...changes,
  });
}

async function planned(changes: Partial<Profile> = {}, engine = docker, user = 1_000): Promise<ContainerPlan> {
  const launch = { command: '/opt/agent', args: ['--acp', '-v'], env: { TOKEN: 'very secret' }, cwd: join(base, 'rw') };
  const bounds = profile(changes);
  const plan = containerPlan(launch, bounds, await guardedRoots(bounds), {
    engine,
    name: 'reeve-1',
    staging: join(base, 'staging'),
    user,
    group: 1_000,
  });
  if (plan.kind === 'failed') throw new Error(plan.message);
  return plan;
}

const after = (args: readonly string[], option: string) => args.filter((_, at) => args[at - 1] === option);

describe('the arguments of a container engine', () => {
  it('give the program nothing but its boundary', async () => {
    const { command, args } = await planned();
    expect(command).toBe('/usr/bin/docker');
    expect(args).toEqual(expect.arrayContaining(['run', '--rm', '--interactive', '--init', '--read-only']));
    expect(after(args, '--cap-drop')).toEqual(['ALL']);
    expect(after(args, '--security-opt')).toContain('no-new-privileges');
    expect(after(args, '--network')).toEqual(['none']);
    expect(after(args, '--pull')).toEqual(['never']);
    expect(after(args, '--log-driver')).toEqual(['none']);
    expect(after(args, '--user')).toEqual(['1000:1000']);
    expect(args.join(' ')).not.toMatch(/--privileged|docker\.sock|--cap-add|--pid|--device/);
    expect(args.slice(args.indexOf('--entrypoint'))).toEqual([
      ...['--entrypoint', '/opt/agent', '--', 'example/agent:1', '--acp', '-v'],
    ]);
  });

  it('show the roots at their own places, each with its access, and protected paths read-only on mount points', async () => {
    expect(after((await planned()).args, '--mount')).toEqual([
      `type=bind,source=${base}/rw,target=${base}/rw`,
      `type=bind,source=${base}/ro,target=${base}/ro,readonly`,
      `type=bind,source=${base}/rw/.git,target=${base}/rw/.git`,
      `type=bind,source=${base}/rw/.git/hooks,target=${base}/rw/.git/hooks,readonly`,
    ]);
  });

  it('protect what git finds below a root as well, and say so of what the engine cannot be told', async () => {
    const file = (name: string) => {
      mkdirSync(dirname(join(base, name)), { recursive: true });
      writeFileSync(join(base, name), 'ref: refs/heads/main\n');
    };
    for (const name of ['.git/HEAD', '.git/modules/lib/HEAD', '.git/modules/lib/config', 'vendor/x/.git/config'])
      file(`rw/${name}`);
    file('rw/odd,name/.git/config');
    for (const name of ['HEAD', 'config', 'objects/a', 'refs/a']) file(`bare.git/${name}`);
    const { args, gaps } = await planned({
      roots: ['rw', 'bare.git'].map((name) => ({ path: join(base, name), access: 'rw' })),
    });
    const mounts = after(args, '--mount');
    for (const name of ['rw/.git/modules/lib/config', 'rw/vendor/x/.git/config', 'bare.git/config'])
      expect(mounts).toContain(`type=bind,source=${base}/${name},target=${base}/${name},readonly`);
    for (const name of ['rw/.git/modules', 'rw/vendor', 'rw/vendor/x', 'rw/vendor/x/.git'])
      expect(mounts).toContain(`type=bind,source=${base}/${name},target=${base}/${name}`);
    expect(gaps).toContain(`files: "${base}/rw/odd,name/.git/config" cannot be named to the engine: it can be written`);
  });

  it('keep what the program is told out of the command line', async () => {
    const { args, env, staged } = await planned({ files: [{ path: '/etc/agent.json', text: '{}' }] });
    expect([...args, ...Object.values(env)].join()).not.toContain('secret');
    expect(env).toEqual({ HOME: '/home/operator' });
    expect(after(args, '--env-file')).toEqual([join(base, 'staging/environment')]);
    expect(staged).toEqual([
      {
        kind: 'file',
        path: join(base, 'staging/environment'),
        text: 'TOKEN=very secret\nHOME=/home/agent\n',
        mode: 0o600,
      },
      { kind: 'file', path: join(base, 'staging/file-0'), text: '{}', mode: 0o444 },
      { kind: 'directory', path: join(base, 'staging/empty-directory') },
      { kind: 'file', path: join(base, 'staging/empty-file'), text: '', mode: 0o444 },
    ]);
    expect(after(args, '--mount')).toContain(`type=bind,source=${base}/staging/file-0,target=/etc/agent.json,readonly`);
  });

  it('show a masked path empty, as what it is', async () => {
    writeFileSync(join(base, 'rw/secret'), 'x');
    const mounts = after(
      (await planned({ masked: [join(base, 'rw/secret'), join(base, 'rw/.git'), join(base, 'rw/none')] })).args,
      '--mount',
    );
    expect(mounts).toContain(`type=bind,source=${base}/staging/empty-file,target=${base}/rw/secret,readonly`);
    expect(mounts).toContain(`type=bind,source=${base}/staging/empty-directory,target=${base}/rw/.git,readonly`);
    expect(mounts.join()).not.toContain('rw/none');
  });

  it('set the limits, swap included', async () => {
    const { args } = await planned({
      limits: {
        memoryBytes: 1_000_000,
        processes: 64,
        fileBytes: 5_000,
        openFiles: 128,
        tmpBytes: 4_096,
        homeBytes: 8_192,
      },
    });
    expect(after(args, '--memory')).toEqual(['1000000']);
    expect(after(args, '--memory-swap')).toEqual(['1000000']);
    expect(after(args, '--pids-limit')).toEqual(['64']);
    expect(after(args, '--ulimit')).toEqual(['core=0:0', 'fsize=5000:5000', 'nofile=128:128']);
    const [tmp = '', home = ''] = after(args, '--tmpfs');
    expect(tmp).toMatch(/^\/tmp:.*size=4096/);
    expect(home).toMatch(/^\/home\/agent:.*mode=0700,size=8192,uid=1000,gid=1000/);
  });

  it('map the user for rootless podman, and share the network only when it is granted', async () => {
    const podman: ContainerEngine = { ...docker, kind: 'podman' };
    expect(after((await planned({}, podman)).args, '--userns')).toEqual(['keep-id']);
    expect(after((await planned({}, podman, 0)).args, '--userns')).toEqual([]);
    expect(after((await planned({ network: 'full' })).args, '--network')).toEqual(['host']);
    expect(after((await planned({ network: { allow: ['a.example'] } })).args, '--network')).toEqual(['none']);
  });

  it('end the container by its name, and say what a container does not hold', async () => {
    const { stop, gaps } = await planned();
    expect(stop).toEqual({ command: '/usr/bin/docker', args: ['rm', '--force', '--volumes', 'reeve-1'] });
    for (const word of ['symlink', 'no child of the server', 'filter', 'setuid'])
      expect(gaps.join('\n')).toContain(word);
  });

  it('cannot be widened by the name of a directory', async () => {
    const evil = join(base, 'rw,readonly=false,source=');
    const launch = { command: '/opt/agent', args: [], env: {}, cwd: base };
    const options = { engine: docker, name: 'n', staging: base, user: 0, group: 0 };
    for (const path of [evil, `${base}/a"b`, `${base}/a\nb`])
      expect(containerPlan(launch, profile({ roots: [{ path, access: 'rw' }] }), [], options)).toMatchObject({
        kind: 'failed',
        reason: 'refused',
      });
  });
});

describe('the environment of a container', () => {
  it('refuses what its file cannot say, by the name and never the value', async () => {
    expect(environmentFile({ A: 'b c="d"', B: '' })).toEqual({ kind: 'written', text: 'A=b c="d"\nB=\n' });
    const refused = environmentFile({ KEY: 'secret\nOTHER=1' });
    expect(refused).toMatchObject({ kind: 'failed', message: expect.stringContaining('KEY') });
    expect(JSON.stringify(refused)).not.toContain('secret');
    expect(environmentFile({ 'A B': 'c' })).toMatchObject({ kind: 'failed' });
    expect(environmentFile({ '#A': 'c' })).toMatchObject({ kind: 'failed' });
  });
});

describe('the probe of a container engine', () => {
  const fake = (script: string): ContainerEngine => {
    const program = join(base, 'engine');
    writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return { ...docker, program, env: { PATH: '/usr/bin:/bin' } };
  };

  it('says that the engine does not answer, and what to do', async () => {
    expect(await probeContainer(fake('echo "Cannot connect to the daemon" >&2; exit 1'))).toMatchObject({
      kind: 'unusable',
      reason: expect.stringContaining('Cannot connect to the daemon'),
      nextStep: expect.stringContaining('Docker service'),
    });
    expect(await probeContainer({ ...docker, program: join(base, 'missing') })).toMatchObject({ kind: 'unusable' });
  });

  it('pulls no image, but says how to', async () => {
    expect(await probeContainer(fake('case $1 in version) echo 28.0;; *) exit 1;; esac'))).toMatchObject({
      kind: 'unusable',
      nextStep: expect.stringContaining('docker pull example/agent:1'),
    });
  });

  it('believes only a program that ran', async () => {
    const engine = (ran: string) => fake(`case $1 in version) echo 28.0;; image) echo id;; run) ${ran};; esac`);
    expect(await probeContainer(engine('echo held'))).toEqual({ kind: 'usable', version: '28.0' });
    expect(await probeContainer(engine('true'))).toMatchObject({ kind: 'unusable' });
    expect(await probeContainer(engine('echo "no such file" >&2; exit 127'))).toMatchObject({
      kind: 'unusable',
      reason: expect.stringContaining('no such file'),
    });
  });
});

const real = await realEngine();

/** The first engine here that answers and has some image with a shell. */
async function realEngine(): Promise<ContainerEngine | string> {
  const reasons: string[] = [];
  for (const kind of ['docker', 'podman'] as const) {
    const program = spawnSync('sh', ['-c', `command -v ${kind}`], { encoding: 'utf8' }).stdout.trim();
    if (program === '') {
      reasons.push(`${kind} is not installed`);
      continue;
    }
    const env = { HOME: tmpdir(), PATH: '/usr/local/bin:/usr/bin:/bin' };
    const images = spawnSync(program, ['image', 'ls', '--quiet'], { encoding: 'utf8', env, timeout: 3_000 });
    for (const image of images.stdout?.split('\n').filter(Boolean) ?? []) {
      const engine: ContainerEngine = { kind, program, image, env };
      if ((await probeContainer(engine)).kind === 'usable') return engine;
    }
    const probe = await probeContainer({ kind, program, image: 'none', env });
    reasons.push(probe.kind === 'usable' ? `${kind} has no image with a shell` : probe.reason);
  }
  return reasons.join('; ');
}

describe.skipIf(typeof real === 'string')(
  `a process in a container${typeof real === 'string' ? ` (skipped: ${real})` : ''}`,
  () => {
    it('writes its read-write root and nothing else', async () => {
      if (typeof real === 'string') return;
      const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
      const script = `echo a >${base}/rw/new; echo b >${base}/ro/new; echo c >${base}/rw/.git/hooks/h; mv ${base}/rw/.git ${base}/rw/g; echo d >/etc/new`;
      const plan = containerPlan(
        { command: '/bin/sh', args: ['-c', script], env: {}, cwd: join(base, 'rw') },
        profile(),
        await guardedRoots(profile()),
        { engine: real, name: `reeve-test-${process.pid}`, staging: join(base, 'staging'), user, group },
      );
      if (plan.kind === 'failed') throw new Error(plan.message);
      for (const place of plan.staged) {
        if (place.kind === 'directory') mkdirSync(place.path);
        else writeFileSync(place.path, place.text, { mode: place.mode });
      }
      spawnSync(plan.command, plan.args, { env: plan.env, timeout: 20_000 });
      expect(existsSync(join(base, 'rw/new'))).toBe(true);
      for (const path of ['ro/new', 'rw/.git/hooks/h', 'rw/g']) expect(existsSync(join(base, path)), path).toBe(false);
    });
  },
);
