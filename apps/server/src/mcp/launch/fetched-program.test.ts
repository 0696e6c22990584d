import { describe, expect, it } from 'vitest';
import type { InstalledPackage } from '../../install/installed-package.ts';
import type { Resolution } from '../../install/package-installer.ts';
import { fetchProgram, type PackageSource } from './fetched-program.ts';
import type { PackagePin, PackagePins } from './package-pins.ts';

const never = new AbortController().signal;

function packages(
  bins: Record<string, string>,
  resolution: Resolution = { kind: 'resolved', version: '1.2.3' },
  integrity = 'sha512-x',
) {
  const asked: string[] = [];
  const offered: PackageSource = {
    async resolve(name, wanted) {
      asked.push(`${name} ${JSON.stringify(wanted)}`);
      return resolution;
    },
    async install(name, version): Promise<InstalledPackage> {
      asked.push(`install ${name}@${version}`);
      return { name, version, integrity, bins, installedAt: 0 };
    },
  };
  return { offered, asked };
}

function memoryPins(): Pick<PackagePins, 'find' | 'keep'> {
  const kept = new Map<string, PackagePin>();
  return {
    find: async (fingerprint, spec) => kept.get(`${fingerprint} ${spec}`),
    keep: async (fingerprint, spec, pin) => void kept.set(`${fingerprint} ${spec}`, pin),
  };
}

const run = (from: PackageSource, spec: string, bin?: string, pins = memoryPins(), fingerprint = 'one') =>
  fetchProgram({ kind: 'npm', spec, bin, args: ['a'] }, { packages: from, pins, fingerprint, signal: never });

describe('the package of a server', () => {
  it('is installed in the version that is asked for, and runs its only program', async () => {
    const { offered, asked } = packages({ other: '/p/other' });
    expect(await run(offered, '@scope/server@^1')).toMatchObject({ kind: 'program', command: '/p/other', args: ['a'] });
    expect(asked).toEqual(['@scope/server {"kind":"range","range":">=1.0.0 <2.0.0-0"}', 'install @scope/server@1.2.3']);
    await run(offered, '@scope/server');
    expect(asked[2]).toBe('@scope/server {"kind":"tag","tag":"latest"}');
  });

  it('stays what it was at the first start, though a tag has moved, until the server is another one', async () => {
    const pins = memoryPins();
    await run(packages({ x: '/p/x' }).offered, 'x', undefined, pins);
    const moved = packages({ x: '/p/x' }, { kind: 'resolved', version: '2.0.0' });
    await run(moved.offered, 'x', undefined, pins);
    expect(moved.asked).toEqual(['install x@1.2.3']);
    await run(moved.offered, 'x', undefined, pins, 'another');
    expect(moved.asked.at(-1)).toBe('install x@2.0.0');
  });

  it('is not run when its archive is another one than at the first start', async () => {
    const pins = memoryPins();
    await run(packages({ x: '/p/x' }).offered, 'x@1.2.3', undefined, pins);
    const other = packages({ x: '/p/x' }, undefined, 'sha512-other');
    expect(await run(other.offered, 'x@1.2.3', undefined, pins)).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('not the archive'),
    });
  });

  it('in an exact version is not asked of the registry when it is installed', async () => {
    const { offered, asked } = packages({ x: '/p/x' });
    await run(offered, 'x@1.2.3');
    expect(asked).toEqual(['install x@1.2.3']);
  });

  it('runs the program that is named, or the one with the name of the package', async () => {
    const { offered } = packages({ server: '/p/server', cli: '/p/cli' });
    expect(await run(offered, '@scope/server')).toMatchObject({ command: '/p/server' });
    expect(await run(offered, '@scope/server', 'cli')).toMatchObject({ command: '/p/cli' });
    expect(await run(offered, '@scope/else')).toMatchObject({ kind: 'failed', retry: false });
    expect(await run(offered, '@scope/else', 'toString')).toMatchObject({ kind: 'failed' });
  });

  it.each(['git+https://example.org/x', './local', 'https://example.org/x.tgz', 'name@npm:other', ''])(
    'is none of the registry, and not fetched: %j',
    async (spec) => {
      const { offered, asked } = packages({ x: '/x' });
      const result = await run(offered, spec);
      expect(result).toMatchObject({ kind: 'failed', retry: false });
      if (result.kind === 'failed') expect(result.reason).toContain('write NAME@VERSION');
      expect(asked).toEqual([]);
    },
  );

  it.each([
    [{ kind: 'unknown-package' }, 'correct its name', false],
    [{ kind: 'no-match', versions: ['2.0.0', '1.0.0'] }, '2.0.0, 1.0.0', false],
    [{ kind: 'unreachable', message: 'offline' }, 'offline', true],
  ] as const)('that cannot be had is told with the next step: %j', async (resolution, text, retry) => {
    const result = await run(packages({}, resolution).offered, 'pkg');
    expect(result).toMatchObject({ kind: 'failed', retry });
    if (result.kind === 'failed') expect(result.reason).toContain(text);
  });
});
