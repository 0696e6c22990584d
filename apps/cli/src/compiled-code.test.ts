import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from './cli.rig.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'reeve-compiled-'));
  for (const name of ['home', 'tmp', 'caches']) mkdirSync(join(base, name));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const printVersion = (more: Readonly<Record<string, string>> = {}) =>
  runCli(['--version'], { HOME: join(base, 'home'), TMPDIR: join(base, 'tmp'), NODE_COMPILE_CACHE: '', ...more });
const kept = (...place: readonly string[]) => {
  const directory = join(base, ...place, 'reeve', 'compiled');
  return existsSync(directory) ? readdirSync(directory) : [];
};

describe('compiled code', () => {
  it('is kept in a directory of the user, and not among temporary files, where others could change what runs', async () => {
    expect(await printVersion()).toMatchObject({ code: 0, stderr: '' });
    expect(kept('home', '.cache')).toHaveLength(1);
    expect(readdirSync(join(base, 'tmp'))).toEqual([]);
  });

  it('is kept where the user has caches, but never in a place that depends on the working directory', async () => {
    await printVersion({ XDG_CACHE_HOME: join(base, 'caches') });
    expect(kept('caches')).toHaveLength(1);
    expect(kept('home', '.cache')).toEqual([]);
    await printVersion({ XDG_CACHE_HOME: 'caches' });
    expect(kept('home', '.cache')).toHaveLength(1);
  });

  it('is not kept without a home, nor where nothing can be written, and everything runs as it does else', async () => {
    for (const HOME of ['', '/proc/nobody', '/dev/null']) {
      expect(await printVersion({ HOME })).toMatchObject({ code: 0, stderr: '' });
    }
    expect(readdirSync(join(base, 'tmp'))).toEqual([]);
  });
});
