import { lstat, stat } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { type CallPath, indexRoots, type RootIndex } from '@reeve/policy';
import type { BoundaryRoot } from '@reeve/protocol';
import { followLinks } from './follow-links.ts';

export interface PlacingSite {
  /** Canonical. */
  readonly roots: readonly BoundaryRoot[];
  /** Where the server works: relative paths begin there. Undefined without a directory among the roots. */
  readonly cwd: string | undefined;
  /** What a program takes `~` for. */
  readonly home: string;
  /** Not on this machine: only `file:` URIs mean it. */
  readonly remote: boolean;
}

export interface OutsidePath {
  /** Canonical. */
  readonly path: string;
  /** What may be told to who asked: the path as it was named, or as the link says that leads out. */
  readonly told: string;
  readonly byLink: boolean;
  /** The directory that a person would have to grant, as far as it may be told. */
  readonly root: string;
  /** The argument. */
  readonly at: string;
}

export interface PlacedPaths {
  /** Canonical paths of arguments that lie inside, each once. */
  readonly inside: readonly string[];
  /** The first of an argument that does not; nothing was looked for after it. */
  readonly outside: OutsidePath | undefined;
  /** The first path outside of each member of `_meta` that the call can do without, by the name of that member. */
  readonly meta: ReadonlyMap<string, OutsidePath>;
}

/** Where a server works that has no directory: a place of its own, which holds nothing. */
const NO_ROOT = '/tmp';

/**
 * Finds where the paths of a call lead, in every way in which they can be read, and whether that is inside the roots.
 * @param signal what is found once it aborts is of no use
 */
export async function placePaths(
  paths: readonly CallPath[],
  site: PlacingSite,
  signal?: AbortSignal,
): Promise<PlacedPaths> {
  const index = indexOf(site.roots);
  const isInside = (path: string): boolean => index.around(path) !== undefined;
  const inside = new Set<string>();
  const meta = new Map<string, OutsidePath>();
  const seen = new Set<string>();
  for (const named of paths) {
    const { meta: member } = named;
    if (signal?.aborted) break;
    if (member !== undefined && meta.has(member)) continue;
    if (site.remote && named.form !== 'uri') continue;
    for (const wanted of absoluteReadings(named, site)) {
      const key = `${named.evidence} ${member === undefined ? '' : `_meta.${member}`} ${wanted}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const { path, exit } = await followLinks(wanted, isInside);
      if (isInside(path)) {
        if (member === undefined) inside.add(path);
      } else if (await counts(named, path, site)) {
        const told = exit ?? normalize(wanted);
        const outside = { path, told, byLink: exit !== undefined, root: await neededRoot(told), at: named.at };
        if (member === undefined) return { inside: [...inside], outside, meta };
        meta.set(member, outside);
        break;
      }
    }
  }
  return { inside: [...inside], outside: undefined, meta };
}

/** Of lists that were asked about before: a scope keeps its list, which may be long. */
const indexes = new WeakMap<readonly BoundaryRoot[], RootIndex>();

function indexOf(roots: readonly BoundaryRoot[]): RootIndex {
  const known = indexes.get(roots);
  if (known) return known;
  const index = indexRoots(roots);
  indexes.set(roots, index);
  return index;
}

/** As it is written, and as a program sees it that takes `..` away before it looks. */
function absoluteReadings({ path }: CallPath, { cwd, home }: PlacingSite): readonly string[] {
  const starts = path.startsWith('/') ? [path] : [`${cwd ?? NO_ROOT}/${path}`];
  if (/^~(?:\/|$)/.test(path)) starts.push(`${home}${path.slice(1)}`);
  const readings = [...new Set(starts.flatMap((start) => [start, normalize(start)]))];
  // Relative and without a directory to work in: nothing of this machine, unless it climbs out.
  return cwd !== undefined || path.startsWith('/') ? readings : readings.filter((each) => leaves(normalize(each)));
}

function leaves(path: string): boolean {
  return path !== NO_ROOT && !path.startsWith(`${NO_ROOT}/`);
}

async function neededRoot(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ? path : dirname(path);
}

/** Whether what lies outside is meant as a path of this machine at all. */
async function counts({ evidence, form }: CallPath, path: string, { roots }: PlacingSite): Promise<boolean> {
  if (evidence === 'spaced') return exists(path);
  if (evidence === 'named' && (roots.length > 0 || form === 'uri')) return true;
  const [, top = ''] = path.split('/');
  return exists(join('/', top));
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
