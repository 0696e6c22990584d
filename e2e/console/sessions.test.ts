import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

let lab: ConsoleLab;
let folder: string;
beforeAll(async () => {
  [lab, folder] = await Promise.all([
    openConsoleLab(['--fork', '--models'], false),
    mkdtemp(join(tmpdir(), 'reeve-work-')),
  ]);
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe('the sessions of the console', () => {
  it('can be started with what they may touch seen before, and appear in the list with their state', async () => {
    await using console = await lab.open({ path: '/sessions' });
    const { page } = console;
    await page.getByText('No sessions yet').waitFor();
    await page.getByRole('button', { name: 'New session' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Title (may be left out)').fill('Started here');
    await dialog.getByLabel('Working directory').fill('/etc');
    await dialog.getByText('part of the system').waitFor();
    await dialog.getByLabel('Working directory').fill(folder);
    await dialog.getByLabel('Access to directory 1').selectOption('ro');
    await dialog.getByLabel('Network').selectOption('none');
    const preview = dialog.getByRole('region', { name: 'What it may touch' });
    // Nothing confines the agents of this server, so that a rule about the network is none.
    await expect.poll(() => preview.innerText()).toMatch(/read-only[\s\S]*Network: everything[\s\S]*not enforced/);
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('heading', { name: 'Started here' }).waitFor();
    const [session] = (await lab.api.sessions.list()).sessions;
    expect(session?.boundary?.roots).toMatchObject([{ access: 'ro' }]);
    await page.getByRole('link', { name: 'Sessions' }).click();
    const row = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
    await row.filter({ hasText: 'Started here' }).filter({ hasText: 'idle' }).waitFor();
  });

  it('say why one could not be started, and lose nothing that was filled in', async () => {
    await using console = await lab.open({ path: '/sessions' });
    const { page } = console;
    await page.getByRole('button', { name: 'New session' }).click();
    await page.getByLabel('Working directory').fill('/no/such/place');
    await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click();
    await page.getByRole('alert').getByText('The session could not be started').waitFor();
    expect(await page.getByLabel('Working directory').inputValue()).toBe('/no/such/place');
  });

  it('can be found, renamed, forked, closed and deleted', async () => {
    const id = await lab.session('Old name');
    await lab.session('Another one');
    await lab.api.sessions.prompt(id, { prompt: 'remember this' });
    await using console = await lab.open({ path: '/sessions' });
    const { page } = console;
    const rows = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
    await page.getByRole('searchbox').fill('old');
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('searchbox').fill('remember');
    await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('Old name')]);
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByText('No session matches').waitFor();
    await page.getByRole('searchbox').fill('');

    const menu = async (item: string): Promise<void> => {
      await page.getByRole('button', { name: /More for (Old|New) name/ }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await menu('Rename');
    await page.getByRole('dialog').getByLabel('Title').fill('New name');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await rows.filter({ hasText: 'New name' }).waitFor();
    await menu('Close');
    await rows.filter({ hasText: 'New name' }).filter({ hasText: 'closed' }).waitFor();
    await menu('Fork');
    await page.waitForURL((url) => /\/sessions\/./.test(url.pathname) && !url.pathname.includes(id));
    await page.getByRole('region', { name: 'Timeline' }).getByText('remember this').first().waitFor();
    await page.getByRole('button', { name: /More for/ }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL('**/sessions');
    await expect.poll(() => rows.count()).toBe((await lab.api.sessions.list()).sessions.length);
  });
});
