import { link, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProject } from './find-project.ts';
import { findRepository, repositoryOfUrl } from './git-repository.ts';
import { RootExaminer } from './root-facts.ts';

let top: string;
beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'reeve-roots-')));
});
afterEach(() => rm(top, { recursive: true, force: true }));

async function put(path: string, text = ''): Promise<string> {
  const whole = join(top, path);
  await mkdir(dirname(whole), { recursive: true });
  await writeFile(whole, text);
  return whole;
}

const at = (path: string): string => join(top, path);
const ORIGIN = '[remote "origin"]\n\turl = https://me:token@GitHub.com/acme/app.git\n';

async function examine(paths: readonly string[], { cwd = at('app'), maxLinkScan = 1000 } = {}) {
  const places = { home: at('home'), otherHomes: [at('alice')], cloudFolders: [at('synced')], boot: 'b' };
  const project = await findProject(cwd, places.home);
  const examiner = new RootExaminer({ places, dataDir: at('state'), project, maxLinkScan });
  await examiner.examine(paths.map(at));
  return (path: string) => examiner.found(at(path));
}

describe('the address of a repository', () => {
  it.each([
    ['https://github.com/acme/app.git', 'github.com/acme/app'],
    ['https://me:token@GitHub.com/acme/app?x=1#y', 'github.com/acme/app'],
    ['git@github.com:acme/app.git', 'github.com/acme/app'],
    ['ssh://git@github.com:22/acme/app.git', 'github.com/acme/app'],
    ['ssh://git@host.example:2222/acme/app', 'host.example:2222/acme/app'],
    ['git://host.example/app', 'host.example/app'],
  ])('%s is %s', (url, name) => {
    expect(repositoryOfUrl(url)).toBe(name);
  });

  it.each([
    '/srv/git/app.git',
    '../app.git',
    'file:///srv/git/app.git',
    '',
    'https://',
    'https://host.example/',
    'C:\\x y',
  ])('%j names none that is known elsewhere', (url) => {
    expect(repositoryOfUrl(url)).toBeUndefined();
  });
});

