import { script } from '@reeve/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';
import { openCuttableLine } from './cuttable-line.ts';

// A browser and a server are slow on a busy machine, and a page finds out by waiting.
vi.setConfig({ testTimeout: 180_000 });

let lab: ConsoleLab;
beforeAll(async () => {
  // The shortest silence that a page takes for a loss.
  lab = await openConsoleLab([], true, { timeouts: { heartbeatMs: 1000 } });
});
afterAll(() => lab?.[Symbol.asyncDispose]());

/** Over a connection that nobody answers on, something that is read is given up after half a minute. */
const late = { timeout: 120_000 };
const said = (page: Page) =>
  page.getByRole('region', { name: 'Timeline' }).getByRole('article', { name: 'Agent' }).allInnerTexts();
/** The numbers of the lines that the agent's messages show, in their order. */
const linesShown = async (page: Page): Promise<number[]> =>
  [...(await said(page)).join('\n').matchAll(/line (\d+)\./g)].map((match) => Number(match[1]));
const numbers = (to: number): number[] => Array.from({ length: to }, (_, at) => at + 1);

describe('the console after the sleep of its machine, while the server went on', () => {
  it('finds out by itself that its connections are dead, and has every line of what streamed meanwhile once', async () => {
    const id = await lab.session('Slept through');
    await using line = await openCuttableLine(lab.server.url);
    await using console = await lab.open({ url: line.url, path: `/sessions/${id}` });
    const { page } = console;
    await page.getByText('Nothing was said yet').waitFor();
    const steps = numbers(40).flatMap((number) => [{ say: `line ${number}.\n\n` }, { sleep: 50 }]);
    // It goes on only once the page is asleep.
    const asleep = { permission: { title: 'Asleep?' } };
    const turn = lab.api.sessions.prompt(id, { prompt: script(...steps.slice(0, 6), asleep, ...steps.slice(6)) });
    await page.getByRole('article', { name: 'Asleep?' }).waitFor();
    await expect.poll(() => linesShown(page), late).toEqual(numbers(3));
    line.freeze();
    const [request] = await lab.api.requests.list({ session: id });
    await lab.api.requests.answer(request?.id ?? '', { reply: 'once' });
    await turn;
    expect(await linesShown(page)).toEqual(numbers(3));
    line.thaw();
    await expect.poll(() => linesShown(page), late).toEqual(numbers(40));
    await lab.api.sessions.prompt(id, { prompt: 'line 41.' });
    await expect.poll(() => linesShown(page), late).toEqual(numbers(41));
  });

  it('says of an answer that nobody took what happened, and lets it be given again', async () => {
    const id = await lab.session('Answered over a dead line');
    await using line = await openCuttableLine(lab.server.url);
    await using console = await lab.open({ url: line.url });
    const { page } = console;
    await lab.begin(id, { permission: { title: 'Over a dead line' } });
    const card = page.getByRole('article').filter({ hasText: 'Over a dead line' });
    const allow = card.locator('button[data-key="a"]');
    await allow.waitFor();
    line.freeze();
    await allow.click();
    await page.getByText(/The answer was not taken: the server did not answer within \d+ s\./).waitFor(late);
    expect((await lab.api.requests.list({ session: id })).length).toBe(1);
    line.thaw();
    await expect.poll(() => allow.isEnabled(), late).toBe(true);
    await allow.click();
    await card.waitFor({ state: 'detached', ...late });
    await expect.poll(() => lab.api.requests.list({ session: id })).toEqual([]);
  });

  it('says while it sleeps on that the server does not answer, and shows what came to wait meanwhile', async () => {
    const id = await lab.session('Asks in the night');
    await using line = await openCuttableLine(lab.server.url);
    await using console = await lab.open({ url: line.url });
    const { page } = console;
    await page.getByText('Nothing waits for you').waitFor();
    line.freeze();
    await lab.begin(id, { permission: { title: 'Asked while asleep' } });
    const banner = page.getByText('The server does not answer. What is shown may be old', { exact: false });
    await banner.waitFor();
    line.thaw();
    await page.getByText('Asked while asleep').first().waitFor(late);
    await banner.waitFor({ state: 'detached', ...late });
    await lab.api.sessions.cancel(id);
  });

  it('goes on where it slept while it loaded the other screens, and loads them all the same', async () => {
    const id = await lab.session('Asks while screens are loaded');
    await using line = await openCuttableLine(lab.server.url);
    // All connections that a browser makes to one server would be held by files that never come.
    const frozen = line.freezeAt('GET /assets/session-screen');
    await using console = await lab.open({ url: line.url });
    const { page } = console;
    await frozen;
    await page.getByText('Nothing waits for you').waitFor();
    await lab.begin(id, { permission: { title: 'Asked while it loads' } });
    await page.getByText('The server does not answer. What is shown may be old', { exact: false }).waitFor();
    line.thaw();
    await page.getByText('Asked while it loads').first().waitFor(late);
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByRole('link', { name: 'Asks while screens are loaded' }).click();
    await page.getByRole('article', { name: 'Asked while it loads' }).waitFor(late);
    await lab.api.sessions.cancel(id);
  });

  it('shows a screen that was asked for over a dead line, without being loaded again', async () => {
    await using line = await openCuttableLine(lab.server.url);
    const frozen = line.freezeAt('GET /assets/policy-screen');
    await using console = await lab.open({ url: line.url, path: '/policy' });
    const { page } = console;
    await frozen;
    await page.getByText('Loading the screen').waitFor();
    const loads: string[] = [];
    page.on('framenavigated', (frame) => loads.push(frame.url()));
    line.thaw();
    await page.getByRole('heading', { name: 'Policy', level: 1 }).waitFor(late);
    expect(loads).toEqual([]);
  });
});
