import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { axeViolations } from './axe.ts';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';
import { openCuttableLine } from './cuttable-line.ts';

let lab: ConsoleLab;
let project: string;
let sessionId: string;
let requestId: string;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'reeve-dialogs-'));
  lab = await openConsoleLab(['--config-options']);
  const { session } = await lab.api.sessions.create({
    cwd: project,
    mcpServers: [{ name: 'files', command: process.execPath, args: ['server.js', project], env: [] }],
    metadata: { title: 'A session to look at', boundary: { roots: [{ path: project, access: 'rw' }] } },
  });
  sessionId = session.sessionId;
  await lab.begin(sessionId, { say: 'What the agent said' }, { permission: { title: 'Run the tests' } });
  requestId = await vi.waitFor(async () => {
    const waiting = await lab.api.requests.list({ session: sessionId });
    return waiting.find(({ kind }) => kind === 'permission')?.id ?? Promise.reject(new Error('nothing waits'));
  }, 60_000);
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
  await rm(project, { recursive: true, force: true });
});

const at = (path: string): string => path.replace('SESSION', sessionId).replace('REQUEST', requestId);
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click();
const choose = async (page: Page, item: string): Promise<void> => {
  await press(page, /^More for/);
  await page.getByRole('menuitem', { name: item }).click();
};

/** What axe finds in both themes, on a wide screen and on a phone, and what stands out of the phone's. */
async function violations(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [width, height] of [
    [1280, 800],
    [360, 740],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      found.push(...(await axeViolations(page)).map((violation) => `${colorScheme}, ${width} px: ${violation}`));
    }
  }
  const beyond =
    '[...document.querySelectorAll("[role=dialog], [role=dialog] *")].filter((element) => element.checkVisibility() && element.getBoundingClientRect().right > innerWidth + 1 && !element.closest("[tabindex]:not([role=dialog])")).map(({ outerHTML }) => "too wide: " + outerHTML.slice(0, 160))';
  found.push(...((await page.evaluate(beyond)) as string[]));
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 800 });
  return found;
}

const DIALOGS: readonly (readonly [title: string, path: string, open: (page: Page) => Promise<void>, shown: string])[] =
  [
    ['New session', '/sessions', (page) => press(page, 'New session'), 'Working directory'],
    ['Rename', '/sessions', (page) => choose(page, 'Rename'), 'Title'],
    ['Delete this session?', '/sessions', (page) => choose(page, 'Delete'), 'This cannot be taken back.'],
    ['Jump to an event', '/sessions/SESSION', (page) => press(page, 'Jump to an event'), 'Number of the event'],
    ['Events', '/sessions/SESSION', (page) => press(page, /^Raw messages/), ' · from '],
    [
      'high risk',
      '/boundaries/SESSION',
      async (page) => {
        await page.getByLabel('Give one more directory').fill('/etc');
        await page.getByRole('button', { name: 'Give', exact: true }).click();
      },
      'part of the system',
    ],
    ['MCP server files', '/servers', (page) => press(page, 'Details of files'), 'Approve for this session'],
    ['Check of the log', '/audit', (page) => press(page, 'Verify'), 'The log is intact.'],
    ['Attached', '/sessions/SESSION', (page) => press(page, /attached/), 'reeve-console'],
  ];

describe('every dialog of the console', () => {
  it.each(DIALOGS)(
    'has nothing that WCAG 2.2 AA objects to in either theme, wide or on a phone, and Escape leaves it: %s',
    async (_title, path, open, shown) => {
      await using console = await lab.open({ path: at(path) });
      const { page } = console;
      await open(page);
      const dialog = page.getByRole('dialog');
      await dialog.getByText(shown, { exact: false }).or(dialog.getByLabel(shown)).first().waitFor();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    },
  );
});

/** Each screen, and what is on it once it is whole. */
const SCREENS = [
  ['/', 'Run the tests'],
  ['/requests/REQUEST', 'Run the tests'],
  ['/sessions', 'A session to look at'],
  ['/sessions/SESSION', 'What the agent said'],
  ['/boundaries', 'A session to look at'],
  ['/boundaries/SESSION', 'To the session'],
  ['/servers', 'files'],
  ['/agents', 'default'],
  ['/policy', 'Explain a decision'],
  ['/audit', 'Records'],
] as const;

describe('every screen of the console whose server is away', () => {
  it.each(SCREENS)(
    'says so, keeps what was there, and has nothing that WCAG 2.2 AA objects to in either theme, wide or on a phone: %s',
    async (path, shown) => {
      await using line = await openCuttableLine(lab.server.url);
      await using console = await lab.open({ url: line.url, path: at(path) });
      const { page } = console;
      const main = page.getByRole('main');
      const there = main.getByText(shown, { exact: true }).or(main.getByLabel(shown)).first();
      await there.waitFor();
      line.cut();
      await page.getByText('The server does not answer. What is shown may be old', { exact: false }).first().waitFor();
      expect(await violations(page)).toEqual([]);
      await there.waitFor();
    },
  );
});
