import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from './axe.ts';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';
import { openConsole } from './open-console.ts';

let lab: ConsoleLab;
beforeAll(async () => {
  lab = await openConsoleLab();
});
afterAll(() => lab?.[Symbol.asyncDispose]());

describe('signing in to the console', () => {
  it('takes the token, refuses a wrong one, and shows nothing before', async () => {
    const { server, browser } = lab;
    await using console = await openConsole(browser, { url: server.url, path: '/sessions' });
    const { page } = console;
    const field = page.getByLabel('Token');
    await field.fill('not the token');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('The server does not take this token.').waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await field.fill(server.token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await field.waitFor();
    await page.reload();
    await field.waitFor();
  });

  it('takes the token of a link out of the address at once, and keeps it in no storage that outlives the tab', async () => {
    const { server } = lab;
    await using console = await lab.open({ path: '/agents' });
    const { page, context } = console;
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    expect(page.url()).toBe(`${server.url}/agents`);
    await page.reload();
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie')).not.toContain(server.token);
    const second = await context.newPage();
    await page.close();
    await second.goto(server.url);
    await second.getByLabel('Token').waitFor();
  });

  it('is done for every tab of the browser as long as one is open, and undone for all; no other browser has it', async () => {
    const { server } = lab;
    await using console = await lab.open({ path: '/agents' });
    await using other = await openConsole(lab.browser, { url: server.url });
    const { page, context } = console;
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await other.page.getByLabel('Token').waitFor();
    const second = await context.newPage();
    await second.goto(`${server.url}/audit`);
    await second.getByRole('heading', { name: 'Audit', level: 1 }).waitFor();
    await page.close();
    const third = await context.newPage();
    await third.goto(`${server.url}/policy`);
    await third.getByRole('heading', { name: 'Policy', level: 1 }).waitFor();
    await third.getByRole('button', { name: 'Sign out' }).click();
    for (const tab of [second, third]) {
      await tab.getByLabel('Token').waitFor();
      await tab.reload();
      await tab.getByLabel('Token').waitFor();
    }
    expect(await other.page.getByLabel('Token').isVisible()).toBe(true);
  });

  it('has the token of a link before the page is loaded: who reloads or leaves it at that moment stays signed in', async () => {
    const { server, browser } = lab;
    await using console = await openConsole(browser, {
      url: server.url,
      token: server.token,
      prepare: (context) =>
        context.addInitScript(
          `addEventListener('DOMContentLoaded', () => { window.early = [location.hash, Object.values(sessionStorage).length]; });`,
        ),
    });
    expect(await console.page.evaluate('window.early')).toEqual(['', 1]);
  });

  it('is not asked for where the server wants no token', async () => {
    // As a server without a token answers: it lets everybody in.
    const { server, browser } = lab;
    await using console = await openConsole(browser, { url: server.url, path: '/no-such' });
    await console.page.route('**/v1/**', (route) =>
      route.continue({ headers: { ...route.request().headers(), authorization: `Bearer ${server.token}` } }),
    );
    await console.page.goto(server.url);
    await console.page.getByRole('heading', { name: 'Inbox' }).waitFor();
  });
});
