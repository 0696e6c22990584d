import { script } from '@reeve/testkit';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from './axe.ts';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

let lab: ConsoleLab;
beforeAll(async () => {
  lab = await openConsoleLab();
});
afterAll(() => lab?.[Symbol.asyncDispose]());
// What one test leaves unanswered would stand in the inbox of the next.
afterEach(async () => {
  for (const { sessionId } of await lab.api.requests.list()) await lab.api.sessions.cancel(sessionId);
  await expect.poll(() => lab.api.requests.list()).toEqual([]);
});

const PHONE = { width: 360, height: 740 };
const LONG = `Allow ${'every command of the build and its tests, also those that write, '.repeat(3)}until I say otherwise`;
const SHORT_OPTIONS = [
  { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];
const LONG_OPTIONS = [
  { optionId: 'long', name: LONG, kind: 'allow_always' },
  { optionId: 'word', name: 'x'.repeat(120), kind: 'allow_always' },
  ...SHORT_OPTIONS,
];
const MANY_LINES = Array.from({ length: 80 }, (_, at) => `echo line ${at} &&`).join('\n');

/** A permission for a command, with what its input has beside that. */
async function ask(id: string, title: string, rawInput: object, options = SHORT_OPTIONS): Promise<void> {
  const toolCall = { toolCallId: title, title, rawInput };
  const params = { sessionId: '$SESSION', toolCall, options };
  await lab.begin(id, { request: { method: 'session/request_permission', params } });
}

const card = (page: Page, name: string) => page.getByRole('article', { name });
/** Widest thing that reaches out of the window, and out of what scrolls. */
const tooWide = (page: Page) =>
  page.evaluate(
    '[...document.querySelectorAll("main, main *")].filter((it) => it.getBoundingClientRect().right > innerWidth + 1).map((it) => it.outerHTML.slice(0, 100))',
  );

describe('a card that somebody decides on', () => {
  it('stays by its address as it was read, also while the page does not know yet what else waits', async () => {
    const id = await lab.session('By its address');
    await ask(id, 'Deploy', { command: 'make deploy' });
    const [request] = await lab.api.requests.list({ session: id });
    const list = Promise.withResolvers<void>();
    let reads = 0;
    await using console = await lab.open({
      path: `/requests/${request?.id}`,
      async prepare(context) {
        await context.route(
          ({ pathname }) => pathname === '/v1/requests',
          async (route) => {
            await list.promise;
            await route.continue();
          },
        );
        await context.route(
          ({ pathname }) => pathname === `/v1/requests/${request?.id}`,
          async (route) => {
            reads += 1;
            await (reads === 1 ? route.continue() : route.abort());
          },
        );
      },
    });
    const { page } = console;
    await card(page, 'Deploy').waitFor();
    const listed = page.waitForResponse((response) => new URL(response.url()).pathname === '/v1/requests');
    list.resolve();
    await listed;
    await card(page, 'Deploy').waitFor();
    expect(reads).toBe(1);
  });

  it('has long options in whole on a phone, in the inbox and in its session', async () => {
    const id = await lab.session('Long options');
    await ask(id, 'Build', { command: 'make' }, LONG_OPTIONS);
    for (const path of ['/', `/sessions/${id}`]) {
      await using console = await lab.open({ path, ...PHONE });
      const { page } = console;
      await card(page, 'Build').waitFor();
      expect(await tooWide(page)).toEqual([]);
      const long = card(page, 'Build').getByRole('button', { name: LONG });
      expect((await long.boundingBox())?.height).toBeGreaterThan(60);
      expect(await axeViolations(page)).toEqual([]);
    }
  });

  it('shows a long command in whole, with the options in sight beside it', async () => {
    const id = await lab.session('Long command');
    await ask(id, 'Many lines', { command: MANY_LINES });
    for (const path of ['/', `/sessions/${id}`]) {
      await using console = await lab.open({ path });
      const { page } = console;
      const box = card(page, 'Many lines').getByRole('region', { name: 'Command' });
      await box.waitFor();
      const hidden =
        '[...document.querySelectorAll("section[aria-label=Command]")].map((it) => it.scrollHeight - it.clientHeight)';
      expect(await page.evaluate(hidden)).toEqual([0]);
      const reject = card(page, 'Many lines').getByRole('button', { name: 'Reject' });
      // What comes later moves it.
      await expect
        .poll(async () => {
          const { x = 0, y = 0, width = 0, height = 0 } = (await reject.boundingBox()) ?? {};
          return page.evaluate(`document.elementFromPoint(${x + width / 2}, ${y + height / 2})?.textContent`);
        })
        .toBe('Reject');
    }
  });

  it('leaves room to read a long command on a phone, however much room its options take', async () => {
    const id = await lab.session('Little room');
    await ask(id, 'Much of both', { command: MANY_LINES }, LONG_OPTIONS);
    await using console = await lab.open({ path: `/sessions/${id}`, ...PHONE });
    const { page } = console;
    const box = card(page, 'Much of both').getByRole('region', { name: 'Command' });
    await box.waitFor();
    await expect
      .poll(async () => {
        const { x = 0, y = 0 } = (await box.boundingBox()) ?? {};
        return page.evaluate(`document.elementFromPoint(${x + 30}, ${y + 120})?.getAttribute('aria-label')`);
      })
      .toBe('Command');
    await card(page, 'Much of both').getByRole('button', { name: 'Reject' }).click();
    await card(page, 'Much of both').waitFor({ state: 'detached' });
  });

  it('names the directory that a command runs in, and marks one that is outside of every root', async () => {
    const id = await lab.session('Directories');
    await using console = await lab.open();
    const { page } = console;
    await ask(id, 'Outside', { command: 'ls', cwd: '/opt/elsewhere', timeout: 5 });
    const outside = card(page, 'Outside');
    // Which roots there are comes after the card.
    await expect.poll(() => outside.innerText()).toMatch(/Runs in\s+\/opt\/elsewhere\s+outside every root/);
    expect(await outside.getByRole('region', { name: 'Input beside the command' }).innerText()).not.toContain('cwd');
    await outside.getByRole('button', { name: 'Reject' }).click();
    await ask(id, 'Inside', { command: 'ls', workdir: 'sub' });
    await expect.poll(() => card(page, 'Inside').innerText()).toMatch(/Runs in\s+sub\s+in root\s+\/tmp/);
    await card(page, 'Inside').getByRole('button', { name: 'Reject' }).click();
    await ask(id, 'By another name', { cmd: 'ls', working_directory: '/tmp/../etc' });
    await card(page, 'By another name').getByText('outside every root').waitFor();
    expect(await card(page, 'By another name').getByRole('region', { name: 'Input' }).innerText()).toContain('"cmd"');
  });

  it('says of one’s own answer that it was one’s own, once, and puts nothing over the card that follows', async () => {
    const id = await lab.session('Own answers');
    await lab.begin(id, { permission: { title: 'One' } }, { permission: { title: 'Two' } });
    await using console = await lab.open(PHONE);
    await using other = await lab.open();
    const { page } = console;
    // A page tells only of an answer to what it has shown.
    await card(other.page, 'One').waitFor();
    await card(page, 'One').getByRole('button').first().click();
    await card(page, 'Two').waitFor();
    const told = page.getByText(/^Answered “.*”, by you\.$/);
    await told.waitFor();
    expect(await told.count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Close this notice' }).count()).toBe(0);
    await other.page.getByText(/^Answered “.*”, by reeve-console 0\.1\.0\.$/).waitFor();
  });

  it('leaves the focus in the list when it is answered elsewhere, on no other card, and j goes on from there', async () => {
    const sessions = await Promise.all(['First', 'Second', 'Third'].map((title) => lab.session(title)));
    for (const [at, id] of sessions.entries()) {
      await lab.api.sessions.beginPrompt(id, { prompt: script({ permission: { title: `Question ${at}` } }) });
      await expect.poll(() => lab.api.requests.list({ session: id })).toHaveLength(1);
    }
    await using console = await lab.open();
    const { page } = console;
    for (const at of [0, 1, 2]) await card(page, `Question ${at}`).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await page.evaluate('document.activeElement.innerText')).toContain('Question 1');
    const [request] = await lab.api.requests.list({ session: sessions[1] ?? '' });
    await lab.api.requests.answer(request?.id ?? '', { reply: 'once' });
    await card(page, 'Question 1').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Waiting');
    // A key that was meant for the card that went decides nothing about another.
    await page.keyboard.press('a');
    await page.keyboard.press('j');
    expect(await page.evaluate('document.activeElement.innerText')).toContain('Question 2');
    expect(await lab.api.requests.list()).toHaveLength(2);
  });
});
