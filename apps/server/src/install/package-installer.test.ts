import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProcessHolder, type ProcessHolder } from '@reeve/sandbox';
import { fakeAgentPackage, type NpmRegistry, startNpmRegistry } from '@reeve/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type InstallLimits, PackageInstaller } from './package-installer.ts';
import { type PackageName, parsePackageName } from './package-name.ts';
import { parseWanted, type WantedVersion } from './wanted-version.ts';

const NAME = parsePackageName('@acme/agent') as PackageName;
const wanted = (text: string): WantedVersion => parseWanted(text) as WantedVersion;

describe('packages of the npm registry', () => {
  let holder: ProcessHolder;
  let registry: NpmRegistry;
  let home: string;
  let open: AsyncDisposableStack;
  beforeAll(() => {
    holder = createProcessHolder();
  });
  afterAll(() => holder[Symbol.asyncDispose]());
  beforeEach(async () => {
    open = new AsyncDisposableStack();
    home = await mkdtemp(join(tmpdir(), 'reeve-install-'));
    open.defer(() => rm(home, { recursive: true, force: true }));
    registry = open.use(
      await startNpmRegistry(['1.0.0', '1.2.0', '2.0.0'].map((version) => fakeAgentPackage(NAME, version))),
    );
  });
  afterEach(() => open.disposeAsync());

  function installer(limits: Partial<InstallLimits> = {}): PackageInstaller {
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      npm_config_registry: registry.url,
      npm_config_fetch_retries: '0',
      npm_config_dry_run: 'true',
    };
    return open.use(
      new PackageInstaller({
        dataDir: home,
        holder,
        env,
        limits: { registryMs: 30_000, installMs: 60_000, ...limits },
      }),
    );
  }

  it('are resolved by tag, version and range, or the answer is what there is', async () => {
    const packages = installer();
    registry.publish({ ...fakeAgentPackage(NAME, '3.0.0-beta.1') });
    registry.publish(fakeAgentPackage(NAME, '1.9.0')); // The last one is the registry's `latest`.
    expect(await packages.resolve(NAME, wanted('latest'))).toEqual({ kind: 'resolved', version: '1.9.0' });
    expect(await packages.resolve(NAME, wanted('1.2.0'))).toEqual({ kind: 'resolved', version: '1.2.0' });
    expect(await packages.resolve(NAME, wanted('>=1'))).toEqual({ kind: 'resolved', version: '1.9.0' });
    expect(await packages.resolve(NAME, wanted('^2'))).toEqual({ kind: 'resolved', version: '2.0.0' });
    expect(await packages.resolve(NAME, wanted('7.x'))).toEqual({
      kind: 'no-match',
      versions: ['3.0.0-beta.1', '2.0.0', '1.9.0', '1.2.0', '1.0.0'],
    });
    expect(await packages.resolve('nobody-has-this' as PackageName, wanted('latest'))).toEqual({
      kind: 'unknown-package',
    });
  });

  it('are installed once, whole, with what is known of them written down', async () => {
    const packages = installer();
    const phases: string[] = [];
    const [first, second] = await Promise.all([
      packages.install(NAME, '1.2.0', ({ phase }) => phases.push(phase)),
      installer().install(NAME, '1.2.0'),
    ]);
    expect(second).toEqual(first);
    expect(first).toMatchObject({ name: NAME, version: '1.2.0', integrity: expect.stringMatching(/^sha512-/) });
    expect(await readFile(first.bins['fake-agent'] ?? '', 'utf8')).toContain('--agent-version=1.2.0');
    expect(phases[0]).toBe('resolving');
    const archives = registry.asked.filter((path) => path.endsWith('.tgz'));
    expect(archives).toEqual([`${NAME}/-/1.2.0.tgz`]);
    expect(await readdir(join(home, 'packages', NAME))).toEqual(['1.2.0']);
    expect(await packages.installed(NAME)).toEqual([first]);
  });

  it('tell of each phase of their installation', async () => {
    const phases: string[] = [];
    await installer().install(NAME, '1.0.0', ({ phase }) => phases.push(phase));
    expect(phases).toEqual(['resolving', 'downloading', 'checking', 'done']);
  });

  it('are not used when they are not what the registry describes', async () => {
    const integrity = `sha512-${'A'.repeat(86)}==`;
    registry.publish({ ...fakeAgentPackage(NAME, '4.0.0'), integrity });
    await expect(installer().install(NAME, '4.0.0')).rejects.toMatchObject({
      name: 'install_failed',
      message: expect.stringContaining('EINTEGRITY'),
    });
    expect(await readdir(join(home, 'packages', NAME))).toEqual([]);
  });

  it('never run an install script, and say so when a program is missing for that', async () => {
    const made = join(home, 'made-by-script');
    registry.publish({
      name: 'scripted',
      version: '1.0.0',
      manifest: { bin: 'not-there.js', scripts: { postinstall: `touch ${made}` } },
    });
    await expect(installer().install('scripted' as PackageName, '1.0.0')).rejects.toMatchObject({
      name: 'install_failed',
      message: expect.stringContaining('"postinstall" script'),
    });
    expect(await readdir(home)).not.toContain('made-by-script');
  });

  it('that name no program have those of their folder "bin"', async () => {
    registry.publish({ name: 'for-one-platform', version: '1.0.0', files: { 'bin/tool': '#!/bin/sh\n' } });
    const { bins } = await installer().install('for-one-platform' as PackageName, '1.0.0');
    expect(Object.keys(bins)).toEqual(['tool']);
    expect(await readFile(bins.tool ?? '', 'utf8')).toBe('#!/bin/sh\n');
  });

  it('that are installed work without the registry, and the answer says so', async () => {
    const packages = installer();
    await packages.install(NAME, '1.0.0');
    await packages.install(NAME, '1.2.0');
    await registry[Symbol.asyncDispose]();
    const offline = { kind: 'resolved', version: '1.2.0', note: expect.stringContaining('ECONNREFUSED') };
    expect(await packages.resolve(NAME, wanted('latest'))).toEqual(offline);
    expect(await packages.resolve(NAME, wanted('^1.0'))).toEqual(offline);
    expect(await packages.resolve(NAME, wanted('2.0.0'))).toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/ECONNREFUSED.*Check that the registry can be reached/s),
    });
    expect(await packages.install(NAME, '1.0.0')).toMatchObject({ version: '1.0.0' });
    await expect(packages.install(NAME, '2.0.0')).rejects.toMatchObject({
      name: 'install_failed',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('that a killed server left half are thrown away, and its lock is taken over', async () => {
    const folder = join(home, 'packages', NAME);
    await mkdir(join(folder, '.draft-old', 'node_modules'), { recursive: true });
    await mkdir(join(folder, '2.0.0'));
    const { hostname } = await import('node:os');
    await writeFile(join(folder, '.lock'), JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), id: 'old' }));
    const packages = installer();
    expect(await packages.installed(NAME)).toEqual([]);
    expect(await packages.install(NAME, '2.0.0')).toMatchObject({ version: '2.0.0' });
    expect(await readdir(folder)).toEqual(['2.0.0']);
  });

  it('are waited for no longer than the time-outs', async () => {
    await installer().listing(NAME);
    registry.hang();
    const packages = installer({ registryMs: 500, installMs: 1000 });
    const begun = performance.now();
    expect(await packages.listing(NAME)).toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('time-out'),
    });
    await expect(packages.install(NAME, '2.0.0')).rejects.toMatchObject({ name: 'install_failed' });
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(await readdir(join(home, 'packages', NAME))).toEqual([]);
  });

  it('go on being installed when a caller leaves', async () => {
    const packages = installer();
    const leaving = new AbortController();
    const left = packages.install(NAME, '1.0.0', () => {}, leaving.signal);
    const stays = packages.install(NAME, '1.0.0');
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    expect(await stays).toMatchObject({ version: '1.0.0' });
  });

  it('that are being installed when the server stops leave nothing behind', async () => {
    const packages = installer();
    registry.hang();
    const installing = packages.install(NAME, '1.0.0');
    const refused = expect(installing).rejects.toMatchObject({ name: 'shutting_down' });
    await expect.poll(() => registry.asked.length).toBeGreaterThan(0);
    await packages[Symbol.asyncDispose]();
    await refused;
    expect(await readdir(join(home, 'packages', NAME))).toEqual([]);
  });
});
