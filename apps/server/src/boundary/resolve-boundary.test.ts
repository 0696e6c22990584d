import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BoundaryWish } from '@reeve/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveBoundary, resolveRoots } from './resolve-boundary.ts';

let base: string;
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-boundary-')));
  for (const name of ['a', 'a/inner', 'a-evil', 'b', 'data', 'data/x']) mkdirSync(join(base, name));
  writeFileSync(join(base, 'file'), '');
  symlinkSync(join(base, 'a'), join(base, 'link'));
  symlinkSync(join(base, 'data'), join(base, 'to-data'));
  symlinkSync(join(base, 'file'), join(base, 'to-file'));
  writeFileSync(join(base, 'data/key'), '');
  execFileSync('mkfifo', [join(base, 'pipe')]);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function resolve(cwd: string, wish?: BoundaryWish, additionalDirectories: readonly string[] = []) {
  const request = {
    wish,
    cwd: join(base, cwd),
    additionalDirectories: additionalDirectories.map((it) => join(base, it)),
  };
  return resolveBoundary(request, { maxRoots: 2, dataDir: join(base, 'data') });
}

async function issuesOf(check: ReturnType<typeof resolve>): Promise<readonly string[]> {
  const found = await check;
  return found.kind === 'invalid' ? found.issues.map(({ path, received }) => `${path}: ${received}`) : [];
}

const root = (path: string, access: 'rw' | 'ro' = 'rw') => ({
  path: path.startsWith('/') ? path : join(base, path),
  access,
});
const ROOT = '_meta["sandboxagent.dev"].boundary.roots[0].path';

describe('the boundary of a session', () => {
  it('is the working directory and the additional ones, read-write, unless it says so itself', async () => {
    expect(await resolve('a', undefined, ['b', 'a'])).toEqual({
      kind: 'ok',
      place: {
        boundary: { roots: [root('a'), root('b')], revision: 1 },
        cwd: join(base, 'a'),
        additionalDirectories: [join(base, 'b'), join(base, 'a')],
      },
    });
    expect(await resolve('a/inner', { roots: [root('a', 'ro')], network: 'none' })).toMatchObject({
      place: { boundary: { roots: [root('a', 'ro')], network: 'none' }, cwd: join(base, 'a/inner') },
    });
  });

  it('names directories by where they are, whatever links lead there', async () => {
    expect(await resolve('link/inner', { roots: [root('link')] })).toMatchObject({
      place: { boundary: { roots: [root('a')] }, cwd: join(base, 'a/inner') },
    });
  });

  it('has no roots that are not there, neither directories nor files, named twice, of the system or of Reeve itself', async () => {
    expect(await issuesOf(resolve('gone'))).toEqual(['cwd: nothing there']);
    expect(await issuesOf(resolve('file'))).toEqual(['cwd: something that is no directory']);
    expect(await issuesOf(resolve('a', undefined, ['gone']))).toEqual(['additionalDirectories[0]: nothing there']);
    expect(await issuesOf(resolve('a', { roots: [root('gone')] }))).toEqual([`${ROOT}: nothing there`]);
    expect(await issuesOf(resolve('a', { roots: [root('a'), root('link')] }))).toEqual([
      `${ROOT.replace('0', '1')}: ${JSON.stringify(join(base, 'a'))}`,
    ]);
    for (const path of ['/', '/proc', '/proc/self', '/sys', '/dev/shm']) {
      expect(await issuesOf(resolve('a', { roots: [root(path)] }))).toEqual([
        expect.stringMatching(/whole file system|system/),
      ]);
    }
    for (const path of ['data', 'data/x', 'to-data']) {
      expect(await issuesOf(resolve(path))).toEqual(["cwd: a place in Reeve's own data directory"]);
    }
    expect(await issuesOf(resolve('a', { roots: [root('data/key')] }))).toEqual([
      `${ROOT}: a place in Reeve's own data directory`,
    ]);
    for (const path of ['pipe', '/dev/null']) {
      expect(await issuesOf(resolve('a', { roots: [root(path)] }))).toEqual([`${ROOT}: a pipe, socket or device`]);
    }
  });

  it('may have single files as roots, and none of them to work in', async () => {
    const file = { ...root('file', 'ro'), kind: 'file' };
    for (const name of ['file', 'to-file']) {
      expect(await resolve('a', { roots: [root('a'), root(name, 'ro')] })).toMatchObject({
        place: { boundary: { roots: [root('a'), file] }, cwd: join(base, 'a') },
      });
    }
    expect(await issuesOf(resolve('file', { roots: [root('a'), root('file')] }))).toEqual([
      'cwd: something that is no directory',
    ]);
    expect(await issuesOf(resolve('a', { roots: [root('a'), root('file')] }, ['file']))).toEqual([
      'additionalDirectories[0]: something that is no directory',
    ]);
    expect(await issuesOf(resolve('a', { roots: [root('file')] }))).toEqual([`cwd: "${join(base, 'a')}"`]);
    const twice = resolveRoots([root('file'), root('to-file')], { maxRoots: 2, dataDir: join(base, 'data') });
    expect(await twice).toMatchObject({ kind: 'invalid', issues: [{ received: JSON.stringify(join(base, 'file')) }] });
  });

  it('are refused where somebody says that they are one, and the other is there', async () => {
    const said = (path: string, kind: 'directory' | 'file') =>
      issuesOf(resolve('a', { roots: [root('a'), { ...root(path), kind }] }));
    const at = ROOT.replace('0', '1');
    expect(await said('file', 'directory')).toEqual([`${at}: something that is no directory`]);
    expect(await said('b', 'file')).toEqual([`${at}: something that is no file`]);
    expect(await said('file', 'file')).toEqual([]);
  });

  it('holds the directories that it is used with, by component and not by the beginning of a name', async () => {
    expect(await issuesOf(resolve('a-evil', { roots: [root('a')] }))).toEqual([`cwd: "${join(base, 'a-evil')}"`]);
    expect(await issuesOf(resolve('a', { roots: [root('a')] }, ['b']))).toEqual([
      `additionalDirectories[0]: "${join(base, 'b')}"`,
    ]);
  });

  it('has at most as many roots as the configuration says, and the refusal names the setting', async () => {
    expect((await resolve('a', { roots: [root('a'), root('b')] })).kind).toBe('ok');
    const check = await resolve('a', { roots: [root('a'), root('b'), root('a-evil')] });
    expect(check).toMatchObject({ issues: [{ expected: expect.stringContaining('limits.maxRoots'), received: '3' }] });
    expect((await resolve('a', undefined, ['b', 'a-evil'])).kind).toBe('invalid');
  });
});
