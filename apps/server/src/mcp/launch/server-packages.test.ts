import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeclaredServer } from '../../boundary/declared-server.ts';
import type { Resolution } from '../../install/package-installer.ts';
import type { KnownIntegrity } from '../../install/package-registry.ts';
import { openPackagePins } from './package-pins.ts';
import { createServerPackages } from './server-packages.ts';

const NEVER = new AbortController().signal;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reeve-packages-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Registry {
  readonly resolution?: Resolution | Promise<Resolution>;
  readonly integrity?: KnownIntegrity;
}

function open({ resolution = { kind: 'resolved', version: '1.2.3' }, integrity }: Registry = {}) {
  const asked: string[] = [];
  const packages = createServerPackages({
    pins: openPackagePins(join(folder, 'pins.json')),
    installer: {
      async resolve(name, wanted) {
        asked.push(`${name} ${JSON.stringify(wanted)}`);
        return resolution;
      },
      async integrity(name, version) {
        asked.push(`${name}@${version}`);
        return integrity ?? { kind: 'known', integrity: `sha512-${version}` };
      },
    },
  });
  return { packages, asked };
}

const server = (command: string, ...args: readonly string[]): DeclaredServer => ({
  name: 'files',
  origin: 'client',
  transport: { kind: 'stdio', command, args, env: {} },
});

describe('the package of a command', () => {
  const latest = server('npx', '-y', 'files@latest', '/data');
  const npm = { registry: 'npm', spec: 'files@latest', name: 'files' };

  it('is told for a review in its exact version with the sha512 of its archive, and nothing is fetched', async () => {
    const { packages, asked } = open();
    expect(await packages.known(latest, 'one')).toMatchObject({ kind: 'unresolved', ...npm });
    expect(asked).toEqual([]);
    expect(await packages.examine(latest, 'one', NEVER)).toEqual({
      kind: 'resolved',
      ...npm,
      version: '1.2.3',
      integrity: 'sha512-1.2.3',
    });
    expect(asked).toEqual(['files {"kind":"tag","tag":"latest"}', 'files@1.2.3']);
    const exact = await packages.examine(server('npm', 'exec', '@scope/files@2.0.0'), 'one', NEVER);
    expect(exact).toMatchObject({ name: '@scope/files', version: '2.0.0', integrity: 'sha512-2.0.0' });
    expect(asked.slice(2)).toEqual(['@scope/files@2.0.0']);
  });

  it('stays what was approved, though its tag has moved, until the server is forgotten', async () => {
    const { packages } = open();
    const shown = await packages.examine(latest, 'one', NEVER);
    await packages.approve('one', shown as never);
    const moved = open({ resolution: { kind: 'resolved', version: '2.0.0' } });
    const pinned = { kind: 'pinned', ...npm, version: '1.2.3', integrity: 'sha512-1.2.3' };
    expect(await moved.packages.examine(latest, 'one', NEVER)).toEqual(pinned);
    expect(await moved.packages.known(latest, 'one')).toEqual(pinned);
    expect(moved.asked).toEqual([]);
    expect(await moved.packages.examine(latest, 'two', NEVER)).toMatchObject({ version: '2.0.0' });
    await moved.packages.forget('one');
    expect(await moved.packages.examine(latest, 'one', NEVER)).toMatchObject({ kind: 'resolved', version: '2.0.0' });
  });

  it.each<[string, Registry]>([
    ['has no such package', { resolution: { kind: 'unknown-package' } }],
    ['has no such version', { resolution: { kind: 'no-match', versions: [] } }],
    ['could not be reached', { resolution: { kind: 'unreachable', message: 'secret' } }],
    ['gives no sha512', { integrity: { kind: 'unsigned' } }],
    ['gives no sha512', { integrity: { kind: 'unreachable', message: 'secret' } }],
  ])('is told to be unknown, with why, where the registry %s', async (why, registry) => {
    const { packages } = open(registry);
    const shown = await packages.examine(latest, 'one', NEVER);
    expect(shown).toEqual({ kind: 'unresolved', ...npm, why: expect.stringContaining(why) });
    await packages.approve('one', shown as never);
    expect(await packages.known(latest, 'one')).toMatchObject({ kind: 'unresolved' });
  });

  it('is told to be pinned by nothing where the command fetches it by itself', async () => {
    const { packages, asked } = open();
    for (const spec of ['git[all]==1.2', 'git@1.2', 'git'])
      expect(await packages.examine(server('uvx', spec), 'one', NEVER)).toEqual({
        kind: 'unpinned',
        registry: 'pypi',
        spec,
        name: 'git',
      });
    expect(asked).toEqual([]);
  });

  it.each([
    [server('node', 'server.js')],
    [server('npx', 'github:owner/files')],
    [server('npx', '--unknown', 'files')],
    [{ ...latest, transport: { kind: 'http', url: 'https://mcp.example', headers: {} } } as DeclaredServer],
  ])('is none of %j', async (other) => {
    const { packages, asked } = open();
    expect(await packages.examine(other, 'one', NEVER)).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it('is asked for with few others at a time, and not for who left meanwhile', async () => {
    const resolution = Promise.withResolvers<Resolution>();
    const { packages, asked } = open({ resolution: resolution.promise });
    const leave = new AbortController();
    const ask = (index: number, signal = NEVER) => packages.examine(server('npx', `files-${index}`), 'one', signal);
    const first = Promise.all([0, 1, 2, 3].map((index) => ask(index)));
    await expect.poll(() => asked).toHaveLength(4);
    const [gone, later] = [ask(4, leave.signal).catch(() => 'gone'), ask(5)];
    await openPackagePins(join(folder, 'pins.json')).find('one', 'any');
    leave.abort();
    expect(await gone).toBe('gone');
    expect(asked).toHaveLength(4);
    resolution.resolve({ kind: 'unknown-package' });
    expect(await first).toHaveLength(4);
    expect(await later).toMatchObject({ kind: 'unresolved', name: 'files-5' });
    expect(asked.map((line) => line.split(' ')[0])).not.toContain('files-4');
  });

  it('is not waited for by who has left', async () => {
    const { packages } = open({ resolution: new Promise(() => {}) });
    const leave = new AbortController();
    const examined = packages.examine(latest, 'one', leave.signal);
    leave.abort(new Error('left'));
    await expect(examined).rejects.toThrow('left');
  });
});
