import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bubblewrapWorks, openHost, script, type TestHost, testUsers } from './host-client.rig.ts';

const PATH = '/usr/bin:/bin';
const IDENTITY = '-c user.name=n -c user.email=e@e -c protocol.file.allow=always';

describe.skipIf(!bubblewrapWorks).each(testUsers)(
  'what git finds below a root, as $name (needs bubblewrap and user namespaces)',
  (user) => {
    let host: TestHost;
    const asUser = user.uid === undefined ? {} : { uid: user.uid, gid: user.uid };
    const at = (name: string): string => join(host.base, name);
    const project = () => at('project');
    const env = () => ({ PATH, HOME: at('home') });
    const outside = (text: string, cwd = project()) =>
      spawnSync('/bin/sh', ['-c', text], { ...asUser, cwd, env: env(), encoding: 'utf8' });
    const set = (text: string, cwd?: string) => {
      const { status, stderr } = outside(`set -e; git() { command git ${IDENTITY} "$@"; }; ${text}`, cwd);
      if (status !== 0) throw new Error(stderr);
    };
    const run = (text: string, roots = [{ path: project(), access: 'rw' as const }]) =>
      host.run(script(`git() { command git ${IDENTITY} "$@"; }; ${text}`, { roots }));

    beforeAll(() => {
      host = openHost(user);
    });
    afterAll(() => host[Symbol.asyncDispose]());
    /** One with a submodule, one inside of that, a linked work tree, and a repository that it knows nothing of. */
    beforeEach(() => {
      for (const name of readdirSync(host.base)) rmSync(at(name), { recursive: true });
      host.write({ 'project/file': '1\n', 'home/': '', 'origin/inner/file': '1\n', 'origin/lib/file': '1\n' });
      const commit = 'git init -q -b main && git add -A && git commit -qm one';
      set(commit, at('origin/inner'));
      set(`${commit} && git submodule --quiet add ${at('origin/inner')} inner && git commit -qm two`, at('origin/lib'));
      set(
        `${commit} && git submodule --quiet add ${at('origin/lib')} libs/lib && git commit -qm two
        git submodule --quiet update --init --recursive
        git worktree add -q trees/side -b side
        git config extensions.worktreeConfig true && git -C trees/side config --worktree core.commentChar ';'
        mkdir -p vendor/deep/x && cd vendor/deep/x && echo 1 >file && ${commit}`,
      );
    });

    const evil = () => `[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = touch ${at('ran')}\\n`;
    const repositories = [
      '.git',
      '.git/modules/libs/lib',
      '.git/modules/libs/lib/modules/inner',
      '.git/worktrees/side',
      'vendor/deep/x/.git',
    ];
    const named = ['hooks/post-index-change', 'config', 'commondir', 'gitdir', 'config.worktree'];
    const pointers = ['libs/lib/.git', 'libs/lib/inner/.git', 'trees/side/.git'];
    const look = 'git status; git diff; git add -A; git -c user.name=n -c user.email=e@e commit -qm look --allow-empty';
    const trees = ['.', 'libs/lib', 'libs/lib/inner', 'trees/side', 'vendor/deep/x'];
    /** What a person does next. Answers whether anything of the process ran. */
    const ranOutside = (): boolean => {
      for (const tree of trees) outside(look, at(`project/${tree}`));
      return existsSync(at('ran'));
    };

    it('is what the attacks are made for: outside of a sandbox each makes git run what it names', () => {
      for (const path of ['.git/modules/libs/lib', '.git/modules/libs/lib/modules/inner', 'vendor/deep/x/.git']) {
        set(`printf '\\n${evil()}' >>${path}/config`);
        expect(ranOutside(), path).toBe(true);
        rmSync(at('ran'));
        set(`git config -f ${path}/config --unset-all core.fsmonitor`);
      }
      set(
        `mkdir -p evil && git init -q --bare evil && printf '${evil()}' >evil/config; echo ../../../evil >.git/worktrees/side/commondir`,
      );
      expect(ranOutside()).toBe(true);
    });

    it('cannot be written where it exists, so that git outside runs nothing of it', async () => {
      const places = repositories.flatMap((path) => named.map((name) => `${path}/${name}`));
      const existing = [...places, ...pointers].filter((path) => existsSync(at(`project/${path}`)));
      expect(existing).toEqual(
        expect.arrayContaining([
          ...repositories.filter((path) => !path.includes('worktrees')).map((path) => `${path}/config`),
          ...['commondir', 'gitdir', 'config.worktree'].map((name) => `.git/worktrees/side/${name}`),
          ...pointers,
        ]),
      );
      const before = existing.map((path) => readFileSync(at(`project/${path}`), 'utf8'));
      const { stderr, enforcement } = await run(
        `mkdir evil; git init -q --bare evil; printf '${evil()}' >evil/config
        for path in ${existing.join(' ')}; do
          printf '${evil()}' >"$path"; printf '${evil()}' >made; mv -f made "$path"; rm -f "$path"; mv "$path" away; ln -sf evil/config "$path"
        done
        for path in ${repositories.map((path) => `${path}/hooks`).join(' ')}; do
          [ -d $path ] || continue
          printf '#!/bin/sh\\ntouch ${at('ran')}' >$path/post-index-change; chmod +x $path/post-index-change
          mv $path away; rm -rf $path
        done; true`,
      );
      expect(enforcement.fs).toBe('enforced');
      expect(existing.map((path) => readFileSync(at(`project/${path}`), 'utf8'))).toEqual(before);
      expect(stderr.match(/Read-only file system/g)?.length).toBeGreaterThan(existing.length);
      expect(ranOutside()).toBe(false);
    });

    it('cannot be moved away with a directory around it', async () => {
      const ways = [
        ...['.git/modules', '.git/modules/libs', '.git/modules/libs/lib', '.git/worktrees', '.git/worktrees/side'],
        ...['vendor', 'vendor/deep', 'vendor/deep/x', 'vendor/deep/x/.git', 'libs', 'libs/lib', 'trees', 'trees/side'],
      ];
      const { stderr } = await run(ways.map((path) => `mv ${path} ${path}-away`).join('; '));
      expect(stderr.match(/Device or resource busy/g)).toHaveLength(ways.length);
      expect(ways.filter((path) => !existsSync(at(`project/${path}`)))).toEqual([]);
    });

    it('goes on as ever with git inside: state, commits, branches, work trees, submodules, other repositories', async () => {
      const old = new Date('2020-01-01T00:00:00Z');
      utimesSync(at('project/.git/worktrees/side/gitdir'), old, old);
      const work = trees
        .map(
          (tree) => `(cd ${tree} && echo 2 >>file && git status --short && git add file && git commit -qm more &&
          git checkout -q -b other-${tree.length} && git stash list && git diff HEAD~1 --stat >/dev/null && git gc -q)`,
        )
        .join(' && ');
      const { exit, stderr, stdout } = await run(
        `${work} && git submodule --quiet foreach --recursive 'git checkout -q main' && git submodule status >/dev/null && git status --short >/dev/null &&
        git worktree add -q trees/new -b new && (cd trees/new && echo 3 >file && git commit -qam three) &&
        git worktree remove --force trees/new && git clone -q vendor/deep/x vendor/clone &&
        (cd vendor/clone && git config a.b c && echo 4 >file && git commit -qam four) && git log --format=%s other-1 | head -1`,
      );
      expect({ exit, stderr }).toEqual({ exit: { code: 0, signal: null }, stderr: '' });
      expect(stdout).toMatch(/more\n$/);
      for (const tree of trees) expect(outside('git status', at(`project/${tree}`)).status, tree).toBe(0);
    });

    it('lets nothing inside write a configuration: what has to, such as `git submodule update`, says so and stops', async () => {
      const { stderr, exit } = await run('git submodule update --recursive');
      expect(stderr).toContain(`could not write config file ${at('project/.git/modules/libs/lib/config')}`);
      expect(exit.code).not.toBe(0);
    });

    it('is not held where the process makes it anew, and told where that is in a git directory which was there', async () => {
      const { made } = await run('git init -q mine; echo .. >vendor/deep/x/.git/commondir; git worktree add -q more');
      expect(made).toEqual([at('project/vendor/deep/x/.git/commondir')]);
      expect(existsSync(at('project/mine/.git/config'))).toBe(true);
      const again = await run('echo x >>mine/.git/config; echo x >>.git/worktrees/more/commondir');
      expect(again.stderr.match(/Read-only file system/g)).toHaveLength(2);
    });

    it('keeps the access of what has its own: read-only roots, protected and hidden directories', async () => {
      set(
        'git clone -q vendor/deep/x .claude/plugin && git clone -q vendor/deep/x lent/x && git clone -q vendor/deep/x hidden/x',
      );
      const { stderr, stdout } = await host.run(
        script(
          'for f in .claude/plugin/new .claude/plugin/.git/new lent/x/new lent/x/.git/new; do echo x >$f; done; ls -A hidden',
          {
            roots: [
              { path: project(), access: 'rw' },
              { path: at('project/lent'), access: 'ro' },
            ],
            masked: [at('project/hidden')],
          },
        ),
      );
      expect(stdout).toBe('');
      expect(stderr.match(/Read-only file system/g)).toHaveLength(4);
    });

    it('is held in a root that is the git directory of a linked work tree, and told where `.git` is a symlink', async () => {
      const worktree = at('project/.git/worktrees/side');
      const { stderr } = await run('for f in commondir gitdir config.worktree; do echo x >$f; done', [
        { path: worktree, access: 'rw' },
      ]);
      expect(stderr.match(/Read-only file system/g)).toHaveLength(3);
      renameSync(at('project/vendor/deep/x/.git'), at('project/store'));
      symlinkSync('../../../store', at('project/vendor/deep/x/.git'));
      const { enforcement, ...linked } = await run('echo x >>store/config');
      expect(linked.stderr).toContain('Read-only file system');
      expect(enforcement.gaps).toContain(
        `files: "${at('project/vendor/deep/x/.git')}" is a symlink, which the process can replace`,
      );
    });

    it('is started with, and told as a gap, where the user of the server may not enter it', async () => {
      chmodSync(at('project/vendor/deep/x/.git'), 0);
      const { enforcement, stdout } = await run('echo ran');
      expect(stdout).toBe('ran\n');
      const gap = expect.stringMatching(/of 8 git directories .* 1 are not protected/);
      const mayEnter = user.uid === undefined && process.getuid?.() === 0;
      expect(enforcement.gaps).toEqual(mayEnter ? expect.not.arrayContaining([gap]) : expect.arrayContaining([gap]));
    });

    it('is started with, and told as a gap, where there is more of it than can be held', async () => {
      for (let count = 0; count < 140; count += 1) {
        mkdirSync(at(`project/many/${count}`), { recursive: true });
        host.write({ [`project/many/${count}/.git/config`]: '' });
      }
      const { enforcement, stdout } = await run('echo ran');
      expect(stdout).toBe('ran\n');
      expect(enforcement.gaps).toContainEqual(expect.stringMatching(/of 148 git directories .* 84 are not protected/));
      expect(statSync(at('project/many/139/.git/config')).size).toBe(0);
    });
  },
);
