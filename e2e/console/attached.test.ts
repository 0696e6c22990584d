import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from './axe.ts';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

let lab: ConsoleLab;
beforeAll(async () => {
  lab = await openConsoleLab(['--config-options']);
});
afterAll(() => lab?.[Symbol.asyncDispose]());

describe('the head of a session', () => {
  it('shows who is attached and who reads along, and who comes and goes meanwhile', async () => {
    const id = await lab.session('Watched');
    await using console = await lab.open({ path: `/sessions/${id}`, width: 360 });
    const { page } = console;
    const button = page.getByRole('button', { name: /^Who is attached/ });
    await button.focus();
    await page.keyboard.press('Enter');
    const list = page.getByRole('list', { name: 'Who is attached' });
    await list.getByText('reeve-console 0.1.0').waitFor();
    await using acp = await lab.api.openAcp({ clientInfo: { name: '<i>zed</i>\u202e', version: '1.2' } });
    await acp.resumeSession({ sessionId: id, cwd: '/tmp' });
    const item = list.getByRole('listitem').filter({ hasText: '<i>zed</i>⟨U+202E⟩ 1.2' });
    await item.getByText('ACP over a WebSocket, may act').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    acp.close();
    await item.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
  });

  it('has each choice with its name beside it, folded on a phone', async () => {
    const id = await lab.session('A session whose title is longer than two hundred and fifty-six pixels are wide');
    await lab.begin(id, { permission: { title: 'May I?' } });
    await using console = await lab.open({ path: `/sessions/${id}` });
    const { page } = console;
    const header = page.locator('main header').first();
    await header.getByText('Mode', { exact: true }).waitFor();
    await expect
      .poll(async () => (await header.locator('label').count()) - (await header.getByRole('combobox').count()))
      .toBe(0);
    await page.setViewportSize({ width: 360, height: 740 });
    await expect.poll(() => header.getByRole('combobox').count()).toBe(0);
    await expect.poll(async () => (await header.boundingBox())?.height).toBeLessThan(130);
    const unfold = header.getByRole('button', { name: 'Mode and model' });
    await unfold.focus();
    await page.keyboard.press('Enter');
    await header.getByLabel('Mode', { exact: true }).selectOption('plan');
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${lab.server.url}/`);
    const title = page.getByRole('article').getByRole('link', { name: /^A session whose title/ });
    expect((await title.boundingBox())?.width).toBeGreaterThan(256);
  });
});
