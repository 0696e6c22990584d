import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { BoundaryRoot } from '@reeve/protocol';
import { createProcessHolder } from '@reeve/sandbox';
import { afterAll, describe, expect, it } from 'vitest';
import { type FakeGuardOptions, fakeGuard } from '../gate/fake-guard.rig.ts';
import { launcherOptions } from './launcher-options.rig.ts';
import { openPackagePins } from './package-pins.ts';
import { createServerLauncher, type ServerLauncherOptions } from './server-launcher.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-launch-')));
const [granted, other, program] = [join(base, 'granted'), join(base, 'other'), join(base, 'program')];
for (const place of [granted, other, program]) mkdirSync(place);
writeFileSync(join(granted, 'file'), 'granted text');
writeFileSync(join(other, 'file'), 'other text');
writeFileSync(join(program, 'package.json'), '{}');
writeFileSync(join(program, 'part'), 'part of the package');
/** Prints what it finds of the paths that it is given, and its environment; lives until its stdin ends. */
writeFileSync(
  join(program, 'server.cjs'),
  `#!/usr/bin/env node
const fs = require('node:fs');
const seen = (path) => { try { return fs.statSync(path).isDirectory() ? fs.readdirSync(path) : fs.readFileSync(path, 'utf8'); } catch (e) { return e.code; } };
const { HOME, PATH, SECRET, ...others } = process.env;
console.log(JSON.stringify({ cwd: process.cwd(), home: seen(HOME), env: Object.keys(others), SECRET, part: seen(__dirname + '/part'),
  seen: process.argv.slice(2).map(seen) }));
process.stdin.resume();`,
  { mode: 0o755 },
);
const holder = createProcessHolder();
const probe = await holder.probe();
afterAll(async () => {
  await holder[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});
const confines = probe.usable;

const options = launcherOptions(holder, {
  baseEnv: { PATH: process.env.PATH ?? '/usr/bin:/bin', LANG: 'C.UTF-8', TMPDIR: base, XDG_RUNTIME_DIR: base },
});

function open(
  args: readonly string[],
  roots: readonly BoundaryRoot[],
  more: Partial<ServerLauncherOptions> = {},
  guard: FakeGuardOptions = {},
) {
  const server = {
    transport: {
      kind: 'stdio',
      command: process.execPath,
      args: [join(program, 'server.cjs'), ...args],
      env: { SECRET: 'declared' },
    },
  } as const;
  const fake = fakeGuard({ server, roots, ...guard });
  const launcher = createServerLauncher({ ...options, ...more });
  const launch = (because?: Parameters<typeof fake.tell>[0]) =>
    launcher.launch({ guard: fake.guard, because, signal: new AbortController().signal });
  return { ...fake, launcher, launch };
}

async function told(result: Awaited<ReturnType<ReturnType<typeof open>['launch']>>) {
  if (result.kind === 'failed') throw new Error(result.reason);
  result.process.stdin.end();
  return JSON.parse(await text(result.process.stdout)) as Record<string, unknown>;
}

describe.runIf(confines)('an MCP server in its sandbox', () => {
  it('sees its package and its roots, an empty HOME, and nothing else', async () => {
    const { launch, said } = open(
      [join(granted, 'file'), join(other, 'file'), base],
      [{ path: granted, access: 'ro' }],
    );
    const result = await launch();
    expect(await told(result)).toMatchObject({
      cwd: granted,
      home: [],
      SECRET: 'declared',
      part: 'part of the package',
      seen: ['granted text', 'ENOENT', expect.not.arrayContaining(['other'])],
    });
    expect(said.held.at(-1)).toMatchObject({ fs: 'enforced', network: 'enforced' });
  });

  it('starts where its scope says, whatever its first root is, and finds there what its command line names', async () => {
    const part = join(other, 'part');
    mkdirSync(part, { recursive: true });
    writeFileSync(join(part, 'here'), 'text of the part');
    const roots = [granted, other].map((path) => ({ path, access: 'rw' as const }));
    const { launch } = open(['./here', '.'], roots, {}, { cwd: part });
    expect(await told(await launch())).toMatchObject({ cwd: part, seen: ['text of the part', ['here']] });
  });

  it('is given what its command line names from where the session works, also where it works elsewhere itself', async () => {
    const sub = join(base, 'sub');
    mkdirSync(join(sub, 'sub'), { recursive: true });
    writeFileSync(join(sub, 'file'), 'text of sub');
    const roots = [{ path: sub, access: 'rw' }] as const;
    const { launch } = open(['./sub', 'sub/file', '--none', './other/file'], roots, {}, { from: base });
    expect(await told(await launch())).toMatchObject({
      cwd: sub,
      seen: [['file', 'sub'], 'text of sub', 'ENOENT', 'ENOENT'],
    });
    const nothing = open(['./other'], roots, {}, { from: base });
    expect(await nothing.launch()).toMatchObject({ kind: 'failed', reason: expect.stringContaining('not granted') });
  });

  it('is given its own environment, the way to programs and the language', async () => {
    const { env } = (await told(await open([], []).launch())) as { env: string[] };
    expect(env).toContain('LANG');
    expect(env.filter((name) => /^(?:VITEST|npm_|NODE_OPTIONS|TMPDIR|XDG_)/.test(name))).toEqual([]);
  });

  it('finds no directory of its command line that was not granted, and is not started when there is none else', async () => {
    const two = open([granted, other], [{ path: granted, access: 'rw' }]);
    expect(await told(await two.launch())).toMatchObject({ seen: [['file'], 'ENOENT'] });
    const none = await open([other], []).launch();
    expect(none).toMatchObject({ kind: 'failed', retry: false });
    if (none.kind === 'failed') {
      expect(none.reason).toContain('reeve roots ls');
      expect(none.reason).not.toContain(other);
    }
  });

  it('is not shown its package where that holds a root that it was not granted', async () => {
    const inside = join(program, 'root');
    mkdirSync(inside, { recursive: true });
    const { guard, launcher } = open([join(program, 'part')], []);
    const scope = { ...guard.scope(), withheld: [inside] };
    const result = await launcher.launch({
      guard: { ...guard, expose: async () => scope, scope: () => scope },
      because: undefined,
      signal: new AbortController().signal,
    });
    expect(await told(result)).toMatchObject({ part: 'ENOENT', seen: ['ENOENT'] });
  });

  it('is started again in a narrower sandbox, which is found out from inside', async () => {
    const both: readonly BoundaryRoot[] = [
      { path: granted, access: 'rw' },
      { path: other, access: 'rw' },
    ];
    const { launch, become, said } = open([join(other, 'file')], both);
    const taken = become([{ path: granted, access: 'ro' }]);
    expect(await told(await launch(taken))).toMatchObject({ seen: ['ENOENT'] });
    expect(said.verified).toEqual([
      '2 gone: looked for from inside its sandbox: 2 not there any more, or not to be written',
    ]);
  });

  it('sees of a root that is a file that file alone, works elsewhere, and is found to have lost it', async () => {
    const file = { path: join(other, 'file'), access: 'ro', kind: 'file' } as const;
    writeFileSync(join(other, 'beside'), 'canary');
    const { launch, become, said } = open([file.path, join(other, 'beside')], [file]);
    const alone = await told(await launch());
    expect(alone).toMatchObject({ seen: ['other text', 'ENOENT'] });
    expect(alone.cwd).not.toContain(base);
    expect(said.held.at(-1)).toMatchObject({ fs: 'enforced' });
    await told(await launch(become([{ path: granted, access: 'rw' }])));
    expect(said.verified).toEqual([expect.stringMatching(/^2 gone: .*: 1 not there/)]);
  });

  it('is looked at for all that was taken since its last start, also by changes that were not carried out', async () => {
    const places = [granted, other].map((path) => ({ path, access: 'rw' }) as const);
    const { launch, become, said } = open([], places);
    await told(await launch());
    become([{ path: granted, access: 'rw' }]);
    await told(await launch(become([])));
    expect(said.verified).toEqual([expect.stringMatching(/^3 gone: .*: 2 not there/)]);
  });

  it('is verified where only the way to another root is left, and not where something is still shown', async () => {
    const deep = join(other, 'deep');
    mkdirSync(deep, { recursive: true });
    const kept = open([], [{ path: other, access: 'rw' }]);
    await told(await kept.launch(kept.become([{ path: deep, access: 'rw' }])));
    expect(kept.said.verified).toEqual([expect.stringMatching(/^2 gone/)]);
    const shown = open([], [{ path: program, access: 'rw' }]);
    await told(await shown.launch({ ...shown.become([]), after: shown.guard.scope() }));
    expect(shown.said.verified).toEqual([expect.stringMatching(/^2 unverified: 1 of 1 directories/)]);
  });

  it('is started anew when its scope became narrower while it started', async () => {
    const fake = open([join(other, 'file')], [{ path: other, access: 'rw' }]);
    const { expose } = fake.guard;
    let first = true;
    const guard = {
      ...fake.guard,
      expose: async (...given: Parameters<typeof expose>) => {
        const scope = await expose(...given);
        if (first) fake.become([]);
        first = false;
        return scope;
      },
    };
    const result = await fake.launcher.launch({ guard, because: undefined, signal: new AbortController().signal });
    expect(result).toMatchObject({ kind: 'launched', scope: { revision: 2 } });
    expect(await told(result)).toMatchObject({ seen: ['ENOENT'] });
  });

  it('has its refused connections told, each host once', async () => {
    const refused: string[] = [];
    const dial = `require('node:net').connect(3128, '127.0.0.1').end('CONNECT denied.test:443 HTTP/1.1\\r\\nHost: denied.test\\r\\n\\r\\n').resume()`;
    const transport = { kind: 'stdio', command: process.execPath, args: ['-e', `${dial}; ${dial}`], env: {} } as const;
    const onEgress: ServerLauncherOptions['onEgress'] = (guard, { host, port, decision }) =>
      refused.push(`${guard.server.name} ${host}:${port} ${decision}`);
    const { guard, launcher } = open([], [{ path: granted, access: 'ro' }], { onEgress }, { server: { transport } });
    const scope = { ...guard.scope(), network: { allow: ['allowed.test'] } };
    const own = { ...guard, expose: async () => scope, scope: () => scope };
    const result = await launcher.launch({ guard: own, because: undefined, signal: new AbortController().signal });
    if (result.kind === 'failed') throw new Error(result.reason);
    await result.process.exited;
    expect(refused).toEqual(['files denied.test:443 denied']);
  });

  it('may be a command of the system, by whichever name', async () => {
    const args = ['-c', `echo '{"seen":"'$0'"}'; cat >/dev/null`, 'shell'];
    for (const command of ['sh', '/bin/sh', '/usr/bin/env']) {
      const line = command.endsWith('env') ? ['sh', ...args] : args;
      const transport = { kind: 'stdio', command, args: line, env: {} } as const;
      const { launch } = open([], [{ path: granted, access: 'ro' }], {}, { server: { transport } });
      expect(await told(await launch())).toEqual({ seen: 'shell' });
    }
  });

  it('runs a package that was fetched outside, once for all its starts until it is forgotten', async () => {
    const pins = openPackagePins(join(base, 'pins.json'));
    let installs = 0;
    const packages: ServerLauncherOptions['packages'] = {
      resolve: async () => ({ kind: 'resolved', version: '1.0.0' }),
      install: async (name, version) => {
        installs += 1;
        return { name, version, integrity: 'sha512-x', installedAt: 0, bins: { server: join(program, 'server.cjs') } };
      },
    };
    const transport = { kind: 'stdio', command: 'npx', args: ['-y', 'server@1', granted], env: {} } as const;
    const { launch, guard, said } = open(
      [],
      [{ path: granted, access: 'ro' }],
      { packages, pins },
      { server: { transport } },
    );
    expect(await told(await launch())).toMatchObject({ part: 'part of the package', seen: [['file']] });
    await told(await launch());
    expect(installs).toBe(1);
    const archive = { version: '1.0.0', integrity: 'sha512-x' };
    expect(said.fetched[0]).toEqual({ kind: 'pinned', registry: 'npm', spec: 'server@1', name: 'server', ...archive });
    await pins.forget(guard.fingerprint);
    await told(await launch());
    expect(installs).toBe(2);
    await pins.keep(guard.fingerprint, 'server@1', { version: '1.0.1', integrity: 'sha512-y' });
    expect(await launch()).toMatchObject({ kind: 'failed', reason: expect.stringContaining('not the archive') });
  });
});

describe('an MCP server that cannot be started', () => {
  it.each([
    [{ command: 'missing-program', args: [] }, 'was not found on PATH'],
    [{ command: 'docker', args: ['run', 'image'] }, 'sandbox.require'],
    [{ command: 'uvx', args: ['server'] }, 'uv tool install'],
    [{ command: 'npx', args: ['-c', 'x'] }, 'name its program'],
  ])('is told with the next step: %j', async (line, next) => {
    const { launch, said } = open([], [], {}, { server: { transport: { kind: 'stdio', env: {}, ...line } } });
    const result = await launch();
    expect(result).toMatchObject({ kind: 'failed', retry: false });
    if (result.kind === 'failed') expect(result.reason).toContain(next);
    expect(said.held).toEqual([undefined]);
  });

  it('because the sandbox is switched off, unless it need not be confined', async () => {
    const off = await open([], [], { enabled: false }).launch();
    expect(off).toMatchObject({ kind: 'failed', reason: expect.stringContaining('"sandbox.backend" is "none"') });
    const { launch, said, become } = open([], [{ path: granted, access: 'rw' }], {
      enabled: false,
      require: 'declared',
    });
    expect(await told(await launch(become([])))).toMatchObject({ part: 'part of the package' });
    expect(said.held.at(-1)).toMatchObject({ fs: 'declared' });
    expect(said.verified).toEqual(['2 unverified: nothing confines the server: it was only started again']);
  });

  it('has lost what was taken: it does not run', async () => {
    const { launch, become, said } = open([other], [{ path: other, access: 'rw' }]);
    expect(await launch(become([]))).toMatchObject({ kind: 'failed' });
    expect(said.verified).toEqual(['2 gone: the server does not run']);
  });

  it('because nobody needs it any more', async () => {
    const { guard, launcher } = open([], []);
    expect(await launcher.launch({ guard, because: undefined, signal: AbortSignal.abort() })).toMatchObject({
      kind: 'failed',
    });
  });
});

describe('a change of the scope', () => {
  it.each([
    [[], true, true],
    [[{ path: granted, access: 'rw' }], true, true],
    [[{ path: granted, access: 'ro', name: 'named' }], false, false],
  ] as const)('needs another process where mounts must change: %j', (next, confined, unconfined) => {
    const { become, launcher } = open([], [{ path: granted, access: 'ro' }]);
    const change = become(next);
    expect(launcher.mustReplace(change)).toBe(confined);
    expect(createServerLauncher({ ...options, enabled: false }).mustReplace(change)).toBe(
      unconfined && next.length === 0,
    );
  });

  it.each([true, false])(
    'needs another process where it works elsewhere from then on, confined or not: %s',
    (enabled) => {
      const { become, launcher } = open([], [{ path: granted, access: 'ro' }], { enabled });
      const { after, ...change } = become([{ path: granted, access: 'ro' }]);
      expect(launcher.mustReplace({ ...change, after })).toBe(false);
      expect(launcher.mustReplace({ ...change, after: { ...after, cwd: other } })).toBe(true);
    },
  );
});
