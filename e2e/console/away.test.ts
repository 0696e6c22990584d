import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from './axe.ts';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';
import { openCuttableLine } from './cuttable-line.ts';

let lab: ConsoleLab;
beforeAll(async () => {
  lab = await openConsoleLab();
});
afterAll(() => lab?.[Symbol.asyncDispose]());

const banner = (page: Page) => page.getByText('The server does not answer. What is shown may be old', { exact: false });
/** Resolves when the file of the screen that is loaded last is there. */
const allLoaded = (page: Page) =>
  expect
    .poll(
      () => page.evaluate('performance.getEntriesByType("resource").some(({ name }) => /audit-screen/.test(name))'),
      { timeout: 60_000 },
    )
    .toBe(true);

describe('the console while the server is away', () => {
  it('says so until the line is there again, though nothing changes on the server', async () => {
    await using line = await openCuttableLine(lab.server.url);
    await using console = await lab.open({ url: line.url });
    const { page } = console;
    await page.getByText('Nothing waits for you').waitFor();
    line.cut();
    await banner(page).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    line.restore(lab.server.url);
    await banner(page).waitFor({ state: 'detached' });
  });

  it('has every screen at hand, each says that the server is away, and is there when it is back', async () => {
    await using line = await openCuttableLine(lab.server.url);
    await using console = await lab.open({ url: line.url });
    const { page } = console;
    await allLoaded(page);
    line.cut();
    await banner(page).waitFor();
    for (const name of ['Boundaries', 'Servers', 'Agents', 'Policy', 'Audit', 'Sessions']) {
      await page.getByRole('link', { name }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await banner(page).waitFor();
      expect(await page.getByText('This screen could not be shown', { exact: false }).count()).toBe(0);
    }
    line.restore(lab.server.url);
    await banner(page).waitFor({ state: 'detached' });
    await page.getByText('No sessions yet').waitFor();
  });

  it('shows a screen that it could not load as soon as the server is back', async () => {
    await using line = await openCuttableLine(lab.server.url);
    let cut = false;
    const prepare = (context: BrowserContext) =>
      context.route('**/assets/policy-screen-*.js', (route) => (cut ? route.continue() : new Promise(() => {})));
    await using console = await lab.open({ url: line.url, prepare, faulty: true });
    const { page, context } = console;
    await page.getByText('Nothing waits for you').waitFor();
    line.cut();
    await banner(page).waitFor();
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    cut = true;
    await page.getByRole('link', { name: 'Policy' }).click();
    await page.getByText('It comes as soon as the server is back', { exact: false }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    line.restore(lab.server.url);
    await page.getByRole('heading', { name: 'Policy', level: 1 }).waitFor();
    expect(page.url()).toBe(`${line.url}/policy`);
  });

  it('shows what was said as plain text until it can load what draws it, and never loses the session for it', async () => {
    const id = await lab.session('Said');
    await lab.api.sessions.prompt(id, { prompt: '**bold** words' });
    const prepare = (context: BrowserContext) =>
      context.route('**/assets/markdown-*.js', (route) => route.abort('connectionfailed'));
    await using console = await lab.open({ path: `/sessions/${id}`, prepare });
    const { page, context } = console;
    const said = page.getByRole('article', { name: 'Agent' });
    const failed = page.waitForEvent('requestfailed');
    await said.getByText('**bold** words').waitFor();
    await failed;
    await said.getByText('**bold** words').waitFor();
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await said.locator('strong').getByText('bold').waitFor();
  });

  it('shows where one can go at once, also where the server takes its time or does not answer at all', async () => {
    const { promise: seen, resolve: fail } = Promise.withResolvers<void>();
    const prepare = (context: BrowserContext) =>
      context.route('**/v1/health', async (route) => {
        await seen;
        await route.abort().catch(() => {});
      });
    await using console = await lab.open({ path: '/sessions', prepare });
    const { page, context } = console;
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit' }).waitFor();
    await page.getByText('Loading the server').waitFor();
    fail();
    await page.getByText('The server does not answer. Trying again').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  });
});
