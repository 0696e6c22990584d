import { execFileSync } from 'node:child_process';
import { chmod, link, mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canServeFiles } from '../boundary/open-roots.ts';
import { type FilesRig, openFilesRig } from './session-files.rig.ts';

// Without /proc nothing is served: local-services.ts.
describe.runIf(canServeFiles)('fs/write_text_file', () => {
  let rig: FilesRig;
  beforeEach(async () => {
    rig = await openFilesRig();
  });
  afterEach(async () => {
    expect(await readdir(rig.outside)).toEqual(['secret']);
    expect(await readFile(join(rig.outside, 'secret'), 'utf8')).toBe('outside');
    expect(execFileSync('find', [rig.folder, '-name', '*.tmp'], { encoding: 'utf8' })).toBe('');
    await rig[Symbol.asyncDispose]();
  });

  const inWork = (name: string): string => join(rig.work, name);
  const text = (name: string): Promise<string> => readFile(inWork(name), 'utf8');

  it('makes a file, and the directories on the way to it', async () => {
    expect(await rig.write(inWork('a/b/c/new.txt'), 'ünï\n')).toBe('written');
    expect(await text('a/b/c/new.txt')).toBe('ünï\n');
    expect((await stat(inWork('a/b/c/new.txt'))).mode & 0o777).toBe(0o666 & ~process.umask());
    expect(await rig.read(inWork('a/b/c/new.txt'))).toBe('ünï\n');
  });

  it('replaces a file whole, and keeps its mode', async () => {
    await writeFile(inWork('run.sh'), 'old and longer');
    await chmod(inWork('run.sh'), 0o750);
    expect(await rig.write(inWork('run.sh'), 'new')).toBe('written');
    expect(await text('run.sh')).toBe('new');
    expect((await stat(inWork('run.sh'))).mode & 0o7777).toBe(0o750);
  });

  it.runIf(process.getuid?.() === 0)('keeps the owner of a file, where the server may', async () => {
    await writeFile(inWork('owned'), 'old');
    execFileSync('chown', ['12345:54321', inWork('owned')]);
    expect(await rig.write(inWork('owned'), 'new')).toBe('written');
    expect(await stat(inWork('owned'))).toMatchObject({ uid: 12345, gid: 54321 });
  });

  it('refuses a file without write permission', async () => {
    await writeFile(inWork('fixed'), 'old');
    await chmod(inWork('fixed'), 0o444);
    expect(await rig.write(inWork('fixed'), 'new')).toMatchObject({ code: 47016 });
    expect(await text('fixed')).toBe('old');
  });

  it('leaves the other name of a hard link as it was, also one outside', async () => {
    await link(join(rig.outside, 'secret'), inWork('planted'));
    expect(await rig.write(inWork('planted'), 'new')).toBe('written');
    expect(await text('planted')).toBe('new');
  });

  it('writes through a symbolic link that stays inside, and keeps the link', async () => {
    await mkdir(inWork('dir'));
    await writeFile(inWork('dir/file'), 'old');
    await symlink('dir/file', inWork('link'));
    await symlink('dir', inWork('to-dir'));
    expect(await rig.write(inWork('link'), 'new')).toBe('written');
    expect(await readlink(inWork('link'))).toBe('dir/file');
    expect(await text('dir/file')).toBe('new');
    expect(await rig.write(inWork('to-dir/sub/other'), 'x')).toBe('written');
    expect(await text('dir/sub/other')).toBe('x');
  });

  it('never writes outside, nor through a link that leads nowhere', async () => {
    await symlink(rig.outside, inWork('out'));
    await symlink(join(rig.outside, 'secret'), inWork('to-file'));
    await symlink(join(rig.outside, 'new'), inWork('to-new'));
    await symlink('nowhere', inWork('dangling'));
    await symlink('/proc/self/root', inWork('proc'));
    const paths = [
      'out/secret',
      'out/new',
      'out/deep/new',
      'to-file',
      'to-new',
      'dangling',
      'dangling/x',
      '../outside/new',
      '../new',
      `proc${rig.outside}/new`,
    ];
    for (const path of paths) {
      expect(await rig.write(`${rig.work}/${path}`, 'x')).toMatchObject({ code: 47016, data: { reason: 'outside' } });
    }
    expect((await readdir(rig.work)).sort()).toEqual(['dangling', 'out', 'proc', 'to-file', 'to-new', 'vendor']);
    expect(await readdir(rig.folder)).toEqual(['outside', 'work']);
  });

  it('refuses a read-only root, also inside a read-write one and by a link to it', async () => {
    await writeFile(inWork('vendor/lib.js'), 'theirs');
    await symlink('vendor', inWork('v'));
    for (const path of ['vendor/lib.js', 'vendor/new', 'v/lib.js', 'v/new', 'v/a/b']) {
      expect(await rig.write(inWork(path), 'x')).toMatchObject({ code: 47016, data: { reason: 'read_only' } });
    }
    expect(await readdir(inWork('vendor'))).toEqual(['lib.js']);
    expect(await rig.read(inWork('v/lib.js'))).toBe('theirs');
  });

  it('refuses what decides what other tools run, at any depth, in any case, by any link', async () => {
    await mkdir(inWork('.git/hooks'), { recursive: true });
    await mkdir(inWork('sub/.vscode'), { recursive: true });
    await writeFile(inWork('.mcp.json'), '{}');
    await symlink('sub/.vscode', inWork('harmless'));
    await symlink('.git', inWork('g'));
    await symlink('.mcp.json', inWork('notes'));
    const paths = [
      '.git/hooks/pre-commit',
      '.git/config',
      '.git/commondir',
      '.git/modules/sub/hooks/post-checkout',
      '.git/modules/sub/config',
      '.git/worktrees/w/config.worktree',
      '.git/worktrees/w/gitdir',
      'g/hooks/x/y',
      'g/config',
      'sub/module/.git',
      '.mcp.json',
      'notes',
      'sub/.mcp.json',
      'sub/.vscode/tasks.json',
      'harmless/tasks.json',
      '.claude/settings.json',
      'deep/er/.Claude/settings.json',
      '.cursor/x',
      '.codex/config.toml',
      '.reeve',
    ];
    for (const path of paths) {
      expect(await rig.write(inWork(path), 'x'), path).toMatchObject({ code: 47016, data: { reason: 'protected' } });
    }
    expect(await readdir(inWork('.git'), { recursive: true })).toEqual(['hooks']);
    expect(await readdir(inWork('sub'), { recursive: true })).toEqual(['.vscode']);
    for (const path of ['.git/COMMIT_EDITMSG', '.github/x', '.gitignore', 'claude', '.mcp.json5', 'hooks/x', 'config'])
      expect(await rig.write(inWork(path), 'x')).toBe('written');
  });

  it('protects the hooks of a root that is itself a git directory', async () => {
    const git = join(rig.outside, '..', 'repo', '.git');
    await mkdir(git, { recursive: true });
    await using other = await openFilesRig(1024, [{ path: git, access: 'rw' }]);
    expect(await other.write(join(git, 'hooks/pre-commit'), 'x')).toMatchObject({ data: { reason: 'protected' } });
    expect(await other.write(join(git, 'COMMIT_EDITMSG'), 'x')).toBe('written');
    await rm(join(git, '..'), { recursive: true });
  });

  it('writes regular files only', async () => {
    execFileSync('mkfifo', [inWork('pipe')]);
    await writeFile(inWork('file'), 'x');
    for (const path of ['pipe', '.', 'file/below', 'file/be/low']) {
      expect(await rig.write(inWork(path), 'x'), path).toMatchObject({ code: -32602 });
    }
    expect(await text('file')).toBe('x');
  });

  it('takes a text of exactly the limit, and names the setting that refuses a longer one', async () => {
    expect(await rig.write(inWork('exact'), 'ü'.repeat(32 * 1024))).toBe('written');
    expect(await rig.write(inWork('longer'), `${'ü'.repeat(32 * 1024)}x`)).toMatchObject({
      code: 47017,
      message: expect.stringContaining('limits.maxFileBytes'),
    });
    await expect(text('longer')).rejects.toThrow('ENOENT');
  });

  it('refuses a text that UTF-8 cannot say, and no text', async () => {
    for (const content of ['\ud800', undefined as unknown as string]) {
      expect(await rig.write(inWork('file'), content)).toMatchObject({ code: -32602 });
    }
  });

  it('does one after another, so that a read sees the write before it', async () => {
    const path = inWork('counter');
    const all = Array.from({ length: 20 }, (_, count) => [rig.write(path, `${count}`), rig.read(path)] as const);
    expect(await Promise.all(all.map(([, read]) => read))).toEqual(all.map((_, count) => `${count}`));
  });
});