describe('the repository that a directory lies in', () => {
  it('is that of the enclosing work tree, by its origin or else by a hash, never by a path', async () => {
    await put('app/.git/config', ORIGIN);
    await put('app/src/deep/file');
    await put('plain/.git/config', '[core]\n');
    expect(await findRepository(at('app/src/deep'), undefined)).toEqual({
      workTree: at('app'),
      name: 'github.com/acme/app',
    });
    expect((await findRepository(at('plain'), undefined))?.name).toMatch(/^local\/[0-9a-f]{16}$/);
    expect(await findRepository(top, undefined)).toBeUndefined();
  });

  it('is the same for a linked work tree whose git directory lies elsewhere', async () => {
    await put('app/.git/config', ORIGIN);
    await put('app/.git/worktrees/fix/commondir', '../..\n');
    await put('app/.git/worktrees/fix/gitdir', `${at('fix')}/.git\n`);
    await put('fix/.git', `gitdir: ${at('app')}/.git/worktrees/fix\n`);
    expect(await findRepository(at('fix'), undefined)).toEqual({ workTree: at('fix'), name: 'github.com/acme/app' });
  });

  it('is its own for a submodule', async () => {
    await put('app/.git/config', ORIGIN);
    await put(
      'app/.git/modules/lib/config',
      '[core]\n\tworktree = ../../../lib\n[remote "origin"]\n\turl = git@github.com:acme/lib\n',
    );
    await put('app/lib/.git', 'gitdir: ../.git/modules/lib\n');
    expect(await findRepository(at('app/lib'), undefined)).toEqual({
      workTree: at('app/lib'),
      name: 'github.com/acme/lib',
    });
  });

  it('is not that of a stranger, which does not know of it, whatever its .git says', async () => {
    await put('app/.git/config', ORIGIN);
    await put('app/.git/worktrees/fix/commondir', '../..');
    await put('app/.git/worktrees/fix/gitdir', `${at('fix')}/.git`);
    await put('forged/.git', `gitdir: ${at('app')}/.git/worktrees/fix`);
    await put('forged-too/.git', `gitdir: ${at('app')}/.git`);
    for (const forged of ['forged', 'forged-too']) {
      expect((await findRepository(at(forged), undefined))?.name).toMatch(/^local\//);
    }
  });
});

describe('the project of a session', () => {
  it('is the enclosing work tree, else the nearest directory with a project file, else where it works', async () => {
    await put('app/.git/config', ORIGIN);
    await put('app/packages/one/package.json');
    await put('two/Cargo.toml');
    await put('two/src/file');
    await put('three/file');
    expect(await findProject(at('app/packages/one'), at('home'))).toEqual({
      directory: at('app'),
      repository: 'github.com/acme/app',
    });
    expect(await findProject(at('two/src'), at('home'))).toEqual({ directory: at('two') });
    expect(await findProject(at('three'), at('home'))).toEqual({ directory: at('three') });
  });

  it('is never a home directory or what holds it, also where somebody keeps it under git', async () => {
    await put('home/.git/config', ORIGIN);
    await put('package.json');
    await put('home/notes/file');
    expect(await findProject(at('home/notes'), at('home'))).toEqual({ directory: at('home/notes') });
  });
});

describe('the facts about a root', () => {
  it('tell what policies may know, and its kind', async () => {
    await put('app/.git/config', ORIGIN);
    const file = await put('app/src/one.ts');
    await put('other/.git/config', '[remote "origin"]\nurl = https://github.com/acme/other\n');
    const found = await examine(['app', 'app/src/one.ts', 'other', 'home', 'synced', 'alice/x', 'gone']);
    expect(found('app')?.facts).toEqual({
      kind: 'directory',
      depth: at('app').split('/').length - 1,
      inProject: true,
      highRisk: false,
      risks: ['ordinary'],
      repository: 'github.com/acme/app',
    });
    expect(found('app/src/one.ts')).toMatchObject({
      identity: { path: file },
      facts: { kind: 'file', inProject: true },
    });
    expect(found('other')?.facts).toMatchObject({ inProject: false, risks: ['other_repository', 'outside_project'] });
    await mkdir(at('home'));
    await mkdir(at('synced'));
    await mkdir(at('alice/x'), { recursive: true });
    const again = await examine(['home', 'synced', 'alice/x', 'gone'], { cwd: at('other') });
    expect(again('home')?.facts).toMatchObject({ highRisk: true, risks: expect.arrayContaining(['home_directory']) });
    expect(again('synced')?.facts).toMatchObject({ risks: expect.arrayContaining(['cloud_sync_folder']) });
    expect(again('alice/x')?.assessment).toMatchObject({ kind: 'never' });
    expect(again('gone')).toBeUndefined();
  });

  it('are of a single file those of its place, and tell of its own second name', async () => {
    await put('app/package.json');
    await put('app/a');
    await link(await put('elsewhere/secret'), at('app/a-linked'));
    for (const path of ['home/.ssh/id_ed25519', 'home/.netrc', 'state/keys/one', 'home/notes.txt']) await put(path);
    const names = ['app/a', 'app/a-linked', 'home/.ssh/id_ed25519', 'home/.netrc', 'state/keys/one', 'home/notes.txt'];
    const found = await examine(names);
    const risksOf = (path: string) => found(path)?.facts.risks;
    expect([risksOf('app/a'), risksOf('app/a-linked')]).toEqual([['ordinary'], ['hard_links']]);
    for (const path of ['home/.ssh/id_ed25519', 'home/.netrc']) {
      expect(found(path)?.facts).toMatchObject({ highRisk: true, risks: expect.arrayContaining(['credential_store']) });
    }
    expect(found('home/notes.txt')?.facts).toMatchObject({ highRisk: false, risks: ['outside_project'] });
    expect(found('state/keys/one')?.assessment).toMatchObject({ kind: 'never' });
  });

  it('tell of files with a second name, as far as limits.maxLinkScan reaches', async () => {
    const secret = await put('elsewhere/secret');
    await put('app/a/1');
    await put('app/a/2');
    await mkdir(at('app/b'));
    await link(secret, at('app/b/harmless'));
    await mkdir(at('project'));
    const linked = async (maxLinkScan: number) =>
      (await examine(['app'], { cwd: at('project'), maxLinkScan }))('app')?.facts.risks.includes('hard_links');
    expect(await linked(100)).toBe(true);
    // Two directories and two files are looked at; the link would be the fifth, or the third.
    expect(await linked(2)).toBe(false);
  });

  it('do not follow symbolic links when it looks for second names', async () => {
    const secret = await put('elsewhere/secret');
    await link(secret, at('elsewhere/second'));
    await put('app/file');
    await symlink(at('elsewhere'), at('app/link'));
    expect((await examine(['app']))('app')?.facts.risks).toEqual(['ordinary']);
  });

  it('are found for ten thousand roots within seconds', async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `app/${index}`);
    await mkdir(at('app'));
    for (let start = 0; start < names.length; start += 500) {
      await Promise.all(names.slice(start, start + 500).map((name) => mkdir(at(name))));
    }
    const begun = performance.now();
    const found = await examine(names);
    const took = performance.now() - begun;
    expect(found('app/9999')?.facts).toMatchObject({ inProject: true });
    expect(took).toBeLessThan(20_000);
    process.stdout.write(`10,000 roots looked at in ${Math.round(took)} ms\n`);
  });
});
