import {
  accessSync,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
} from 'node:fs';
import { isAbsolute, join, normalize, relative } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isWithin } from './bubblewrap/mount.ts';
import { distantMounts } from './distant-mounts.ts';

/** Where git finds hooks, configuration, or another place that has them. Relative to the root; the root itself is ''. */
export type GitPlace =
  /** A git directory with a configuration of its own: of a repository, bare or not, or of a submodule. */
  | { readonly kind: 'repository'; readonly path: string }
  /** The git directory of a linked work tree, which is part of another one's. */
  | { readonly kind: 'work-tree'; readonly path: string }
  /** A `.git` that is no directory: a file that names the git directory, or a symlink. */
  | { readonly kind: 'pointer'; readonly path: string };

/** For all roots of a launch together. */
export interface GitSearchLimits {
  /** Directories that are looked at, of each root those nearest to it first. */
  readonly maxDirectories: number;
  /** Names that are read in them. */
  readonly maxNames: number;
  /** Places that are answered. */
  readonly maxPlaces: number;
}

/** Measured: 30 ms in a root of 100,000 files, and 200 ms until the mounts of as many places stand, which grow with their square. */
export const gitSearchLimits: GitSearchLimits = Object.freeze({
  maxDirectories: 2_000,
  maxNames: 20_000,
  maxPlaces: 64,
});

export interface FoundGitPlaces {
  readonly places: readonly GitPlace[];
  /** How many more were found than may be answered, or cannot be entered by the user of the server. */
  readonly beyond: number;
}

export interface GitSearch {
  /**
   * The git directories at and below `root`, and what leads to them, as they are now: symlinks are not followed, what cannot be
   * read is passed over, directories of fetched packages and mounts of other machines are left out. What git itself says of a submodule or a linked work tree is
   * believed where it lies in the root.
   * Everybody else has a turn now and then meanwhile. One root after the other: the next call is made when the one before has answered.
   * @param root canonical
   * @param seen the same directory by another name, such as one of a descriptor
   */
  in(root: string, seen?: string): Promise<FoundGitPlaces>;
}

/** @param roots how many there are to be: what one of them leaves of its share is for those after it */
export function createGitSearch(
  roots: number,
  limits: GitSearchLimits = gitSearchLimits,
  distant: readonly string[] = distantMounts(),
): GitSearch {
  let { maxDirectories, maxNames, maxPlaces } = limits;
  let rootsLeft = roots;
  return {
    async in(root, seen = root) {
      const share = (left: number) => Math.ceil(left / Math.max(1, rootsLeft));
      const budget = { directories: share(maxDirectories), entries: share(maxNames) };
      const given = { ...budget };
      const away = distant.filter((mount) => mount !== root && isWithin(mount, root));
      const all = await lookIn(root, seen, away, budget);
      const open = all.filter(({ kind, path }) => kind === 'pointer' || mayEnter(join(seen, path)));
      rootsLeft -= 1;
      maxDirectories -= given.directories - budget.directories;
      maxNames -= given.entries - budget.entries;
      const places = open.slice(0, maxPlaces);
      maxPlaces -= places.length;
      return { places, beyond: all.length - places.length };
    },
  };
}

/** Where package managers and build tools fetch repositories, and delete them again. */
const FETCHED: ReadonlySet<string> = new Set(['node_modules', '_deps', '.build', '.terraform']);
/** Beside the work trees that may stand in a git directory without one of its own. */
const IN_GIT: ReadonlySet<string> = new Set(['objects', 'refs', 'logs', 'worktrees', 'modules']);
/** Of a file that names one path (gitrepository-layout), and of a configuration: what is longer is no such file. */
const maxNamingBytes = 65_536;
/** Of a directory of some thousand names, where the file system tells a size. */
const smallDirectoryBytes = 131_072;

/** How long others wait for a search, ms. */
const SLICE_MS = 5;

interface Looked {
  readonly directories: readonly string[];
  readonly files: ReadonlySet<string>;
  /** Of the file system, where it counts subdirectories as links of their parent: one with two links has none. */
  readonly countsOn: number | undefined;
}

interface Budget {
  directories: number;
  entries: number;
}

