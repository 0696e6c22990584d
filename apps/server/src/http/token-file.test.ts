import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadToken } from './token-file.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reeve-token-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

describe('the token file', () => {
  it('is made once, for its owner only, and read ever after', async () => {
    const data = join(directory, 'a', 'b');
    const first = await loadToken(data);
    expect(first).toMatchObject({ kind: 'ready', token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) });
    expect((await stat(join(data, 'token'))).mode & 0o777).toBe(0o600);
    expect((await stat(data)).mode & 0o777).toBe(0o700);
    expect(await loadToken(data)).toEqual(first);
    expect(await readdir(data)).toEqual(['token']);
  });

  it('is the same for all who start at once', async () => {
    const loaded = await Promise.all(Array.from({ length: 20 }, () => loadToken(directory)));
    expect(new Set(loaded.map((result) => (result.kind === 'ready' ? result.token : 'none'))).size).toBe(1);
    expect(await readdir(directory)).toEqual(['token']);
  });

  it('may be written by hand', async () => {
    await writeFile(join(directory, 'token'), 'my-own-long-token-1\n', { mode: 0o600 });
    expect(await loadToken(directory)).toMatchObject({ kind: 'ready', token: 'my-own-long-token-1' });
  });

  it.each([0o640, 0o604, 0o666])('is refused with mode %o, which others may read', async (mode) => {
    const path = join(directory, 'it’s token', 'token');
    await mkdir(join(path, '..'));
    await writeFile(path, 'my-own-long-token-1\n');
    await chmod(path, mode);
    expect(await loadToken(join(path, '..'))).toMatchObject({
      kind: 'refused',
      path,
      next: expect.stringContaining('chmod 600 '),
    });
  });

  it.each(['', 'short', 'with a space in it, and long', 'x'.repeat(513)])(
    'is refused when it holds %j',
    async (text) => {
      await writeFile(join(directory, 'token'), text, { mode: 0o600 });
      expect(await loadToken(directory)).toMatchObject({ kind: 'refused', next: expect.stringContaining('Remove it') });
    },
  );

  it('is refused when it is a link', async () => {
    await writeFile(join(directory, 'elsewhere'), 'my-own-long-token-1\n', { mode: 0o600 });
    await symlink(join(directory, 'elsewhere'), join(directory, 'token'));
    expect(await loadToken(directory)).toMatchObject({ kind: 'refused', detail: 'it is not a plain file' });
  });
});
