import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bubblewrapWorks, openHost, script, type TestHost, testUsers } from './host-client.rig.ts';

describe.skipIf(!bubblewrapWorks).each(testUsers)(
  'single files that are roots of a process, as $name (needs bubblewrap and user namespaces)',
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
      host.write({ 'project/file': 'ours\n', 'library/book': 'lent\n', 'sibling/secret': 'canary\n' });
    });

    const alone = (access: 'ro' | 'rw', name = 'sibling/secret') => ({
      path: join(base, name),
      access,
      kind: 'file' as const,
    });
    beforeEach(() => host.write({ 'sibling/other': 'canary-2\n', 'project/notes': 'old\n', 'project/deep/env': 'k' }));

    it('are seen without what lies beside them, and are written only where they are read-write', async () => {
      const attempts = `cat ${base}/sibling/secret; echo more >>${base}/sibling/secret; ls -A ${base}/sibling; cat ${base}/sibling/other ${base}/sibling/secret/../other`;
      const read = await run(attempts, { roots: [...roots(), alone('ro')] });
      expect(read.stdout).toBe('canary\nsecret\n');
      expect(read.stderr).toContain('Read-only file system');
      expect(read.stderr.match(/other: No.* such file|other: Not a directory/g)?.length).toBe(2);
      expect(readFileSync(join(base, 'sibling/secret'), 'utf8')).toBe('canary\n');
      const written = await run(attempts, { roots: [...roots(), alone('rw')] });
      expect(written.stdout).toBe('canary\nsecret\n');
      expect(readFileSync(join(base, 'sibling/secret'), 'utf8')).toBe('canary\nmore\n');
      expect(readdirSync(join(base, 'sibling')).toSorted()).toEqual(['other', 'secret']);
      expect([read, written].map(({ enforcement }) => enforcement.fs)).toEqual(['enforced', 'enforced']);
      expect(written.made).toEqual([]);
    });

    it('cannot be renamed, replaced or deleted inside: what writes by a rename is told so', async () => {
      const file = `${base}/sibling/secret`;
      const { stderr } = await run(
        `mv ${file} ${base}/sibling/moved; rm -f ${file}; echo new >~/new; mv ~/new ${file}; ln ${file} ~/hard; ln ${file} hard; sed -i s/canary/x/ ${file}`,
        { roots: [...roots(), alone('rw')] },
      );
      expect(readFileSync(file, 'utf8')).toBe('canary\n');
      expect(lstatSync(file).nlink).toBe(1);
      expect(existsSync(join(project, 'hard'))).toBe(false);
      expect(stderr.match(/busy|Read-only file system|Invalid cross-device/g)?.length).toBeGreaterThanOrEqual(6);
    });

    it('have their own access in a root around them, and the way to them stays where it is', async () => {
      host.write({ 'library/open': 'lent\n' });
      const { stderr, enforcement } = await run(
        `echo x >deep/env; echo x >>notes; mv deep away; rm -rf deep; mv deep/env deep/moved; echo more >>${base}/library/open; echo x >>${base}/library/book`,
        { roots: [...roots(), alone('ro', 'project/deep/env'), alone('rw', 'library/open')] },
      );
      expect(readFileSync(join(project, 'deep/env'), 'utf8')).toBe('k');
      expect(readFileSync(join(project, 'notes'), 'utf8')).toBe('old\nx\n');
      expect(readFileSync(join(base, 'library/open'), 'utf8')).toBe('lent\nmore\n');
      expect(readFileSync(join(base, 'library/book'), 'utf8')).toBe('lent\n');
      expect(stderr.match(/Device or resource busy/g)?.length).toBeGreaterThanOrEqual(3);
      expect(enforcement).toMatchObject({
        fs: 'partial',
        gaps: [
          expect.stringContaining('deep/env" is read-only as the file that it is now'),
          ...enforcement.gaps.slice(1),
        ],
      });
    });

    it('stay what they were inside when they are replaced outside: nothing of the new file is seen', async () => {
      const file = `${base}/sibling/secret`;
      const running = run(
        `touch begun; while [ ! -e replaced ]; do sleep 0.01; done; cat ${file}; echo late >>${file}`,
        { roots: [...roots(), alone('rw')] },
      );
      await expect.poll(() => existsSync(join(project, 'begun'))).toBe(true);
      host.write({ 'sibling/next': 'new\n' });
      renameSync(join(base, 'sibling/next'), file);
      host.write({ 'project/replaced': '' });
      expect((await running).stdout).toBe('canary\n');
      expect(readFileSync(file, 'utf8')).toBe('new\n');
    });

    it.each<[string, (file: string) => void, RegExp]>([
      ['deleted', () => {}, /does not exist any more/],
      ['a symlink', (file) => symlinkSync('other', file), /not a regular file any more/],
      ['a directory', (file) => mkdirSync(file), /not a regular file any more/],
      ['a pipe', (file) => execFileSync('mkfifo', [file]), /not a regular file any more/],
    ])('are not shown, and nothing is started, where one is %s by then', async (_what, change, message) => {
      const file = join(base, 'sibling/secret');
      rmSync(file);
      change(file);
      const answer = await host.ask(script('echo ran', { roots: [...roots(), alone('ro')] }));
      expect(answer).toMatchObject({ kind: 'failed', reason: 'bad-root', message: expect.stringMatching(message) });
    });

    it('that are read-only in a read-write root can be written once others take their place outside, as the gap says', async () => {
      const running = run('touch begun; while [ ! -e replaced ]; do sleep 0.01; done; echo x >deep/env', {
        roots: [...roots(), alone('ro', 'project/deep/env')],
      });
      await expect.poll(() => existsSync(join(project, 'begun'))).toBe(true);
      host.write({ 'project/next': 'new' });
      renameSync(join(project, 'next'), join(project, 'deep/env'));
      host.write({ 'project/replaced': '' });
      const { exit, enforcement } = await running;
      expect(exit.code).toBe(0);
      expect(enforcement.fs).toBe('partial');
      expect(readFileSync(join(project, 'deep/env'), 'utf8')).toBe('x\n');
      const again = await run('echo again >deep/env', { roots: [...roots(), alone('ro', 'project/deep/env')] });
      expect(again.stderr).toContain('Read-only file system');
    });

    it('are not taken for a directory that was approved', async () => {
      rmSync(project, { recursive: true });
      host.write({ project: 'a file' });
      const answer = await host.ask({ ...script('echo ran', { roots: roots() }), cwd: '/home/agent' });
      expect(answer).toMatchObject({ kind: 'failed', reason: 'bad-root', message: expect.stringMatching(/a file/) });
    });
  },
);
