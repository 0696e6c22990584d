import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGitSearch, gitSearchLimits } from './git-search.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-git-search-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A path that ends with a slash is a directory. */
function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, name);
    mkdirSync(name.endsWith('/') ? path : dirname(path), { recursive: true });
    if (!name.endsWith('/')) writeFileSync(path, text);
  }
}

const found = async (limits = gitSearchLimits) =>
  (await createGitSearch(1, limits).in(root)).places.map(({ kind, path }) => `${kind} ${path}`).toSorted();

describe('what git finds in a directory', () => {
  it('is its own git directory and those of submodules, also in others, with whatever names', async () => {
    write({
      '.git/HEAD': '',
      '.git/modules/lib/HEAD': '',
      '.git/modules/lib/modules/inner/HEAD': '',
      '.git/modules/group/deep/HEAD': '',
      '.git/modules/group/deep/hooks/': '',
    });
    expect(await found()).toEqual([
      'repository .git',
      'repository .git/modules/group/deep',
      'repository .git/modules/lib',
      'repository .git/modules/lib/modules/inner',
    ]);
  });

  it('is what linked work trees have of it, and their submodules', async () => {
    write({
      '.git/worktrees/side/commondir': '../..\n',
      '.git/worktrees/side/modules/lib/HEAD': '',
    });
    expect(await found()).toEqual([
      'repository .git',
      'repository .git/worktrees/side/modules/lib',
      'work-tree .git/worktrees/side',
    ]);
  });

  it('are repositories below, inside of each other, and files and symlinks that name one', async () => {
    write({ 'a/.git/': '', 'a/b/c/.git/': '', 'flat/.git': 'gitdir: nowhere\n', 'd/link/file': '' });
    symlinkSync('../../a/.git', join(root, 'd/link/.git'));
    expect(await found()).toEqual([
      'pointer d/link/.git',
      'pointer flat/.git',
      'repository a/.git',
      'repository a/b/c/.git',
    ]);
  });

  it('is a git directory without a work tree, the directory itself too, and what lies beside its objects', async () => {
    const bare = (at: string) => write({ [`${at}HEAD`]: '', [`${at}objects/`]: '', [`${at}refs/`]: '' });
    bare('');
    bare('stores/x.git/');
    write({ 'main/.git': 'gitdir: ../worktrees/main\n', 'worktrees/main/commondir': '../..\n' });
    expect(await found()).toEqual([
      'pointer main/.git',
      'repository ',
      'repository stores/x.git',
      'work-tree worktrees/main',
    ]);
  });

  it('is where files and configurations of git say, below what is looked at as well', async () => {
    write({
      '.git/worktrees/far/commondir': '../..',
      '.git/worktrees/far/gitdir': `${root}/1/2/3/far/.git\n`,
      '.git/modules/lib/HEAD': '',
      '.git/modules/lib/config': '[core]\n\tbare = false\n\tworktree = "../../../1/2/3/a \\"lib\\""\n',
      '1/2/3/far/.git': 'gitdir: x',
      '1/2/3/a "lib"/.git': 'gitdir: x',
      'apart/.git': `gitdir: ${root}/1/2/3/store\n`,
      '1/2/3/store/config': '',
    });
    expect(await found({ ...gitSearchLimits, maxDirectories: 12 })).toEqual(
      expect.arrayContaining(['pointer 1/2/3/a "lib"/.git', 'pointer 1/2/3/far/.git']),
    );
    expect(await found()).toContain('repository 1/2/3/store');
  });

  it('never lies outside, and is not followed in circles, through symlinks or into pipes', async () => {
    write({
      'a/.git': 'gitdir: ../b/.git\n',
      'b/.git': `gitdir: ${root}/../../../etc\n`,
      'c/.git': `gitdir: ${root}\n`,
      '.git/modules/up/HEAD': '',
      '.git/modules/up/config': '[core]\n\tworktree = ../../../..\n',
      '.git/modules/round/HEAD': '',
      '.git/modules/round/config': '[core]\n\tworktree = .\n',
      '.git/modules/round/.git': 'gitdir: .\n',
      '.git/worktrees/waits/commondir': '',
    });
    execFileSync('mkfifo', [join(root, '.git/worktrees/waits/gitdir')]);
    symlinkSync('..', join(root, 'a/loop'));
    expect(await found()).toEqual([
      'pointer .git/modules/round/.git',
      'pointer a/.git',
      'pointer b/.git',
      'pointer c/.git',
      'repository .git',
      'repository .git/modules/round',
      'repository .git/modules/up',
      'work-tree .git/worktrees/waits',
    ]);
  });

  it('is not looked for where packages are fetched to', async () => {
    write({ 'node_modules/x/.git/': '', 'build/_deps/x-src/.git/': '', 'x/.git/': '' });
    expect(await found()).toEqual(['repository x/.git']);
  });

  it('is not looked for in mounts of other machines, which may never answer, but in a root on one', async () => {
    write({ 'far/x/.git/': '', 'near/.git': `gitdir: ${root}/far/x/.git\n`, 'near/far/.git/': '' });
    const at = async (...distant: readonly string[]) =>
      (await createGitSearch(1, gitSearchLimits, distant).in(root)).places.map(({ path }) => path).toSorted();
    expect(await at(join(root, 'far'))).toEqual(['near/.git', 'near/far/.git']);
    expect(await at(root)).toContain('far/x/.git');
  });

  it('is bounded: those nearest to the directory come first, and how many are left out is told', async () => {
    for (let count = 0; count < 6; count += 1) write({ [`deep/er/${count}/.git/`]: '', [`${count}/.git/`]: '' });
    expect(await found({ ...gitSearchLimits, maxDirectories: 20 })).toHaveLength(6);
    const { places, beyond } = await createGitSearch(1, { ...gitSearchLimits, maxPlaces: 7 }).in(root);
    expect([places.length, beyond]).toEqual([7, 5]);
    expect(places.filter(({ path }) => path.startsWith('deep'))).toHaveLength(1);
    expect((await found({ ...gitSearchLimits, maxNames: 4 })).length).toBeLessThan(6);
  });

  it('is bounded for all roots together: each has its share, and what others leave', async () => {
    for (let count = 0; count < 8; count += 1) write({ [`one/${count}/.git/`]: '', [`two/${count}/.git/`]: '' });
    write({ 'none/': '' });
    const numbers = async (limits: Partial<typeof gitSearchLimits>) => {
      const search = createGitSearch(3, { ...gitSearchLimits, ...limits });
      const counts: number[] = [];
      for (const name of ['none', 'one', 'two']) counts.push((await search.in(join(root, name))).places.length);
      return counts;
    };
    expect(await numbers({ maxDirectories: 60 })).toEqual([0, 8, 8]);
    const [, one = 0, two = 0] = await numbers({ maxDirectories: 24 });
    expect([one > 0, one < 8, two > 0, two < 8]).toEqual([true, true, true, true]);
    expect(await numbers({ maxPlaces: 10 })).toEqual([0, 8, 2]);
  });

  it('is found by another name of the directory, too', async () => {
    write({ 'x/.git/': '' });
    symlinkSync(root, `${root}-link`);
    try {
      expect((await createGitSearch(1).in(root, `${root}-link`)).places).toEqual([
        { kind: 'repository', path: 'x/.git' },
      ]);
    } finally {
      rmSync(`${root}-link`);
    }
  });

  it('lets everybody else have a turn meanwhile', async () => {
    for (let count = 0; count < 1500; count += 1) write({ [`${count}/x/file`]: '' });
    let turns = 0;
    const count = setInterval(() => {
      turns += 1;
    }, 1);
    await found();
    clearInterval(count);
    expect(turns).toBeGreaterThan(0);
  });
});
