import type { Browser } from 'playwright-core';

/** What a reader of a long session waited for, and what the page took. Times in ms, memory in MB (10^6 bytes). */
export interface SessionReading {
  /** From the navigation, with an empty cache, until the last words of the session are painted. */
  readonly tailMs: number;
  /** Of JavaScript, after a collection. */
  readonly tailHeapMb: number;
  readonly wholeHeapMb: number;
  /** The longest while somebody scrolls; 0 where a browser noticed none: it notices from 50 ms up. */
  readonly longestTaskMs: number;
  /** Nodes of the document when the whole session is loaded. */
  readonly nodes: number;
  /** Whether the first words of the session came into sight. */
  readonly reachedStart: boolean;
}

export interface SessionPageOptions {
  readonly url: string;
  readonly token: string;
  readonly sessionId: string;
  /** Words that only the first and the last row have. */
  readonly first: string;
  readonly last: string;
  /** Scrolling up ends then, also where the start was not reached. */
  readonly patienceMs: number;
}

const TIMELINE = 'section[aria-label="Timeline"]';
const WHEEL_PX = 1500;

/** Opens a session in a browser profile of its own, scrolls to its start, and back to its end. */
export async function readSession(browser: Browser, options: SessionPageOptions): Promise<SessionReading> {
  const { url, token, sessionId, first, last, patienceMs } = options;
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    await context.addInitScript(watchFor(last));
    const page = await context.newPage();
    const devTools = await context.newCDPSession(page);
    await devTools.send('Performance.enable');
    const measures = async (): Promise<ReadonlyMap<string, number>> => {
      await devTools.send('HeapProfiler.collectGarbage');
      const { metrics } = await devTools.send('Performance.getMetrics');
      return new Map(metrics.map(({ name, value }) => [name, value]));
    };
    const heapMb = (of: ReadonlyMap<string, number>): number => (of.get('JSHeapUsedSize') ?? Number.NaN) / 1e6;

    await page.goto(`${url}/sessions/${sessionId}#token=${token}`);
    const tailMs = Number(await page.evaluate('bench.tail'));
    const atTail = await measures();

    await page.locator(TIMELINE).hover();
    await page.evaluate('bench.tasks.length = 0');
    const deadline = performance.now() + patienceMs;
    let reachedStart = false;
    while (!reachedStart && performance.now() < deadline) {
      await page.mouse.wheel(0, -WHEEL_PX);
      reachedStart = (await page.evaluate(
        `new Promise((done) => requestAnimationFrame(() => done(${inSight(first)})))`,
      )) as boolean;
    }
    await page.getByRole('button', { name: 'To the end' }).click();
    await page.evaluate(untilInSight(last));
    // The browser tells of a task some time after it.
    await page.evaluate('new Promise((done) => setTimeout(done, 200))');
    const longestTaskMs = Number(await page.evaluate('Math.max(0, ...bench.tasks)'));
    const atEnd = await measures();
    return {
      tailMs,
      tailHeapMb: heapMb(atTail),
      wholeHeapMb: heapMb(atEnd),
      longestTaskMs,
      nodes: atEnd.get('Nodes') ?? Number.NaN,
      reachedStart,
    };
  } finally {
    await context.close();
  }
}

/** An expression of the page: whether a row with these words is within the timeline's window. */
function inSight(words: string): string {
  return `(() => {
    const list = document.querySelector(${JSON.stringify(TIMELINE)});
    if (!list) return false;
    const { top, bottom } = list.getBoundingClientRect();
    return [...list.querySelectorAll('[data-seq]')].some((row) => {
      const place = row.getBoundingClientRect();
      return place.bottom > top && place.top < bottom && row.textContent.includes(${JSON.stringify(words)});
    });
  })()`;
}

/** An expression of the page: a promise of the time, since the navigation, when a row with these words was painted. */
function untilInSight(words: string): string {
  return `new Promise((done) => {
    const look = () => {
      if (!${inSight(words)}) return requestAnimationFrame(look);
      // What is found before a frame is painted when its tasks are done.
      setTimeout(() => done(performance.now()));
    };
    requestAnimationFrame(look);
  })`;
}

/** Runs before the page's own scripts: notes when the words are painted, and every long task. */
function watchFor(words: string): string {
  return `
    globalThis.bench = { tasks: [], tail: ${untilInSight(words)} };
    new PerformanceObserver((list) => bench.tasks.push(...list.getEntries().map(({ duration }) => duration)))
      .observe({ type: 'longtask', buffered: true });`;
}
