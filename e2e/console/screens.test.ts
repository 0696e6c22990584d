import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { axeViolations, WCAG } from './axe.ts';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

let lab: ConsoleLab;
let sessionId: string;
let requestId: string;
beforeAll(async () => {
  lab = await openConsoleLab(['--config-options']);
  sessionId = await lab.session('A session to look at');
  await lab.begin(
    sessionId,
    { say: '# Heading\n\nText with `code`, a [link](https://example.org) and\n\n- a list\n\n```\nblock\n```' },
    { update: { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } } },
    {
      update: {
        sessionUpdate: 'tool_call',
        toolCallId: 't',
        title: 'Change a file',
        kind: 'edit',
        status: 'in_progress',
        locations: [{ path: '/tmp/a' }],
        rawInput: { command: 'make', args: ['test'] },
        content: [{ type: 'diff', path: '/tmp/a', oldText: 'a\n', newText: 'b\n' }],
      },
    },
    { update: { sessionUpdate: 'plan', entries: [{ content: 'Look', status: 'in_progress', priority: 'high' }] } },
    { permission: { title: 'Run the tests' } },
  );
  const waits = async () => (await lab.api.requests.list({ session: sessionId }))[0]?.id;
  requestId = await vi.waitFor(async () => (await waits()) ?? Promise.reject(new Error('nothing waits')), 60_000);
});
afterAll(() => lab?.[Symbol.asyncDispose]());

/** Each screen, and what is on it once it is whole. */
const SCREENS = [
  ['/', 'Run the tests'],
  ['/requests/REQUEST', 'Run the tests'],
  ['/sessions', 'A session to look at'],
  ['/sessions/SESSION', 'Change a file'],
  ['/boundaries', 'A session to look at'],
  ['/boundaries/SESSION', 'To the session'],
  ['/servers', 'No MCP server runs'],
  ['/agents', 'default'],
  ['/policy', 'Explain a decision'],
  ['/audit', 'Records'],
] as const;

describe('every screen of the console', () => {
  it.each(SCREENS)(
    'passes WCAG 2.2 AA at %s in both themes, fits a phone, and breaks no rule of its own policy',
    async (path, shown) => {
      await using console = await lab.open({ path: path.replace('SESSION', sessionId).replace('REQUEST', requestId) });
      const { page } = console;
      const main = page.getByRole('main');
      await main.getByText(shown, { exact: true }).or(main.getByLabel(shown)).first().waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await axeViolations(page, ['color-contrast'])).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      await page.getByRole('button', { name: 'More', exact: true }).waitFor();
      const tooWide = await page.evaluate(
        '[document.documentElement, document.getElementById("main")].map((element) => element.scrollWidth - element.clientWidth)',
      );
      expect(tooWide).toEqual([0, 0]);
      expect(await axeViolations(page)).toEqual([]);
    },
  );
});

describe('the console on a phone', () => {
  it('has every destination, those without a place of their own behind "More"', async () => {
    await using console = await lab.open({ width: 360, height: 740 });
    const { page } = console;
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Audit' }).click();
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
  });
});

describe('dialogs and menus of the console', () => {
  it('have nothing that WCAG 2.2 AA objects to, and give the focus back', async () => {
    await using console = await lab.open({ path: '/sessions' });
    const { page } = console;
    const open = page.getByRole('button', { name: 'New session' });
    await open.click();
    await page.getByRole('dialog').getByLabel('Working directory').fill('/etc');
    await page.getByText('part of the system').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    const tooWide = await page.evaluate(
      '[...document.querySelectorAll("[role=dialog], [role=dialog] *")].filter((element) => element.getBoundingClientRect().right > innerWidth).map(({ outerHTML }) => outerHTML.slice(0, 120))',
    );
    expect(tooWide).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axeViolations(page, ['color-contrast'])).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toContain('New session');
    await page
      .getByRole('button', { name: /More for/ })
      .first()
      .click();
    await page.getByRole('menu').waitFor();
    expect(await axeViolations(page, [...WCAG])).toEqual([]);
  });
});

describe('a page of the console that something goes wrong with', () => {
  it.each([
    ['/sessions/none', 'All sessions'],
    ['/requests/none', 'To the inbox'],
    ['/boundaries/none', 'All boundaries'],
  ])(
    'says at %s what is missing in words for people, with a way on, in both themes and on a phone',
    async (path, way) => {
      await using console = await lab.open({ path });
      const { page } = console;
      const main = page.getByRole('main');
      await main.getByRole('alert').getByText('It may have been deleted, or the address is not whole.').waitFor();
      expect(await main.innerText()).not.toMatch(/\/v1\/|session\/list/);
      await main.getByRole('link', { name: way }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.setViewportSize({ width: 360, height: 740 });
      await page.getByRole('button', { name: 'More', exact: true }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
    },
  );

  it('says so where a screen cannot be loaded, and the others go on', async () => {
    await using console = await lab.open({
      // React tells of what it caught.
      faulty: true,
      prepare: (context) => context.route('**/assets/policy-screen-*.js', (route) => route.fulfill({ status: 404 })),
    });
    const { page } = console;
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await page.getByRole('link', { name: 'Policy' }).click();
    await page.getByText('This screen could not be shown.', { exact: false }).waitFor();
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
  });

  it('says that there is no such screen at any other address, with a way on', async () => {
    await using console = await lab.open({ path: '/nosuch/place' });
    const { page } = console;
    await page.getByRole('heading', { name: 'There is no such screen' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: 'what waits for you' }).click();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  });

  it('is noticed by these tests where its policy forbids something', async () => {
    await using console = await lab.open({ faulty: true });
    const { page } = console;
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await page.evaluate(`
      const style = document.createElement('style');
      style.textContent = 'body { color: red }';
      document.head.append(style);
      fetch('https://elsewhere.example/').catch(() => {});
    `);
    await expect.poll(() => console.faults.join()).toMatch(/style-src[\s\S]*connect-src|connect-src[\s\S]*style-src/);
  });
});

describe('the theme of the console', () => {
  it('follows the browser until somebody chooses, and then stays', async () => {
    await using console = await lab.open({ theme: 'dark' });
    const { page } = console;
    const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    const dark = await background();
    await page.getByRole('button', { name: 'Theme: system' }).click();
    await expect.poll(background).not.toBe(dark);
    await page.reload();
    await page.getByRole('button', { name: 'Theme: light' }).waitFor();
    await expect.poll(background).not.toBe(dark);
  });
});
