import { basename } from 'node:path';
import { DEFAULT_PROTECTED_PATHS } from '@reeve/sandbox';

const IN_GIT = DEFAULT_PROTECTED_PATHS.filter((path) => path.startsWith('.git/')).map((path) => path.slice(5));
/** Submodules and linked work trees have theirs deeper below `.git`, the latter with a file that says where they are. */
const IN_GIT_AT_ANY_DEPTH: readonly string[] = [...IN_GIT, 'gitdir'];
const ANYWHERE = DEFAULT_PROTECTED_PATHS.filter((path) => !path.includes('/'));

/**
 * Which protected path a file would be, or lie below, at whatever depth below its root; undefined when it is none. Letter case does
 * not count, since some file systems ignore it.
 * @param root canonical path of the root: one that is itself a `.git` has its `hooks` protected
 * @param relative the file's canonical path below it
 */
export function protectedName(root: string, relative: string): string | undefined {
  const names = relative.toLowerCase().split('/');
  const anywhere = ANYWHERE.find((name) => names.includes(name));
  if (anywhere !== undefined) return anywhere;
  // A `.git` that is a file sends git to another directory, with hooks and configuration of its own.
  if (names.at(-1) === '.git') return '.git';
  const all = [basename(root).toLowerCase(), ...names];
  const git = all.indexOf('.git');
  const inGit = git === -1 ? undefined : all.slice(git + 1).find((name) => IN_GIT_AT_ANY_DEPTH.includes(name));
  return inGit && `.git/${inGit}`;
}
