import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ApprovedPlace } from '../approved-place.ts';
import { bubblewrapWorks, openHost, script, type TestHost, testUsers } from './host-client.rig.ts';

describe.skipIf(!bubblewrapWorks).each(testUsers)(
  'the files of a process inside its profile, as $name (needs bubblewrap and user namespaces)',
  (user) => {
    let host: TestHost;
    let base: string;
    let project: string;
    const roots = () => [
      { path: project, access: 'rw' as const },
      { path: join(base, 'library'), access: 'ro' as const },
    ];
    const run = (text: string, parts: Parameters<typeof script>[1] = {}) =>
      host.run(script(text, { roots: roots(), ...parts }));

    beforeAll(() => {
      host = openHost(user);
      base = host.base;
      project = join(base, 'project');
    });
    afterAll(() => host[Symbol.asyncDispose]());
    beforeEach(() => {
      for (const name of readdirSync(base)) rmSync(join(base, name), { recursive: true });
      host.write({
        'project/file': 'ours\n',
        'library/book': 'lent\n',
        'sibling/secret': 'canary\n',
        'project-2/secret': 'canary\n',
        'home/login': 'known\n',
      });
    });

    it('are its roots, and of their parents no more than the way there', async () => {
      const { stdout } = await run(`ls ${base}; cat file ${base}/library/book; ls /home /root 2>&1`);
      expect(stdout.split('\n').slice(0, 4)).toEqual(['library', 'project', 'ours', 'lent']);
      expect(stdout).toContain("ls: cannot access '/root': No such file or directory");
    });

    it.each(['sibling/secret', 'project-2/secret', 'project/../sibling/secret', 'project/link'])(
      'are not %s outside, which does not exist',
      async (name) => {
        symlinkSync('../sibling/secret', join(project, 'link'));
        const { stdout, stderr, exit } = await run(`cat ${base}/${name}`);
        expect(stdout).toBe('');
        expect(stderr).toContain('No such file or directory');
        expect(exit.code).toBe(1);
      },
    );

    it('can be written in a read-write root only, not through a symlink either', async () => {
      symlinkSync(join(base, 'sibling'), join(project, 'out'));
      const { stderr } = await run(
        `echo new >made; echo x >${base}/library/made; echo x >out/made; ln ${base}/library/book hard; echo x >/made; rm ${base}/library/book`,
      );
      expect(readFileSync(join(project, 'made'), 'utf8')).toBe('new\n');
      expect(lstatSync(join(project, 'made')).uid).toBe(user.uid ?? process.getuid?.());
      expect(readdirSync(join(base, 'library'))).toEqual(['book']);
      expect(readdirSync(join(base, 'sibling'))).toEqual(['secret']);
      expect(existsSync(join(project, 'hard'))).toBe(false);
      expect(stderr.match(/Read-only file system/g)?.length).toBe(3);
    });

    it('are remounted or unmounted by nobody', async () => {
      const { stdout } = await run(
        `mount -o remount,rw,bind ${base}/library 2>&1; umount -l /proc/sys 2>&1; unshare -Ur true 2>&1; echo x >${base}/library/made; grep CapEff /proc/self/status`,
      );
      expect(stdout).toMatch(/CapEff:\s0+\n/);
      expect(stdout.split('\n').length).toBeGreaterThan(3);
      expect(existsSync(join(base, 'library/made'))).toBe(false);
    });

    it('give it a HOME and a /tmp of its own, empty and forgotten', async () => {
      const { stdout } = await run('echo $HOME; ls -A ~; echo x >~/kept; echo x >/tmp/kept; ls -A /tmp');
      expect(stdout).toContain('/home/agent\n');
      const again = await run('ls -A ~; ls /tmp/kept');
      expect(again.stdout).toBe('');
    });

    it('bound what HOME and /tmp may hold', async () => {
      const { stdout } = await run(
        'head -c 3000000 /dev/zero >/tmp/big; head -c 3000000 /dev/zero >~/big; stat -c %s /tmp/big ~/big',
        { limits: { tmpBytes: 1_048_576, homeBytes: 2_097_152 } },
      );
      expect(stdout.trim().split('\n').map(Number)).toEqual([1_048_576, 2_097_152]);
    });

    it('keep what a HOME and a state directory of the host hold, and show seeded files read-only', async () => {
      host.write({ 'state/': '' });
      const { stdout, stderr } = await run(
        'cat ~/login; echo more >~/.tool/kept; cat /etc/tool/settings.json ~/seeded; echo x >~/seeded',
        {
          home: { path: '/home/agent', directory: join(base, 'home') },
          state: [{ path: '/home/agent/.tool', directory: join(base, 'state') }],
          files: [
            { path: '/etc/tool/settings.json', text: '{"managed":true}\n' },
            { path: '/home/agent/seeded', text: 'seed\n' },
          ],
        },
      );
      expect(stdout).toBe('known\n{"managed":true}\nseed\n');
      expect(stderr).toContain('Read-only file system');
      expect(readFileSync(join(base, 'state/kept'), 'utf8')).toBe('more\n');
    });

    it('show what a symlink in a state directory leads to read-only, and say that the symlink itself can be replaced', async () => {
      host.write({ 'state/': '', 'dotfiles/settings.json': 'mine\n' });
      const settings = join(base, 'state/settings.json');
      symlinkSync('../dotfiles/settings.json', settings);
      const { stdout, stderr, enforcement } = await run(
        `cat ${settings}; echo x >>${settings}; ls ${base}/dotfiles; rm ${settings}`,
        { state: [{ path: join(base, 'state'), directory: join(base, 'state') }], readOnly: [settings] },
      );
      expect(stdout).toBe('mine\nsettings.json\n');
      expect(stderr).toContain('Read-only file system');
      expect(readFileSync(join(base, 'dotfiles/settings.json'), 'utf8')).toBe('mine\n');
      expect(existsSync(settings)).toBe(false);
      expect(enforcement.fs).toBe('partial');
      expect(enforcement.gaps).toContain(`files: "${settings}" is a symlink, which the process can replace`);
    });

    it('show a root inside of another one with its own access', async () => {
      host.write({ 'project/inner/deep/file': '1', 'project/inner/open/file': '2' });
      const { stderr } = await run(
        'echo x >inner/deep/file; echo x >inner/open/file; mv inner gone; mv inner/deep inner/gone; rm -rf inner',
        {
          roots: [
            { path: project, access: 'rw' },
            { path: join(project, 'inner/deep'), access: 'ro' },
            { path: join(project, 'inner/open'), access: 'rw' },
          ],
        },
      );
      expect(readFileSync(join(project, 'inner/deep/file'), 'utf8')).toBe('1');
      expect(existsSync(join(project, 'inner/open/file'))).toBe(false);
      expect(stderr.match(/cannot move .*: Device or resource busy/g)?.length).toBe(2);
    });

    it('show masked paths empty, which cannot be moved away', async () => {
      host.write({ 'project/deep/private/key': 'k', 'project/deep/env': 'k' });
      const { stdout, stderr } = await run(
        'ls -A deep/private; cat deep/env; mv deep shallow; mv deep/private p; echo x >deep/private/y',
        { masked: [join(project, 'deep/private'), join(project, 'deep/env'), join(project, 'absent')] },
      );
      expect(stdout).toBe('');
      expect(stderr.match(/Device or resource busy/g)?.length).toBe(2);
      expect(stderr).toContain('Read-only file system');
      expect(readFileSync(join(project, 'deep/env'), 'utf8')).toBe('k');
    });

    it('show nothing in a masked directory, whatever of it is protected or needed, but a root', async () => {
      host.write({ 'project/.git/hooks/secret': '1', 'project/.git/tool/secret': '1', 'project/.git/root/file': '1' });
      const { stdout } = await run('ls -A .git .git/root', {
        roots: [...roots(), { path: join(project, '.git/root'), access: 'ro' }],
        readOnly: [join(project, '.git/tool')],
        masked: [join(project, '.git')],
      });
      expect(stdout).toBe('.git:\nroot\n\n.git/root:\nfile\n');
    });

    it('are committed, branched and spread over worktrees by git in a root', async () => {
      const git = (text: string) => `git -c user.name=n -c user.email=e@e ${text}`;
      const asUser = user.uid === undefined ? {} : { uid: user.uid, gid: user.uid };
      execFileSync('git', ['init', '-q', '-b', 'main', project], { ...asUser, env: { PATH: '/usr/bin:/bin' } });
      const { exit, stdout, stderr } = await run(
        [
          `${git('add file')} && ${git('commit -qm one')} && ${git('checkout -qb side')}`,
          `${git('worktree add -q ../project/tree main')} && cd tree && echo 2 >two && ${git('add two')}`,
          `${git('commit -qm two')} && git log --oneline main | wc -l && git gc -q && ! git config a.b c`,
        ].join(' && '),
      );
      expect({ exit, stderr: stderr.replace(/^error: could not (lock|write) config.*\n/gm, '') }).toEqual({
        exit: { code: 0, signal: null },
        stderr: '',
      });
      expect(stdout.trim()).toBe('2');
    });

    describe('that are protected', () => {
      beforeEach(() => {
        host.write({
          'project/.git/hooks/pre-commit': '1',
          'project/.git/config': '1',
          'project/.vscode/tasks.json': '1',
        });
      });
      const attacks = [
        'echo x >.git/config',
        'echo x >.git/hooks/pre-commit',
        'echo x >.git/hooks/new',
        'rm -rf .git/hooks .vscode',
        'mv .git/hooks moved',
        'mv .git moved; mkdir -p .git/hooks; echo x >.git/hooks/pre-commit',
        'mv .vscode moved; mkdir .vscode; echo x >.vscode/tasks.json',
        `mv ${'$PWD'} ../moved; mkdir -p ../project/.git/hooks; echo x >../project/.git/hooks/pre-commit`,
      ];
      it.each(attacks)('hold against %s', async (attack) => {
        await run(attack);
        for (const name of ['.git/hooks/pre-commit', '.git/config', '.vscode/tasks.json']) {
          expect(readFileSync(join(project, name), 'utf8')).toBe('1');
        }
        expect(readdirSync(join(project, '.git/hooks'))).toEqual(['pre-commit']);
      });

      it('are not made where they do not exist, and told when the process made them', async () => {
        const idle = await run('true');
        expect(idle.made).toEqual([]);
        expect(readdirSync(project).toSorted()).toEqual(['.git', '.vscode', 'file']);
        const { made } = await run('mkdir .claude; echo x >.mcp.json; echo .. >.git/commondir');
        expect(made).toEqual(['.git/commondir', '.mcp.json', '.claude'].map((name) => join(project, name)));
      });

      it('are those of the git directory itself where that is a root, and the file that names it', async () => {
        host.write({
          'repo.git/HEAD': '',
          'repo.git/objects/': '',
          'repo.git/refs/': '',
          'repo.git/config': '1',
          'tree/.git': 'gitdir: x',
        });
        await run(`echo x >${base}/repo.git/config; echo x >${base}/tree/.git; rm ${base}/tree/.git`, {
          roots: ['repo.git', 'tree'].map((name) => ({ path: join(base, name), access: 'rw' })),
        });
        expect(readFileSync(join(base, 'repo.git/config'), 'utf8')).toBe('1');
        expect(readFileSync(join(base, 'tree/.git'), 'utf8')).toBe('gitdir: x');
      });

      it('count as a gap where they are symlinks', async () => {
        symlinkSync('file', join(project, '.codex'));
        const { enforcement } = await run('true');
        expect(enforcement.fs).toBe('partial');
        expect(enforcement.gaps).toContain(`files: "${project}/.codex" is a symlink, which the process can replace`);
      });
    });

    describe('of a root that is not what was approved', () => {
      it.each<[string, () => void, RegExp]>([
        ['deleted', () => rmSync(project, { recursive: true }), /does not exist any more: create it again/],
        [
          'swapped for a symlink',
          () => {
            renameSync(project, `${base}/moved`);
            symlinkSync('sibling', project);
          },
          /a file or a symlink: approve the directory/,
        ],
        [
          'reached through a symlink',
          () => {
            host.write({ 'real/project/file': '' });
            rmSync(project, { recursive: true });
            renameSync(base, `${base}-moved`);
            symlinkSync(`${base}-moved`, base);
          },
          /leads through a symlink to ".*-moved\/project/,
        ],
      ])('are not shown, nothing is started: %s', async (_how, change, message) => {
        const launch = script('echo ran', { roots: roots() });
        try {
          if (_how.startsWith('reached')) {
            renameSync(base, `${base}-moved`);
            symlinkSync(`${base}-moved`, base);
          } else change();
          const answer = await host.ask(launch);
          expect(answer).toMatchObject({ kind: 'failed', reason: 'bad-root', message: expect.stringMatching(message) });
        } finally {
          if (existsSync(`${base}-moved`)) {
            rmSync(base);
            renameSync(`${base}-moved`, base);
          }
        }
      });

      it.each(['project', 'library'])(
        'are not shown where another directory stands at the path of %s than the one that was approved, by inode or by birth',
        async (name) => {
          const approved = (change: (place: ApprovedPlace) => ApprovedPlace) =>
            roots().map((root) => {
              const { ino, dev, birthtimeNs } = lstatSync(root.path, { bigint: true });
              const place = { ino: String(ino), dev: String(dev), born: String(birthtimeNs) };
              return { ...root, approved: root.path.endsWith(`/${name}`) ? change(place) : place };
            });
          const refused = {
            kind: 'failed',
            reason: 'bad-root',
            message: expect.stringContaining(`${name}" was replaced`),
          };
          const known = approved((place) => place);
          expect((await run('echo ran', { roots: known })).stdout).toBe('ran\n');
          expect((await run('echo ran', { roots: approved(({ ino }) => ({ ino })) })).stdout).toBe('ran\n');
          expect(
            await host.ask(script('echo ran', { roots: approved((place) => ({ ...place, born: '1' })) })),
          ).toMatchObject(refused);
          expect(
            await host.ask(script('echo ran', { roots: approved((place) => ({ ...place, dev: '0' })) })),
          ).toMatchObject(refused);
          renameSync(join(base, name), join(base, `${name}-before`));
          host.write({ [`${name}/other`]: '' });
          expect(await host.ask(script('echo ran', { roots: known }))).toMatchObject(refused);
          rmSync(join(base, name), { recursive: true });
          renameSync(join(base, `${name}-before`), join(base, name));
          expect((await run('echo ran', { roots: known })).stdout).toBe('ran\n');
        },
      );

      it('are never those of another directory, however often it is swapped meanwhile', async () => {
        const swap = `while [ ! -e ${base}/enough ]; do mv -T ${project} ${base}/away; ln -s sibling ${project}; rm ${project}; mv -T ${base}/away ${project}; done`;
        const swapper = spawn('/bin/sh', ['-c', swap], { stdio: 'ignore' });
        const outcomes = new Set<string>();
        try {
          for (let count = 0; count < 40; count += 1) {
            const answer = await host.ask({ ...script(`ls ${project}`, { roots: roots() }), cwd: '/home/agent' });
            if (answer.kind === 'failed' && answer.reason === 'bad-root') continue;
            outcomes.add(answer.kind === 'failed' ? answer.message : answer.stdout.trim());
          }
        } finally {
          const ended = once(swapper, 'exit');
          host.write({ enough: '' });
          await ended;
        }
        expect([...outcomes].filter((outcome) => outcome !== 'file')).toEqual([]);
      });

      it.each(['/', '/proc', '/proc/self', '/dev/shm', 'relative', '/tmp/', '/tmp/../tmp'])(
        'are not shown when it is %s',
        async (path) => {
          const launch = script('echo ran', { roots: [{ path, access: 'rw' }] });
          expect(await host.ask({ ...launch, cwd: '/home/agent' })).toMatchObject({ reason: 'bad-root' });
        },
      );
    });
  },
);
