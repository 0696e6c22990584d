import type { RecordQuery } from '../audit/audit-store.ts';

/** How many records one look goes through at most: a search of a long log must not hold up what is written. */
export const LOOK_RECORDS = 5000;

/** One look at a part of the log: numbers `low` to `high`, both included. */
export interface Look {
  readonly low: number;
  readonly high: number;
}

/** The next part to look through for a page that begins at `from`; undefined behind the end of a log of `size` records. */
export function nextLook(order: RecordQuery['order'], from: number | undefined, size: number): Look | undefined {
  if (order === 'oldest') {
    const low = from ?? 0;
    return low < size ? { low, high: Math.min(low + LOOK_RECORDS, size) - 1 } : undefined;
  }
  const high = Math.min(from ?? size - 1, size - 1);
  return high >= 0 ? { low: Math.max(high - LOOK_RECORDS + 1, 0), high } : undefined;
}

/** Where the page goes on after a look. */
export function afterLook(order: RecordQuery['order'], { low, high }: Look): number {
  return order === 'oldest' ? high + 1 : low - 1;
}