async function lookIn(
  root: string,
  seen: string,
  away: readonly string[],
  budget: Budget,
): Promise<readonly GitPlace[]> {
  const found = new Map<string, GitPlace>();
  const here = (path: string) => join(seen, path);
  const add = (kind: GitPlace['kind'], path: string): boolean => {
    if (found.has(path)) return false;
    found.set(path, { kind, path });
    return true;
  };

  let since = performance.now();
  const look = async (path: string, countsOn?: number): Promise<Looked | undefined> => {
    if (budget.directories === 0 || budget.entries === 0) return undefined;
    budget.directories -= 1;
    if (performance.now() - since > SLICE_MS) {
      await setImmediate();
      since = performance.now();
    }
    try {
      const { nlink, dev, size } = path === '' ? statSync(seen) : lstatSync(here(path));
      if (nlink === 2 && countsOn === dev) return { directories: [], files: new Set(), countsOn };
      const directories: string[] = [];
      const files = new Set<string>();
      for (const entry of entriesOf(here(path), size, budget.entries)) {
        budget.entries -= 1;
        if (entry.isDirectory()) directories.push(entry.name);
        else if (entry.isFile()) files.add(entry.name);
      }
      return { directories, files, countsOn: nlink === 2 + directories.length ? dev : undefined };
    } catch {
      return undefined;
    }
  };

  const isAway = (path: string) => away.some((mount) => isWithin(join(root, path), mount));
  /** What `.git` in a work tree is. */
  const enter = async (tree: string): Promise<void> => {
    const path = join(tree, '.git');
    const kind = kindOf(here(path));
    if (kind === 'directory') await gitDirectory(path);
    else if (kind !== 'absent' && add('pointer', path)) {
      const named = /^gitdir: (.*)/.exec(kind === 'file' ? firstBytes(here(path)) : '')?.[1];
      const target = named === undefined ? undefined : within(tree, named);
      if (target !== undefined && kindOf(here(target)) === 'directory') await gitDirectory(target);
    }
  };
  const within = (from: string, named: string): string | undefined => {
    const path = isAbsolute(named) ? relative(root, normalize(named)) : join(from, named);
    return path === '.' || path === '' || path === '..' || path.startsWith('../') || isAway(path) ? undefined : path;
  };

  const gitDirectory = async (path: string): Promise<void> => {
    const linked = kindOf(here(join(path, 'commondir'))) === 'file';
    if (!add(linked ? 'work-tree' : 'repository', path) || budget.directories === 0) return;
    const named = linked
      ? /^(.*)\/\.git$/.exec(firstBytes(here(join(path, 'gitdir'))).trimEnd())?.[1]
      : workTreeOf(firstBytes(here(join(path, 'config'))));
    const tree = named === undefined ? undefined : within(path, named);
    if (tree !== undefined) await enter(tree);
    const trees = await look(join(path, 'worktrees'));
    for (const name of trees?.directories ?? []) await gitDirectory(join(path, 'worktrees', name));
    await modules(join(path, 'modules'));
  };
  /** The name of a submodule may have slashes. */
  const modules = async (path: string): Promise<void> => {
    for (const name of (await look(path))?.directories ?? []) {
      const inner = join(path, name);
      if (kindOf(here(join(inner, 'HEAD'))) === 'absent') await modules(inner);
      else await gitDirectory(inner);
    }
  };

  const queue: { readonly path: string; readonly countsOn: number | undefined }[] = [{ path: '', countsOn: undefined }];
  for (const { path, countsOn } of queue) {
    const looked = await look(path, countsOn);
    if (looked === undefined) continue;
    const { directories, files } = looked;
    await enter(path);
    const whole = directories.includes('objects') && directories.includes('refs');
    const bare = files.has('HEAD') && (whole || files.has('commondir'));
    if (bare) await gitDirectory(path);
    for (const name of directories) {
      if (name === '.git' || FETCHED.has(name) || (bare && IN_GIT.has(name))) continue;
      const inner = join(path, name);
      if (!isAway(inner)) queue.push({ path: inner, countsOn: looked.countsOn });
    }
  }
  return [...found.values()];
}

/** All at once, or one by one, which is slower, where there may be more of them than are wanted. */
function entriesOf(path: string, size: number, wanted: number): readonly Dirent[] {
  if (size <= smallDirectoryBytes) return readdirSync(path, { withFileTypes: true }).slice(0, wanted);
  const opened = opendirSync(path, { bufferSize: 256 });
  try {
    const entries: Dirent[] = [];
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
      if (entries.push(entry) >= wanted) break;
    }
    return entries;
  } finally {
    opened.closeSync();
  }
}

function kindOf(path: string): 'directory' | 'file' | 'other' | 'absent' {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return 'absent';
    return found.isDirectory() ? 'directory' : found.isFile() ? 'file' : 'other';
  } catch {
    return 'absent';
  }
}

function mayEnter(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The text of a regular file; empty when there is none. A pipe would be waited for. */
function firstBytes(path: string): string {
  let descriptor: number | undefined;
  try {
    const { O_NONBLOCK = 0, O_NOFOLLOW = 0, O_RDONLY } = constants;
    descriptor = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    if (!fstatSync(descriptor).isFile()) return '';
    const bytes = Buffer.allocUnsafe(maxNamingBytes);
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, 0));
  } catch {
    return '';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** `core.worktree` of a configuration as git writes it (git-config, "Syntax"): `worktree = ../../../lib`. */
function workTreeOf(config: string): string | undefined {
  const value = /^\s*worktree\s*=\s*(.*?)\s*$/im.exec(config)?.[1];
  return value?.replace(/^"(.*)"$/, '$1').replaceAll(/\\(["\\])/g, '$1');
}
