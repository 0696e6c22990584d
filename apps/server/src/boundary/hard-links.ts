import type { Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** How many entries may still be looked at, over all roots of a session. */
export interface LinkBudget {
  left: number;
}

/** Entries are looked at so many at a time. */
const AT_ONCE = 64;

/**
 * Whether a file below has more than one hard link, and so another name that may lie outside. Breadth first, as far as `most` entries
 * and the budget reach: what was not looked at counts as having none.
 */
export async function hasHardLinks(root: string, most: number, budget: LinkBudget): Promise<boolean> {
  const directories = [root];
  let files: string[] = [];
  let looked = 0;
  for (let directory = directories.shift(); directory !== undefined; directory = directories.shift()) {
    for await (const entry of entriesOf(directory)) {
      if (looked >= most || budget.left <= 0) return anyLinked(files);
      looked += 1;
      budget.left -= 1;
      const path = join(directory, entry.name);
      if (entry.isDirectory()) directories.push(path);
      else if (entry.isFile()) files.push(path);
      if (files.length < AT_ONCE) continue;
      if (await anyLinked(files)) return true;
      files = [];
    }
  }
  return anyLinked(files);
}

/** One that cannot be read, or goes away meanwhile, has no more of them. */
async function* entriesOf(directory: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(directory, { bufferSize: AT_ONCE });
  } catch {}
}

async function anyLinked(files: readonly string[]): Promise<boolean> {
  const links = await Promise.all(files.map(async (path) => (await lstat(path).catch(() => undefined))?.nlink ?? 1));
  return links.some((count) => count > 1);
}
