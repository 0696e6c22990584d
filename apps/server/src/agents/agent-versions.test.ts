import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentVersion } from '@reeve/protocol';
import { createProcessHolder, type ProcessHolder } from '@reeve/sandbox';
import { fakeAgentCommand, fakeAgentPackage, type NpmRegistry, startNpmRegistry } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PackageInstaller } from '../install/package-installer.ts';
import { AgentPool } from './agent-pool.ts';
import { type AgentEntry, createAgentRegistry } from './agent-registry.ts';
import { UNCONFINED, unconfinedSandbox } from './unconfined.rig.ts';

const PACKAGE = '@acme/fake-agent';
const profile = { clientCapabilities: {} };
const installed = (version: string): AgentVersion => ({ requested: '', running: version, source: 'installed' });

/** One data directory for all: a test installs what no other one asks for. */
describe('a version of an agent', () => {
  let holder: ProcessHolder;
  let registry: NpmRegistry;
  let pool: AgentPool;
  let entry: AgentEntry;
  let home: string;
  let open: AsyncDisposableStack;
  const told: string[] = [];
  beforeAll(async () => {
    open = new AsyncDisposableStack();
    home = await mkdtemp(join(tmpdir(), 'reeve-versions-'));
    open.defer(() => rm(home, { recursive: true, force: true }));
    holder = open.use(createProcessHolder());
    registry = await startNpmRegistry(
      ['1.0.0', '1.1.0', '2.0.0', '2.1.0'].map((each) => fakeAgentPackage(PACKAGE, each)),
    );
    open.defer(() => registry[Symbol.asyncDispose]());
    const env = { PATH: process.env.PATH ?? '', HOME: home, npm_config_registry: registry.url };
    const limits = { registryMs: 30_000, installMs: 60_000 };
    const packages = open.use(new PackageInstaller({ dataDir: home, holder, env, limits }));
    const { command, args } = fakeAgentCommand(['--agent-version=1.5.0']);
    entry = { name: 'fake', command, args, env, sandbox: UNCONFINED, npm: { package: PACKAGE, args: ['--resume'] } };
    pool = open.use(
      new AgentPool(createAgentRegistry([entry], undefined), {
        holder,
        sandbox: unconfinedSandbox(home),
        packages,
        offersServices: false,
        limits: {
          maxLineBytes: 2 ** 20,
          stderrTailBytes: 2 ** 16,
          initializeMs: 10_000,
          stopGraceMs: 100,
          stopKillMs: 100,
        },
        onNoise: () => {},
        onProgress: (agent, { phase }) => told.push(`${agent} ${phase}`),
      }),
    );
  });
  afterAll(() => open.disposeAsync());

  async function versionOf(chosen: AgentEntry): Promise<unknown> {
    const { agentInfo } = await pool.initialize(chosen, profile);
    return (agentInfo as { version?: unknown }).version;
  }

  it('is the configured one when nothing is asked for, or it is what is asked for', async () => {
    expect(await pool.versions.entryFor(entry, undefined, profile)).toEqual({ entry, version: undefined });
    expect(await pool.versions.entryFor(entry, '^1.2', profile)).toEqual({
      entry,
      version: { requested: '^1.2', running: '1.5.0', source: 'configured' },
    });
    expect(registry.asked).toEqual([]);
  });

  it('is installed when the configured one is not what is asked for, and runs', async () => {
    const { entry: chosen, version } = await pool.versions.entryFor(entry, '~1.1', profile);
    expect(version).toEqual({ requested: '~1.1', running: '1.1.0', source: 'installed' });
    expect(chosen).toMatchObject({ name: 'fake', args: ['--resume'], env: entry.env });
    expect(await versionOf(chosen)).toBe('1.1.0');
    expect(told).toEqual(['fake resolving', 'fake downloading', 'fake checking', 'fake done']);
    const asked = registry.asked.length;
    expect((await pool.versions.entryFor(entry, '1.1.0', profile)).entry).toEqual(chosen);
    expect(registry.asked).toHaveLength(asked);
  });

  it('is the newest of the registry when the latest is asked for', async () => {
    const { entry: chosen, version } = await pool.versions.entryFor(entry, 'latest', profile);
    expect(version).toEqual({ requested: 'latest', running: '2.1.0', source: 'installed' });
    expect(await versionOf(chosen)).toBe('2.1.0');
  });

  it('that cannot be had is refused with what there is', async () => {
    await expect(pool.versions.entryFor(entry, '^7', profile)).rejects.toMatchObject({
      name: 'invalid_params',
      data: {
        requested: '^7',
        configured: '1.5.0',
        installed: expect.arrayContaining(['2.1.0']),
        available: ['2.1.0', '2.0.0', '1.1.0', '1.0.0'],
      },
    });
    for (const requested of ['', '../x', 'file:/x', 'git+https://x/y', 7, null, {}]) {
      await expect(pool.versions.entryFor(entry, requested, profile)).rejects.toMatchObject({ name: 'invalid_params' });
    }
  });

  it('of an agent without an npm package is the configured one or none', async () => {
    const { npm: _, ...alone } = entry;
    const { version } = await pool.versions.entryFor(alone, 'latest', profile);
    expect(version).toMatchObject({ running: '1.5.0', source: 'configured', note: expect.any(String) });
    await expect(pool.versions.entryFor(alone, '^2', profile)).rejects.toMatchObject({
      name: 'invalid_params',
      data: { requested: '^2', configured: '1.5.0', installed: [], available: [] },
    });
  });

  it('can be had though the configured command does not start', async () => {
    const broken = { ...entry, command: '/no/such/fake-agent' };
    const { version } = await pool.versions.entryFor(broken, '2.1.0', profile);
    expect(version).toEqual({ requested: '2.1.0', running: '2.1.0', source: 'installed' });
  });

  it('that a session began with is what it goes on with', async () => {
    const again = await pool.versions.entryAgain(entry, installed('1.0.0'), profile);
    expect(await versionOf(again.entry)).toBe('1.0.0');
    const configured: AgentVersion = { requested: '1.x', running: '1.5.0', source: 'configured' };
    expect(await pool.versions.entryAgain(entry, configured, profile)).toEqual({ entry, version: configured });
    const replaced: AgentVersion = { requested: '>=2', running: '2.0.0', source: 'configured' };
    const older = await pool.versions.entryAgain(entry, replaced, profile);
    expect(older.version).toEqual({ requested: '>=2', running: '2.0.0', source: 'installed' });
    const gone: AgentVersion = { requested: '>=9', running: '9.0.0', source: 'configured' };
    const asItIs = await pool.versions.entryAgain(entry, gone, profile);
    expect(asItIs).toMatchObject({ entry, version: { source: 'configured', note: expect.stringContaining('9.0.0') } });
    await expect(pool.versions.entryAgain(entry, installed('../../x'), profile)).rejects.toMatchObject({
      name: 'invalid_params',
    });
  });

  it('whose program has another name than the command is found by the only one, or by what the entry says', async () => {
    registry.publish({
      name: 'two-programs',
      version: '1.0.0',
      manifest: { bin: { one: 'a.js', two: 'a.js' } },
      files: { 'a.js': '' },
    });
    const two = { ...entry, npm: { package: 'two-programs' } };
    await expect(pool.versions.entryFor(two, '1.0.0', profile)).rejects.toMatchObject({
      name: 'install_failed',
      message: expect.stringMatching(/one, two.*"npm"/),
    });
    const told = { ...two, npm: { package: 'two-programs', bin: 'two' } };
    expect((await pool.versions.entryFor(told, '1.0.0', profile)).entry.command).toMatch(/\/two$/);
  });

  it('is listed with what is installed and what the registry has', async () => {
    const there = await pool.versions.list(entry);
    expect(there).toMatchObject({
      agent: 'fake',
      package: PACKAGE,
      configured: '1.5.0',
      available: ['2.1.0', '2.0.0', '1.1.0', '1.0.0'],
      tags: { latest: '2.1.0' },
    });
    expect(there.installed.map(({ version }) => version)).toContain('2.1.0');
  });

  it('works without the registry when it is there, and the answer says so', async () => {
    await registry[Symbol.asyncDispose]();
    const { version } = await pool.versions.entryFor(entry, 'latest', profile);
    expect(version).toMatchObject({ running: '2.1.0', source: 'installed', note: expect.stringContaining('npm') });
    await expect(pool.versions.entryFor(entry, '3.0.0', profile)).rejects.toMatchObject({
      name: 'install_failed',
      data: { requested: '3.0.0', configured: '1.5.0' },
    });
    expect(await pool.versions.list(entry)).toMatchObject({ available: [], problem: expect.stringContaining('npm') });
  });
});
