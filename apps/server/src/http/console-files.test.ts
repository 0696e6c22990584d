import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONSOLE_PATHS, consoleFiles, isConsolePage } from './console-files.ts';
import { isWithin } from './open-path.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reeve-console-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function build(): Promise<void> {
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<p>page</p>');
  await writeFile(join(folder, 'assets', 'main-abc.js'), 'let built = 1;');
  await writeFile(join(folder, 'secret.txt'), 'not to be served');
}

describe('the files of the console', () => {
  it('are the page for every screen, never kept, under a policy that allows its own files only', async () => {
    await build();
    const files = consoleFiles(folder);
    for (const path of ['/', '/sessions', '/sessions/abc', '/requests/r-1', '/audit']) {
      const response = await files(path, undefined);
      expect(response?.status).toBe(200);
      expect(await response?.text()).toBe('<p>page</p>');
      expect(response?.headers.get('cache-control')).toBe('no-store');
      const policy = response?.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('unsafe');
    }
  });

  it('are kept for ever where their name stands for their content, and packed for whoever takes it', async () => {
    await build();
    const files = consoleFiles(folder);
    const plain = await files('/assets/main-abc.js', undefined);
    expect(await plain?.text()).toBe('let built = 1;');
    expect(plain?.headers.get('cache-control')).toContain('immutable');
    const packed = await files('/assets/main-abc.js', 'gzip, br');
    expect(packed?.headers.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(new Uint8Array(await (packed as Response).arrayBuffer())).toString()).toBe('let built = 1;');
  });

  it('are no others: not the API, not what lies beside them, not what lies above', async () => {
    await build();
    const files = consoleFiles(folder);
    for (const path of [
      '/v1/sessions',
      '/acp',
      '/nothing',
      '/assets/none-1.js',
      '/assets/../secret.txt',
      '/assets/%2e%2e/secret.txt',
      '/secret.txt',
      '/assets/',
    ]) {
      expect(await files(path, undefined)).toBeUndefined();
    }
    expect(CONSOLE_PATHS.filter((open) => isWithin(open, '/v1/sessions') || isWithin(open, '/acp'))).toEqual([]);
  });

  it('are the page for any other address that somebody opens in a browser, as not found, and nothing of the API', async () => {
    await build();
    const files = consoleFiles(folder);
    for (const path of ['/nosuch', '/sessions/', '/a/b.c']) {
      expect(isConsolePage(path)).toBe(true);
      const response = await files(path, undefined, true);
      expect(response?.status).toBe(path.startsWith('/sessions') ? 200 : 404);
      expect(await response?.text()).toBe('<p>page</p>');
    }
    for (const path of ['/v1', '/V1/nothing', '/v1/sessions', '/acp', '/assets/none.js', '/%761/sessions']) {
      expect(isConsolePage(path)).toBe(false);
      expect(await files(path, undefined, true)).toBeUndefined();
    }
  });

  it('say how to build the page while it is not built, and are there as soon as it is', async () => {
    const files = consoleFiles(folder);
    const missing = await files('/', undefined);
    expect(missing?.status).toBe(503);
    expect(await missing?.text()).toContain('npm run build -w @reeve/console');
    expect(await files('/assets/main-abc.js', undefined)).toBeUndefined();
    await build();
    expect((await files('/', undefined))?.status).toBe(200);
    expect((await files('/assets/main-abc.js', undefined))?.status).toBe(200);
  });
});
