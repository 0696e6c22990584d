import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { treeRoots, wholeTree } from './paths.rig.ts';
import {
  type Access,
  accessAt,
  changedAccess,
  exactIndex,
  intersectRoots,
  normalRoots,
  type Roots,
  uniteRoots,
} from './root-algebra.ts';

const RANK = { none: 0, ro: 1, rw: 2 };

/** What a list means: the access to every path of the tree. */
function meaning(roots: Roots): Access[] {
  const index = exactIndex(roots);
  return wholeTree.map((path) => accessAt(index, path));
}

function pointwise(one: Roots, other: Roots, choose: (a: number, b: number) => number): Access[] {
  const second = meaning(other);
  return meaning(one).map((access, at) => {
    const wanted = choose(RANK[access], RANK[second[at] ?? 'none']);
    return wanted === 0 ? 'none' : wanted === 1 ? 'ro' : 'rw';
  });
}

describe('roots', () => {
  it('intersected give each path what both give, and never more', () => {
    fc.assert(
      fc.property(treeRoots, treeRoots, (one, other) => {
        expect(meaning(intersectRoots(one, other))).toEqual(pointwise(one, other, Math.min));
      }),
    );
  });

  it('united give each path what either gives', () => {
    fc.assert(
      fc.property(treeRoots, treeRoots, (one, other) => {
        expect(meaning(uniteRoots(one, other))).toEqual(pointwise(one, other, Math.max));
      }),
    );
  });

  it('keep the order of the first list, each path once', () => {
    fc.assert(
      fc.property(treeRoots, treeRoots, (one, other) => {
        for (const result of [intersectRoots(one, other), uniteRoots(one, other)]) {
          const paths = result.map(({ path }) => path);
          expect(new Set(paths).size).toBe(paths.length);
          const order = one.map(({ path }) => path);
          expect(paths.filter((path) => order.includes(path))).toEqual(order.filter((path) => paths.includes(path)));
        }
      }),
    );
  });

  it('have one normal form for one meaning, of the fewest roots', () => {
    fc.assert(
      fc.property(treeRoots, treeRoots, (one, other) => {
        const normal = normalRoots(one);
        expect(meaning(normal)).toEqual(meaning(one));
        expect(normalRoots(normal)).toEqual(normal);
        for (const [at] of normal.entries()) expect(meaning(normal.toSpliced(at, 1))).not.toEqual(meaning(one));
        const same = JSON.stringify(meaning(one)) === JSON.stringify(meaning(other));
        expect(JSON.stringify(normal) === JSON.stringify(normalRoots(other))).toBe(same);
      }),
    );
  });

  it('differ exactly where a change is named, and no change repeats the one above it', () => {
    fc.assert(
      fc.property(treeRoots, treeRoots, (before, after) => {
        const changes = changedAccess(before, after);
        const [old, now] = [meaning(before), meaning(after)];
        for (const { path, from, to } of changes) {
          const at = wholeTree.indexOf(path);
          expect([old[at], now[at]]).toEqual([from, to]);
          expect(from).not.toBe(to);
        }
        expect(changes.length === 0).toBe(JSON.stringify(old) === JSON.stringify(now));
        for (const [at, path] of wholeTree.entries()) {
          if (old[at] === now[at]) continue;
          const above = changes.filter((change) => change.path === '/' || `${path}/`.startsWith(`${change.path}/`));
          const nearest = above.sort((one, other) => other.path.length - one.path.length)[0];
          expect([nearest?.from, nearest?.to]).toEqual([old[at], now[at]]);
        }
      }),
    );
  });

  it('of the second list come after the root that holds them, with the names of the first where both have one', () => {
    const ours = [
      { path: '/b', access: 'rw', name: 'B' },
      { path: '/a', access: 'rw', name: 'A' },
    ] as const;
    const theirs = [
      { path: '/a', access: 'ro', name: 'other' },
      { path: '/b/y', access: 'rw', name: 'Y' },
      { path: '/b/x', access: 'ro' },
      { path: '/c', access: 'rw' },
    ] as const;
    expect(intersectRoots(ours, theirs)).toEqual([
      { path: '/b/y', access: 'rw', name: 'Y' },
      { path: '/b/x', access: 'ro' },
      { path: '/a', access: 'ro', name: 'A' },
    ]);
  });
});
