import { readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';

const MAX_INDEX_BYTES = 64 * 1024 * 1024;
/** Of an index whose paths are not written out (gitformat-index). */
const COMPRESSED_VERSION = 4;

/**
 * Whether git has a file in its index, so that a change to it is one to the repository. True where that cannot be told: an index that
 * is too large, or whose paths are compressed.
 */
export async function isTracked(file: string): Promise<boolean> {
  const tree = await workTree(dirname(file));
  if (!tree) return false;
  const index = join(tree.gitDirectory, 'index');
  const size = await stat(index).then(
    (found) => found.size,
    () => 0,
  );
  if (size === 0) return false;
  if (size > MAX_INDEX_BYTES) return true;
  const bytes = await readFile(index).catch(() => undefined);
  if (bytes === undefined || bytes.length < 12) return false;
  return bytes.readUInt32BE(4) >= COMPRESSED_VERSION || bytes.includes(`${relative(tree.directory, file)}\0`);
}

/** The enclosing work tree, and where its index lies; `.git` may be a file that names that (gitrepository-layout). */
async function workTree(
  from: string,
): Promise<{ readonly directory: string; readonly gitDirectory: string } | undefined> {
  for (let directory = from; ; directory = dirname(directory)) {
    const place = join(directory, '.git');
    const found = await stat(place).catch(() => undefined);
    if (found?.isDirectory()) return { directory, gitDirectory: place };
    if (found?.isFile() && found.size < 4096) {
      const [, named] = /^gitdir: (.+)$/m.exec(await readFile(place, 'utf8').catch(() => '')) ?? [];
      if (named !== undefined) return { directory, gitDirectory: resolve(directory, named.trim()) };
    }
    if (dirname(directory) === directory) return undefined;
  }
}
