import { setImmediate } from 'node:timers/promises';

/** How long work on one thing keeps everything else of the server waiting, at most and about; milliseconds. */
const SLICE_MS = 8;

/**
 * The time of one long piece of work: whoever does it asks after each small step whether others are to have their turn now, and waits
 * for that where they are. `if (slice.isOver()) await slice.next();`
 */
export class Slice {
  #begun = performance.now();

  isOver(): boolean {
    return performance.now() - this.#begun >= SLICE_MS;
  }

  /** Others go on first. What waits for a timer may have to wait for the next pause: see the phases of Node's event loop. */
  async next(): Promise<void> {
    await setImmediate();
    this.#begun = performance.now();
  }
}

/** Does one step for each item, in order, and lets others have their turn in between. What `step` throws ends it. */
export async function inSlices<Item>(
  items: Iterable<Item>,
  step: (item: Item) => void,
  slice: Slice = new Slice(),
): Promise<void> {
  for (const item of items) {
    step(item);
    if (slice.isOver()) await slice.next();
  }
}

/**
 * Waits for `step` of each item, so many at a time, and gives the results in order. What `step` rejects with ends it, once those that have
 * begun are done.
 */
export async function fewAtATime<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  step: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const slice = new Slice();
  for (let start = 0; start < items.length; start += atOnce) {
    const few = items.slice(start, start + atOnce);
    results.push(...(await Promise.all(few.map((item, index) => step(item, start + index)))));
    if (slice.isOver()) await slice.next();
  }
  return results;
}
