import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

let lab: ConsoleLab;
beforeAll(async () => {
  lab = await openConsoleLab(['--load']);
});
afterAll(() => lab?.[Symbol.asyncDispose]());

describe('a session whose agent crashed', () => {
  it('is shown as failed, with why, in the list and its own screen, until a turn ends well', async () => {
    const id = await lab.session('Crashes');
    await using list = await lab.open({ path: '/sessions' });
    await using own = await lab.open({ path: `/sessions/${id}` });
    await lab.begin(id, { crash: { code: 3, stderr: 'no more memory' } });
    const row = list.page.getByRole('listitem').filter({ hasText: 'Crashes' });
    await row.getByText('failed', { exact: true }).waitFor();
    await row.getByText('exited with code 3; it last said: no more memory').waitFor();
    const { page } = own;
    await page.locator('main header').getByText('failed', { exact: true }).waitFor();
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByText('The agent process ended with exit code 3').waitFor();
    expect(await timeline.getByText('The session was closed').count()).toBe(0);

    await lab.begin(id, { say: 'well again' });
    await timeline.getByText('well again', { exact: true }).waitFor();
    await row.getByText('failed', { exact: true }).waitFor({ state: 'detached' });
    await page.locator('main header').getByText('failed', { exact: true }).waitFor({ state: 'detached' });
  });
});

describe('a session that waits for somebody', () => {
  it('has one state, also while nothing is under way', async () => {
    const server = { name: 'files', command: process.execPath, args: ['-e', ''], env: [] };
    await lab.api.sessions.create({ cwd: '/tmp', mcpServers: [server], metadata: { title: 'Reviewed' } });
    await using console = await lab.open({ path: '/sessions' });
    const { page } = console;
    const row = page.getByRole('listitem').filter({ hasText: 'Reviewed' });
    await row.getByText('1 waiting', { exact: true }).waitFor();
    expect(await row.getByText('idle', { exact: true }).count()).toBe(0);
    await page.goto(`${lab.server.url}/boundaries`);
    await page.getByRole('main').getByText('1 waiting', { exact: true }).waitFor();
  });
});
