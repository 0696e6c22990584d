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

export function isNarrower(one: Access, other: Access): boolean {
  return RANK[one] < RANK[other];
}

/** The access to each path that both lists give. Order and names of the first; what only the second names comes after its root. */
export function intersectRoots(first: Roots, second: Roots): BoundaryRoot[] {
  const [ours, theirs] = [exactIndex(first), exactIndex(second)];
  const inside = Map.groupBy(second, ({ path }) => ours.around(path)?.path);
  return eachOnce(
    first.flatMap((root) => [
      ...withAccess(root, lower(accessAt(ours, root.path), accessAt(theirs, root.path))),
      ...(inside.get(root.path) ?? []).flatMap((below) =>
        withAccess(below, lower(accessAt(ours, below.path), accessAt(theirs, below.path))),
      ),
    ]),
  );
}

/** The access to each path that either list gives. Order and names of the first, then what only the second names. */
export function uniteRoots(first: Roots, second: Roots): BoundaryRoot[] {
  const [ours, theirs] = [exactIndex(first), exactIndex(second)];
  return eachOnce(
    [...first, ...second].flatMap((root) =>
      withAccess(root, higher(accessAt(ours, root.path), accessAt(theirs, root.path))),
    ),
  );
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
  const [old, now] = [exactIndex(before), exactIndex(after)];
  return eachOnce([...before, ...after])
    .map(({ path }) => path)
    .filter((path) => {
      const [from, to] = [accessAt(old, path), accessAt(now, path)];
      return from !== to && (from !== accessAbove(old, path) || to !== accessAbove(now, path));
    })
    .sort()
    .map((path) => ({ path, from: accessAt(old, path), to: accessAt(now, path) }));
}

export function exactIndex(roots: Roots): RootIndex<BoundaryRoot> {
  return indexRoots(roots, DISTINCT_NAMES);
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

function withAccess(root: BoundaryRoot, access: Access): BoundaryRoot[] {
  return access === 'none' ? [] : [{ ...root, access }];
}

/** The first of each path. */
function eachOnce(roots: Roots): BoundaryRoot[] {
  const seen = new Set<string>();
  return roots.filter(({ path }) => !seen.has(path) && seen.add(path));
}
