import { basename } from 'node:path';
import { DEFAULT_PROTECTED_PATHS } from '@reeve/sandbox';

/** A `.git` that is a file sends git to another directory, with hooks and configuration of its own. */
const PROTECTED = [...DEFAULT_PROTECTED_PATHS.map((path) => path.split('/')), ['.git']];

/**
 * Which protected path a file would be, or lie below, at whatever depth below its root; undefined when it is none. Letter case does
 * not count, since some file systems ignore it.
 * @param root canonical path of the root: one that is itself a `.git` has its `hooks` protected
 * @param relative the file's canonical path below it
 */
export function protectedName(root: string, relative: string): string | undefined {
  const names = relative.toLowerCase().split('/');
  const all = [basename(root).toLowerCase(), ...names];
  const found = PROTECTED.find((wanted) => {
    const from = wanted.length > 1 ? all : names;
    return from.some((_, at) => {
      const end = at + wanted.length;
      // A directory `.git` may be written below, but for what is named itself.
      if (wanted[0] === '.git' && wanted.length === 1 && end !== from.length) return false;
      return wanted.every((name, offset) => from[at + offset] === name);
    });
  });
  return found?.join('/');
}
