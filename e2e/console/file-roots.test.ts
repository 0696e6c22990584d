import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from './axe.ts';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

let lab: ConsoleLab;
let base: string;
const at = (name: string): string => join(base, name);

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-file-')));
  for (const name of ['shop', 'docs']) mkdirSync(at(name));
  for (const name of ['notes.txt', 'more.txt']) writeFileSync(at(name), 'text');
  lab = await openConsoleLab();
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

describe('a root that is a single file', () => {
  it('is said to be one in the preview of a session, where its boundary stands, and in the list of all', async () => {
    await using console = await lab.open({ path: '/sessions' });
    const { page } = console;
    await page.getByRole('button', { name: 'New session' }).click();
    const dialog = page.getByRole('dialog', { name: 'New session' });
    const preview = dialog.getByRole('region', { name: 'What it may touch' }).getByRole('listitem');
    await dialog.getByLabel('Title').fill('Filed');
    await dialog.getByLabel('Working directory').fill(at('shop'));
    for (const [index, name] of ['notes.txt', 'docs'].entries()) {
      await dialog.getByRole('button', { name: 'Add a directory' }).click();
      await dialog.getByLabel(`Further directory ${index + 1}`).fill(at(name));
    }
    await preview.filter({ hasText: 'notes.txt' }).getByText('file', { exact: true }).waitFor();
    await preview.filter({ hasText: at('docs') }).waitFor();
    expect(await dialog.getByText('file', { exact: true }).count()).toBe(1);
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('heading', { name: 'Filed' }).waitFor();

    const [session] = (await lab.api.sessions.list()).sessions;
    await using other = await lab.open({ path: `/boundaries/${session?.sessionId}` });
    const matrix = other.page.getByRole('region', { name: 'Who may touch what' });
    await matrix.getByRole('rowheader').filter({ hasText: 'notes.txt' }).getByText('file', { exact: true }).waitFor();
    expect(await matrix.getByText('file', { exact: true }).count()).toBe(1);
    await other.page.getByLabel('Give one more directory').fill(at('more.txt'));
    await other.page.locator('form').getByText('file', { exact: true }).waitFor();
    expect(await axeViolations(other.page)).toEqual([]);

    await other.page.getByRole('link', { name: 'Boundaries' }).click();
    const listed = other.page.getByRole('listitem').filter({ has: other.page.getByRole('link', { name: 'Filed' }) });
    const root = listed.getByRole('listitem').filter({ hasText: 'notes.txt' });
    await root.getByText('file', { exact: true }).waitFor();
    expect(await axeViolations(other.page)).toEqual([]);
  });

  it('is said to be one in the review of an MCP server that would see it', async () => {
    const roots = [
      { path: at('shop'), access: 'rw' as const },
      { path: at('notes.txt'), access: 'ro' as const },
    ];
    await lab.api.sessions.create({
      cwd: at('shop'),
      mcpServers: [{ name: 'reader', command: '/bin/cat', args: [], env: [] }],
      metadata: { boundary: { roots } },
    });
    await using console = await lab.open({});
    const { page } = console;
    const card = page.getByRole('article').filter({ hasText: 'MCP server “reader”' });
    const shown = card.getByRole('list', { name: 'Directories and files that it would see' }).getByRole('listitem');
    await shown.filter({ hasText: 'notes.txt' }).getByText('file', { exact: true }).waitFor();
    expect(
      await shown
        .filter({ hasText: at('shop') })
        .getByText('file', { exact: true })
        .count(),
    ).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
  });
});
