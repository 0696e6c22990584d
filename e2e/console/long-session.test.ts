import { script } from '@reeve/testkit';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

// A browser and a server are slow on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 });

const ROUNDS = 10_000;
/** Elements of the whole page: what is in sight, and a little beyond. */
const MOST_NODES = 3000;
const MOST_ROWS = 60;
/** Bytes that scripts may hold once all of the session was read. */
const MOST_HEAP = 100e6;

let lab: ConsoleLab;
let id: string;
let lastSeq: number;
beforeAll(async () => {
  lab = await openConsoleLab([], false);
  id = await lab.session('Twenty thousand items');
  const thought = { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'thought $ROUND.' } };
  await lab.api.sessions.prompt(id, {
    prompt: script({ repeat: { rounds: ROUNDS, steps: [{ say: 'line $ROUND.' }, { update: thought }] } }),
  });
  lastSeq = (await lab.api.sessions.show(id)).lastSeq;
});
afterAll(() => lab?.[Symbol.asyncDispose]());

const timeline = (page: Page) => page.getByRole('region', { name: 'Timeline' });
const line = (page: Page, number: number) => timeline(page).getByText(`line ${number}.`, { exact: true });

/** What is drawn now, which is bounded: elements, rows, those in sight, and the number of the first event of these. */
async function drawn(page: Page) {
  const found = (await page.evaluate(`(() => {
    const scroller = document.querySelector('section[aria-label="Timeline"]');
    const { top, bottom } = scroller.getBoundingClientRect();
    const rows = [...scroller.querySelectorAll('[data-seq]')];
    const isInSight = (row) => { const box = row.getBoundingClientRect(); return box.bottom > top && box.top < bottom; };
    const seqs = rows.filter(isInSight).map((row) => Number(row.dataset.seq));
    return { nodes: document.querySelectorAll('*').length, rows: rows.length, seen: seqs.length, first: Math.min(...seqs) };
  })()`)) as Record<'nodes' | 'rows' | 'seen' | 'first', number>;
  expect(found.nodes).toBeLessThan(MOST_NODES);
  expect(found.rows).toBeLessThan(MOST_ROWS);
  return found;
}

/** Scrolls to so many parts of all that is loaded. */
const scrollTo = (page: Page, part: number) =>
  page.evaluate(`(() => {
    const scroller = document.querySelector('section[aria-label="Timeline"]');
    scroller.scrollTop = scroller.scrollHeight * ${part};
  })()`);

async function jump(page: Page, seq: number, to = timeline(page).locator(`[data-seq="${seq}"]`)): Promise<void> {
  await page.getByRole('button', { name: 'Jump to an event' }).click();
  await page.getByLabel('Number of the event').fill(String(seq));
  await page.getByRole('button', { name: 'Jump', exact: true }).click();
  await expect.poll(() => to.isVisible(), { timeout: 120_000 }).toBe(true);
}

/** Bytes that the page's scripts hold once what nobody needs is gone. */
async function heapBytes(tools: CDPSession): Promise<number> {
  await tools.send('HeapProfiler.collectGarbage');
  return (await tools.send('Runtime.getHeapUsage')).usedSize;
}

describe('a session of 20,000 items', () => {
  it('opens at its end, and draws no more than what is in sight wherever somebody goes', async () => {
    await using console = await lab.open({ path: `/sessions/${id}` });
    const { page, context } = console;
    const tools = await context.newCDPSession(page);
    await line(page, ROUNDS).waitFor();
    await drawn(page);
    // Only the end was read.
    expect(
      await page.evaluate("performance.getEntriesByType('resource').filter(({ name }) => /before=/.test(name)).length"),
    ).toBe(1);

    // Upwards: older pages come as the top of what is there comes near.
    for (let step = 0; step < 5; step += 1) {
      const { first } = await drawn(page);
      const upwards = async (): Promise<number> => {
        await scrollTo(page, 0);
        return (await drawn(page)).first;
      };
      await expect.poll(upwards).toBeLessThan(first - 400);
    }

    await jump(page, Math.floor(lastSeq / 2));
    expect((await drawn(page)).seen).toBeGreaterThan(0);
    // The first event is no item of its own: the first item is the place for it.
    await jump(page, 1, line(page, 1));

    // Down through all of it.
    for (let part = 1; part <= 40; part += 1) {
      await scrollTo(page, part / 40);
      await expect.poll(async () => (await drawn(page)).seen).toBeGreaterThan(0);
    }
    await line(page, ROUNDS).waitFor();
    await drawn(page);
    const whole = await heapBytes(tools);
    expect(whole).toBeLessThan(MOST_HEAP);

    // Whoever goes through it once more holds no more.
    await jump(page, 1, line(page, 1));
    await jump(page, lastSeq - 10);
    const again = await heapBytes(tools);
    expect(again).toBeLessThan(whole * 1.25);
  });
});
