import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canServeFiles } from '../boundary/open-roots.ts';
import { type FilesRig, openFilesRig } from './session-files.rig.ts';

// Without /proc nothing is served: local-services.ts.
describe.runIf(canServeFiles)('fs/read_text_file', () => {
  let rig: FilesRig;
  beforeEach(async () => {
    rig = await openFilesRig();
  });
  afterEach(() => rig[Symbol.asyncDispose]());

  const put = async (name: string, content: string | Buffer): Promise<string> => {
    const path = join(rig.work, name);
    await writeFile(path, content);
    return path;
  };

  it('reads a file as it is: byte-order mark, line endings, NUL, nothing', async () => {
    for (const text of ['\uFEFFone\r\ntwo\rthree\n', 'a\0b', '', 'ünïcode 🎉']) {
      expect(await rig.read(await put('file', text))).toBe(text);
    }
    expect(await rig.read(`${rig.work}/x/..//./file`)).toBe('ünïcode 🎉');
  });

  it.each<[object, string]>([
    [{ line: 1, limit: 1 }, 'one\n'],
    [{ line: 2, limit: 1 }, 'two\r\n'],
    [{ line: 2 }, 'two\r\n\nfour'],
    [{ limit: 2 }, 'one\ntwo\r\n'],
    [{ line: 3, limit: 2 }, '\nfour'],
    [{ line: 4, limit: 100 }, 'four'],
    [{ line: 5 }, ''],
    [{ line: 0, limit: 1 }, 'one\n'],
    [{ line: 1, limit: 0 }, ''],
    [{ line: null, limit: null }, 'one\ntwo\r\n\nfour'],
    [{ line: 4_294_967_295, limit: 4_294_967_295 }, ''],
  ])('takes the lines that %j names, each with its ending', async (range, expected) => {
    expect(await rig.read(await put('lines', 'one\ntwo\r\n\nfour'), range)).toBe(expected);
  });

  it.each([{ line: -1 }, { line: 1.5 }, { limit: '3' as unknown as number }])('refuses the lines %j', async (range) => {
    expect(await rig.read(await put('lines', 'x'), range)).toMatchObject({ code: -32602 });
  });

  it('answers for a missing file in a way that agents take for ENOENT', async () => {
    const path = join(rig.work, 'none', 'of', 'it.ts');
    expect(await rig.read(path)).toEqual({
      code: -32002,
      message: `Resource not found: ${path} does not exist (ENOENT)`,
      data: { uri: path, path },
    });
  });

  it('refuses what is not UTF-8, and half a character at the end', async () => {
    for (const bytes of [Buffer.from([0xff, 0xfe, 0x41]), Buffer.from('ü').subarray(0, 1)]) {
      expect(await rig.read(await put('latin', bytes))).toMatchObject({ code: 47014 });
    }
  });

  it('takes a file of exactly the limit, and names the setting that refuses a larger one', async () => {
    expect(await rig.read(await put('exact', 'x'.repeat(64 * 1024)))).toHaveLength(64 * 1024);
    const larger = { code: 47017, message: expect.stringContaining('limits.maxFileBytes') };
    expect(await rig.read(await put('larger', 'x'.repeat(64 * 1024 + 1)))).toMatchObject(larger);
    await truncate(await put('sparse', ''), 2 ** 40);
    expect(await rig.read(join(rig.work, 'sparse'))).toMatchObject(larger);
  });

  it('reads regular files only, and waits for no pipe', async () => {
    const pipe = join(rig.work, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const socket = join(rig.work, 'socket');
    const server = createServer().listen(socket);
    await once(server, 'listening');
    for (const path of [pipe, socket, rig.work]) expect(await rig.read(path)).toMatchObject({ code: -32602 });
    server.close();
  });

  it('gives the same answer for what exists outside and what does not, by whatever way', async () => {
    await symlink(rig.outside, join(rig.work, 'out'));
    await symlink(join(rig.outside, 'secret'), join(rig.work, 'to-file'));
    await symlink(join(rig.outside, 'none'), join(rig.work, 'to-none'));
    await symlink('/proc/self/root', join(rig.work, 'proc'));
    await symlink('/proc/self/fd', join(rig.work, 'fd'));
    await mkdir(`${rig.work}-evil`);
    await writeFile(`${rig.work}-evil/secret`, 'outside');
    const up = relative(rig.work, rig.outside);
    const paths = [
      join(rig.outside, 'secret'),
      join(rig.outside, 'none'),
      `${rig.work}-evil/secret`,
      `${rig.work}-evil/none`,
      `${rig.work}/${up}/secret`,
      `${rig.work}/${up}/none`,
      join(rig.work, 'out/secret'),
      join(rig.work, 'out/none'),
      join(rig.work, 'out/none/deeper'),
      join(rig.work, 'to-file'),
      join(rig.work, 'to-none'),
      join(rig.work, 'proc/etc/passwd'),
      join(rig.work, 'proc/none'),
      join(rig.work, 'fd/0'),
      join(rig.work, 'fd/99999'),
      '/proc/self/environ',
      '/',
    ];
    for (const path of paths) {
      const answer = JSON.stringify(await rig.read(path)).replaceAll(JSON.stringify(path).slice(1, -1), 'PATH');
      expect(JSON.parse(answer)).toEqual({
        code: 47016,
        message: 'PATH is outside the roots of this session, or a symbolic link there leads outside or nowhere',
        data: {
          name: 'forbidden',
          next: expect.stringContaining('inside the boundary'),
          path: 'PATH',
          reason: 'outside',
        },
      });
    }
  });

  it('follows symbolic links that stay inside, and hard links', async () => {
    const path = await put('file', 'inside');
    await symlink('file', join(rig.work, 'link'));
    await symlink('.', join(rig.work, 'here'));
    await link(path, join(rig.work, 'hard'));
    for (const name of ['link', 'here/here/file', 'hard']) expect(await rig.read(join(rig.work, name))).toBe('inside');
  });

  it('refuses a relative path, and one with NUL', async () => {
    for (const path of ['file', './file', '', `${rig.work}/a\0b`, 7 as unknown as string]) {
      expect(await rig.read(path)).toMatchObject({ code: -32602 });
    }
  });

  it('says that a root was moved, replaced or deleted', async () => {
    const path = await put('file', 'inside');
    const gone = { code: 47016, data: { reason: 'root_gone' } };
    await rename(rig.work, join(rig.folder, 'moved'));
    expect(await rig.read(path)).toMatchObject(gone);
    await mkdir(rig.work);
    await put('file', 'another');
    expect(await rig.read(path)).toMatchObject(gone);
    await rm(rig.work, { recursive: true });
    await symlink(rig.outside, rig.work);
    expect(await rig.read(join(rig.work, 'secret'))).toMatchObject(gone);
    await rm(rig.work);
    await rename(join(rig.folder, 'moved'), rig.work);
    expect(await rig.read(path)).toBe('inside');
  });

  it('says that a root was not there when the session began', async () => {
    const root = '/nowhere-at-all/root';
    await using other = await openFilesRig(1024, [{ path: root, access: 'rw' }]);
    expect(await other.read(`${root}/file`)).toMatchObject({ code: 47016, data: { path: root, reason: 'root_gone' } });
  });

  it('knows a root by the name that it was declared with, a symbolic link', async () => {
    await using other = await openFilesRig(1024, [{ path: '/proc/self/cwd', access: 'ro' }]);
    const file = basename(import.meta.filename);
    const path = `/proc/self/cwd/${relative(process.cwd(), import.meta.dirname)}/${file}`;
    expect(await other.read(path, { limit: 1 })).toMatchObject({ code: 47017 });
    expect(await other.read('/proc/self/cwd/none')).toMatchObject({ code: -32002 });
  });
});
