import type { BoundaryAccess, BoundaryRoot } from '@reeve/protocol';
import { indexRoots, type RootIndex } from './containment.ts';
import { DISTINCT_NAMES } from './file-names.ts';

/**
 * A list of roots says for every path which access it has: that of the deepest root around it, none where there is no root. The
 * operations are exact for every path. Paths are canonical and compared name by name, as the kernel gave them.
 */
export type Roots = readonly BoundaryRoot[];

export type Access = BoundaryAccess | 'none';

/** Ascending. */
const RANK: Readonly<Record<Access, number>> = { none: 0, ro: 1, rw: 2 };

/** So few questions are answered faster by going through the list than by an index of it. */
const FEW = 16;

export function isNarrower(one: Access, other: Access): boolean {
  return RANK[one] < RANK[other];
}

/** The access to each path that both lists give. Order and names of the first; what only the second names comes after its root. */
export function intersectRoots(first: Roots, second: Roots): BoundaryRoot[] {
  if (isSameAccess(first, second)) return [...first];
  const [ours, theirs] = [exactIndex(first), exactIndex(second)];
  const below = second.flatMap((root) => {
    const around = ours.around(root.path);
    return around && around.path !== root.path ? [{ root, around: around.path }] : [];
  });
  const inside = Map.groupBy(below, ({ around }) => around);
  const both = (path: string): Access => lower(accessAt(ours, path), accessAt(theirs, path));
  const shared = new RootList();
  for (const root of first) {
    shared.add(root, both(root.path));
    for (const { root: other } of inside.get(root.path) ?? []) shared.add(other, both(other.path));
  }
  return shared.roots;
}

/** The access to each path that either list gives. Order and names of the first, then what only the second names. */
export function uniteRoots(first: Roots, second: Roots): BoundaryRoot[] {
  const [ours, theirs] = [exactIndex(first), exactIndex(second)];
  const united = new RootList();
  for (const roots of [first, second]) {
    for (const root of roots) united.add(root, higher(accessAt(ours, root.path), accessAt(theirs, root.path)));
  }
  return united.roots;
}

/** The same access to each path in the fewest roots, by path: two lists mean the same if, and only if, this is equal. */
export function normalRoots(roots: Roots): BoundaryRoot[] {
  const index = exactIndex(roots);
  return eachOnce(roots)
    .filter(({ path }) => accessAt(index, path) !== accessAbove(index, path))
    .map(({ path }) => ({ path, access: accessAt(index, path) as BoundaryAccess }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** One change of access: at this path and below, down to the next change or root. */
export interface AccessChange {
  readonly path: string;
  readonly from: Access;
  readonly to: Access;
}

/** Every place where access differs, by path; what follows from the change at a directory above is left out. */
export function changedAccess(before: Roots, after: Roots): AccessChange[] {
  // Most changes are of few roots among many, and where both lists go on alike there is none.
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && isAlike(before[head], after[head])) head++;
  let tail = 0;
  while (tail < most - head && isAlike(before.at(-1 - tail), after.at(-1 - tail))) tail++;
  const named = [...before.slice(head, before.length - tail), ...after.slice(head, after.length - tail)];
  const few = named.length <= FEW;
  const around = new Set(few ? named.flatMap(({ path }) => pathsAbove(path)) : []);
  const near = (roots: Roots): Roots => (few ? roots.filter(({ path }) => around.has(path)) : roots);
  const [old, now] = [exactIndex(near(before)), exactIndex(near(after))];
  return eachOnce(named)
    .map(({ path }) => path)
    .filter((path) => {
      const [from, to] = [accessAt(old, path), accessAt(now, path)];
      return from !== to && (from !== accessAbove(old, path) || to !== accessAbove(now, path));
    })
    .sort()
    .map((path) => ({ path, from: accessAt(old, path), to: accessAt(now, path) }));
}

function isAlike(one: BoundaryRoot | undefined, other: BoundaryRoot | undefined): boolean {
  return one === other || (one?.path === other?.path && one?.access === other?.access);
}

/** Whether both name the same directories in the same order, each once, with the same access. */
function isSameAccess(first: Roots, second: Roots): boolean {
  if (first.length !== second.length || !first.every((root, at) => isAlike(root, second[at]))) return false;
  return new Set(first.map(({ path }) => path)).size === first.length;
}

export function exactIndex(roots: Roots): RootIndex<BoundaryRoot> {
  return indexRoots(roots, DISTINCT_NAMES);
}

/** A path and every directory above it. */
function pathsAbove(path: string): string[] {
  const paths = [path];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) paths.push(path.slice(0, at));
  return [...paths, '/'];
}

/** The same for a few questions. */
export function searched(roots: Roots): RootIndex<BoundaryRoot> {
  return { around: (path) => exactIndex(roots.filter((root) => isWithin(root.path, path))).around(path) };
}

export function isWithin(directory: string, path: string): boolean {
  if (!path.startsWith(directory)) return false;
  return path.length === directory.length || directory === '/' || path[directory.length] === '/';
}

export function accessAt(index: RootIndex<BoundaryRoot>, path: string): Access {
  return index.around(path)?.access ?? 'none';
}

/** The access of the directory that holds `path`: `none` above `/`. */
function accessAbove(index: RootIndex<BoundaryRoot>, path: string): Access {
  return path === '/' ? 'none' : accessAt(index, path.slice(0, path.lastIndexOf('/')) || '/');
}

function lower(one: Access, other: Access): Access {
  return isNarrower(one, other) ? one : other;
}

function higher(one: Access, other: Access): Access {
  return isNarrower(one, other) ? other : one;
}

/** A list that is being made: of each path the first, where any access is given. */
class RootList {
  readonly roots: BoundaryRoot[] = [];
  readonly #paths = new Set<string>();

  add(root: BoundaryRoot, access: Access): void {
    if (access === 'none' || this.#paths.has(root.path)) return;
    this.#paths.add(root.path);
    this.roots.push(access === root.access ? root : { ...root, access });
  }
}

/** The first of each path. */
function eachOnce(roots: Roots): BoundaryRoot[] {
  const seen = new Set<string>();
  return roots.filter(({ path }) => !seen.has(path) && seen.add(path));
}
