import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** How many entries may still be looked at, over all roots of a session. */
export interface LinkBudget {
  left: number;
}

/**
 * Whether a file below has more than one hard link, and so another name that may lie outside. Breadth first, as far as `most` entries
 * and the budget reach: what was not looked at counts as having none.
 */
export async function hasHardLinks(root: string, most: number, budget: LinkBudget): Promise<boolean> {
  const waiting = [root];
  let looked = 0;
  for (let directory = waiting.shift(); directory !== undefined; directory = waiting.shift()) {
    const entries = await opendir(directory).catch(() => undefined);
    if (!entries) continue;
    for await (const entry of entries) {
      if (looked >= most || budget.left <= 0) return false;
      looked += 1;
      budget.left -= 1;
      const path = join(directory, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.isFile() && ((await lstat(path).catch(() => undefined))?.nlink ?? 1) > 1) return true;
    }
  }
  return false;
}
