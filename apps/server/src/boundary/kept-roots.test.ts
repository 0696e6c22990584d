import { appendFile, mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeptRoots, type RootTurn } from './kept-roots.ts';
import { checkIdentity, identify, type RootIdentity } from './root-identity.ts';

let top: string;
beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'reeve-kept-')));
});
afterEach(() => rm(top, { recursive: true, force: true }));

async function root(name: string): Promise<RootIdentity> {
  const path = join(top, name);
  await mkdir(path, { recursive: true });
  return (await identify(path, 'boot')) as RootIdentity;
}

function keep(identities: readonly RootIdentity[], options: { maxWatched?: number; checkMs?: number } = {}) {
  const turns: RootTurn[] = [];
  const kept = new KeptRoots({
    boot: 'boot',
    maxWatched: 10,
    checkMs: 60_000,
    onChange: (changes) => turns.push(...changes),
    ...options,
  });
  kept.keep(identities);
  return { kept, turns };
}

describe('a root that is looked after', () => {
  it('is told when it is gone, by the directory that holds it, and nothing is told of its neighbours', async () => {
    const [one, two] = [await root('a/one'), await root('b/two')];
    const { kept, turns } = keep([one, two]);
    using _kept = kept;
    await root('a/neighbour');
    await rename(one.path, join(top, 'a/away'));
    await expect.poll(() => turns).toEqual([{ path: one.path, how: 'deleted' }]);
    expect(kept.lost).toEqual(new Set([one.path]));
  });

  it('that is a file stays the same when it is written, and is told when another takes its place by a rename', async () => {
    await mkdir(join(top, 'a'));
    const path = join(top, 'a/notes.txt');
    await writeFile(path, 'one');
    const identity = (await identify(path, 'boot')) as RootIdentity;
    expect(identity.kind).toBe('file');
    const { kept, turns } = keep([identity]);
    using _kept = kept;
    await appendFile(path, 'two');
    await writeFile(path, 'three');
    await kept.check();
    expect(turns).toEqual([]);
    await writeFile(join(top, 'a/next'), 'four');
    await rename(join(top, 'a/next'), path);
    await expect.poll(() => turns).toEqual([{ path, how: 'replaced' }]);
  });

  it('is watched as well where others join it or leave, and by a directory that took the place of its own', async () => {
    const [one, two] = [await root('a/one'), await root('a/two')];
    const { kept, turns } = keep([one]);
    using _kept = kept;
    kept.keep([one, two]);
    await rename(one.path, join(top, 'a/away'));
    await expect.poll(() => turns).toEqual([{ path: one.path, how: 'deleted' }]);
    kept.keep([two]);
    await rename(join(top, 'a'), join(top, 'old'));
    kept.forget(two.path);
    const again = await root('a/two');
    kept.keep([again]);
    await rename(again.path, join(top, 'a/away'));
    await expect.poll(() => turns.slice(1)).toEqual([{ path: two.path, how: 'deleted' }]);
  });

  it('is not watched beyond limits.maxWatchedRoots, but looked at every timeouts.rootCheckMs', async () => {
    const [one, two] = [await root('a/one'), await root('b/two')];
    const unwatched = keep([one, two], { maxWatched: 1 });
    using _unwatched = unwatched.kept;
    await rename(two.path, join(top, 'b/away'));
    await rename(one.path, join(top, 'a/away'));
    await expect.poll(() => unwatched.turns).toEqual([{ path: one.path, how: 'deleted' }]);
    const polled = keep([two], { maxWatched: 0, checkMs: 20 });
    using _polled = polled.kept;
    await expect.poll(() => polled.turns).toEqual([{ path: two.path, how: 'deleted' }]);
    await rename(join(top, 'b/away'), two.path);
    await expect.poll(() => polled.turns.at(-1)).toEqual({ path: two.path, how: undefined });
  });

  it('is watched in the place of another one that is kept no longer', async () => {
    const [one, two] = [await root('a/one'), await root('b/two')];
    const { kept, turns } = keep([one, two], { maxWatched: 1 });
    using _kept = kept;
    kept.keep([two]);
    await rename(two.path, join(top, 'b/away'));
    await expect.poll(() => turns).toEqual([{ path: two.path, how: 'deleted' }]);
  });

  it('is another one when a directory of its name takes its place, even with the inode of before', async () => {
    const one = await root('one');
    await rm(one.path, { recursive: true });
    await mkdir(one.path);
    expect(await checkIdentity(one, 'boot')).toEqual({ kind: 'lost', how: 'replaced' });
    const now = (await identify(one.path, 'boot')) as RootIdentity;
    expect(await checkIdentity({ ...now, born: '1' }, 'boot')).toEqual({ kind: 'lost', how: 'replaced' });
    expect(await checkIdentity({ ...now, dev: '1' }, 'boot')).toEqual({ kind: 'lost', how: 'replaced' });
    // Devices are numbered anew when the machine starts again.
    expect(await checkIdentity({ ...now, dev: '1', boot: 'before' }, 'boot')).toEqual({ kind: 'same' });
  });

  it('is missing from the beginning where nothing was there', async () => {
    const { kept } = keep([]);
    using _kept = kept;
    kept.keep([], [join(top, 'nowhere')]);
    expect(kept.lost).toEqual(new Set([join(top, 'nowhere')]));
  });
});
