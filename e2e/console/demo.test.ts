import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startCli } from '../../apps/cli/src/cli.rig.ts';
import { openChromium, openConsole } from './open-console.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openChromium();
});
afterAll(() => browser?.close());

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'reeve-shown-'));
  mkdirSync(join(base, 'tmp'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe('the console of the demonstration', () => {
  it('is opened by the address that is printed, and answers all that is asked', async () => {
    await using cli = startCli(['demo', '--json'], { HOME: base, TMPDIR: join(base, 'tmp') });
    await expect.poll(() => cli.stdout()).toContain('"planned"');
    const started = JSON.parse(cli.stdout().split('\n')[0] ?? '{}') as {
      url: string;
      console: string;
      project: string;
    };
    const token = new URL(started.console).hash.replace('#token=', '');
    expect(started.console).toBe(`${started.url}/#token=${token}`);
    await using opened = await openConsole(browser, { url: started.url, token });
    const { page } = opened;
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('button', { name: 'Warm' }).click();
    const edit = page.getByRole('article', { name: 'Edit greeting.txt' });
    await edit.waitFor();
    expect(await edit.innerText()).toContain('Hello, and welcome!');
    await edit.getByRole('button', { name: 'Allow once' }).click();
    await expect.poll(() => cli.stdout()).toContain('"verified"');
    expect(readFileSync(join(started.project, 'greeting.txt'), 'utf8')).toMatch(/^Hello, and welcome!/);
    cli.kill('SIGINT');
    expect((await cli.done).code).toBe(0);
    expect(readdirSync(join(base, 'tmp'))).toEqual([]);
  });
});
