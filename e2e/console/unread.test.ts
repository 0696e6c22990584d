import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

let lab: ConsoleLab;
beforeAll(async () => {
  lab = await openConsoleLab();
});
afterAll(() => lab?.[Symbol.asyncDispose]());

const row = (page: Page, title: string): Locator =>
  page.getByRole('list', { name: 'Sessions' }).getByRole('listitem').filter({ hasText: title });
const unread = (page: Page, title: string): Promise<boolean> =>
  row(page, title)
    .getByText('(unread)')
    .count()
    .then((count) => count > 0);

async function lookAt(page: Page, title: string, said: string): Promise<void> {
  await page.getByRole('link', { name: title }).click();
  await page.getByRole('region', { name: 'Timeline' }).getByText(said).first().waitFor();
  await page.getByRole('link', { name: 'Sessions' }).click();
  await row(page, title).waitFor();
}

describe('the unread mark of a session', () => {
  it('appears when something happens, goes when somebody looks, and stays gone over a reload', async () => {
    const id = await lab.session('Marked');
    await lab.api.sessions.prompt(id, { prompt: 'first words' });
    await using console = await lab.open({ path: '/sessions' });
    const { page } = console;
    await row(page, 'Marked').waitFor();
    await expect.poll(() => unread(page, 'Marked')).toBe(true);
    await lookAt(page, 'Marked', 'first words');
    await expect.poll(() => unread(page, 'Marked')).toBe(false);
    await page.reload();
    await row(page, 'Marked').waitFor();
    expect(await unread(page, 'Marked')).toBe(false);
    await lab.api.sessions.prompt(id, { prompt: 'more words' });
    await expect.poll(() => unread(page, 'Marked')).toBe(true);
    await page.reload();
    await row(page, 'Marked').waitFor();
    await expect.poll(() => unread(page, 'Marked')).toBe(true);
    await lookAt(page, 'Marked', 'more words');
    await expect.poll(() => unread(page, 'Marked')).toBe(false);
  });

  it('is of each browser for itself, and of all its tabs', async () => {
    const id = await lab.session('Shared');
    await lab.api.sessions.prompt(id, { prompt: 'for everybody' });
    await using one = await lab.open({ path: '/sessions' });
    await using other = await lab.open({ path: '/sessions' });
    await Promise.all([one.page, other.page].map((page) => row(page, 'Shared').waitFor()));
    const tab = await one.context.newPage();
    await tab.goto(`${lab.server.url}/sessions/${id}#token=${lab.server.token}`);
    await tab.getByRole('region', { name: 'Timeline' }).getByText('for everybody').first().waitFor();
    await expect.poll(() => unread(one.page, 'Shared')).toBe(false);
    expect(await unread(other.page, 'Shared')).toBe(true);
    await lookAt(other.page, 'Shared', 'for everybody');
    await expect.poll(() => unread(other.page, 'Shared')).toBe(false);
  });

  it('stays while the page of the session is out of sight, and goes when it is seen again', async () => {
    const id = await lab.session('Hidden');
    await lab.api.sessions.prompt(id, { prompt: 'seen at once' });
    await using console = await lab.open({ path: '/sessions' });
    const { page: list, context } = console;
    const tab = await context.newPage();
    await tab.goto(`${lab.server.url}/sessions/${id}#token=${lab.server.token}`);
    const timeline = tab.getByRole('region', { name: 'Timeline' });
    await timeline.getByText('seen at once').first().waitFor();
    await expect.poll(() => unread(list, 'Hidden')).toBe(false);
    const show = (shown: boolean) =>
      tab.evaluate(
        `Object.defineProperty(document, 'hidden', { configurable: true, value: ${!shown} }); document.dispatchEvent(new Event('visibilitychange'));`,
      );
    await show(false);
    await lab.api.sessions.prompt(id, { prompt: 'behind the back' });
    await timeline.getByText('behind the back').first().waitFor();
    await expect.poll(() => unread(list, 'Hidden')).toBe(true);
    await show(true);
    await expect.poll(() => unread(list, 'Hidden')).toBe(false);
  });
});
