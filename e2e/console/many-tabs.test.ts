import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

let lab: ConsoleLab;
beforeAll(async () => {
  lab = await openConsoleLab();
});
afterAll(() => lab?.[Symbol.asyncDispose]());

/** More than the connections that a browser makes to one server over HTTP/1.1. */
const TABS = 9;

describe('the console in many tabs of one browser', () => {
  it('follows its session in each of them, and answers in any', async () => {
    const id = await lab.session('In many tabs');
    const { url } = lab.server;
    await using console = await lab.open({ path: `/sessions/${id}` });
    const { context } = console;
    const streams: string[] = [];
    context.on('request', (request) => {
      if (request.headers().accept === 'text/event-stream') streams.push(request.url());
    });
    const pages: Page[] = [console.page];
    while (pages.length < TABS) {
      const page = await context.newPage();
      await page.goto(`${url}/sessions/${id}`);
      await page.getByText('Nothing was said yet').waitFor();
      pages.push(page);
    }
    await lab.begin(id, { say: 'Seen by all of them' }, { permission: { title: 'Asked in all of them' } });
    for (const page of pages) {
      await page.getByText('Seen by all of them', { exact: true }).waitFor();
      await page.getByRole('article', { name: 'Asked in all of them' }).waitFor();
    }
    await pages[TABS - 1]?.locator('button[data-key="a"]').click();
    for (const page of pages) await page.locator('button[data-key="a"]').waitFor({ state: 'detached' });
    expect(await lab.api.requests.list({ session: id })).toEqual([]);
    // What is followed holds none of the connections that everything else needs.
    expect(streams).toEqual([]);
  });
});
