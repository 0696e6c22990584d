import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bubblewrapWorks, openHost, script, type TestHost, testUsers } from './host-client.rig.ts';

describe.skipIf(!bubblewrapWorks).each(testUsers)(
  'a root that is a linked work tree whose git directory lies elsewhere, as $name (needs bubblewrap and user namespaces)',
  (user) => {
    let host: TestHost;
    const at = (name: string): string => join(host.base, name);
    const run = (text: string, ...others: readonly string[]) =>
      host.run(
        script(`cd ${at('tree')} && ${text}`, {
          roots: [at('tree'), ...others].map((path) => ({ path, access: 'rw' as const })),
        }),
      );

    beforeAll(() => {
      host = openHost(user);
    });
    afterAll(() => host[Symbol.asyncDispose]());
    beforeEach(() => {
      for (const name of readdirSync(host.base)) rmSync(at(name), { recursive: true });
      host.write({ 'repo/file': 'of the main work tree\n' });
      const asUser = user.uid === undefined ? {} : { uid: user.uid, gid: user.uid };
      const git = (...args: readonly string[]) =>
        execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@e', ...args], {
          ...asUser,
          cwd: at('repo'),
          env: { PATH: '/usr/bin:/bin' },
        });
      git('init', '-q', '-b', 'main');
      git('add', 'file');
      git('commit', '-qm', 'one');
      git('worktree', 'add', '-q', at('tree'), '-b', 'side');
    });

    it('brings nothing of that directory with it: git finds no repository inside', async () => {
      const { stdout, stderr } = await run(`cat file; git status; ls ${at('repo')} ${at('repo/.git')}`);
      expect(stdout).toBe('of the main work tree\n');
      expect(stderr).toContain('not a git repository');
      expect(stderr.match(/No such file or directory/g)).toHaveLength(2);
    });

    it('lets nobody write the hooks and the configuration in that directory where it is a root too', async () => {
      const { stdout, stderr } = await run(
        `for f in hooks/new config; do echo x >>${at('repo/.git')}/$f && echo $f; done; true`,
        at('repo/.git'),
      );
      expect(stdout).toBe('');
      expect(stderr.match(/Read-only file system/g)).toHaveLength(2);
    });

    it('is committed where that directory is a root too, and the main work tree is still not shown', async () => {
      const commit = 'git -c user.name=n -c user.email=e@e commit -qam two';
      const { stdout, stderr, exit } = await run(
        `echo more >>file && ${commit} && git log --format=%s && ! ls ${at('repo/file')}`,
        at('repo/.git'),
      );
      expect({ stdout, exit }).toEqual({ stdout: 'two\none\n', exit: { code: 0, signal: null } });
      expect(stderr).toContain('No such file or directory');
    });
  },
);
