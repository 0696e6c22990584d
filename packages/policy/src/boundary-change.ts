import type { BoundaryNetwork } from '@reeve/protocol';
import type { Boundary } from './boundary.ts';
import { compareNetwork, intersectNetwork, type NetworkChange, uniteNetwork } from './network-rule.ts';
import {
  type Access,
  type AccessChange,
  accessAt,
  changedAccess,
  intersectRoots,
  isNarrower,
  isWithin,
  type Roots,
  searched,
  uniteRoots,
} from './root-algebra.ts';

/** What a boundary is to be brought down to, or to have besides; what is not named stays. */
export interface BoundaryPart {
  readonly roots?: Roots;
  readonly network?: BoundaryNetwork;
}

/** Leaves only what `to` holds too. Never gives anything. */
export function narrow(boundary: Boundary, to: BoundaryPart): Boundary {
  return revised(boundary, {
    roots: to.roots === undefined ? boundary.roots : intersectRoots(boundary.roots, to.roots),
    network: to.network === undefined ? boundary.network : intersectNetwork(boundary.network, to.network),
  });
}

/** Gives `by` besides. Never takes anything. */
export function widen(boundary: Boundary, by: BoundaryPart): Boundary {
  return revised(boundary, {
    roots: by.roots === undefined ? boundary.roots : uniteRoots(boundary.roots, by.roots),
    network: by.network === undefined ? boundary.network : uniteNetwork(boundary.network, by.network),
  });
}

export type Revocation =
  /** `still` is what the path may be used for yet, because of a root around it: `none` when nothing is left. */
  | { readonly kind: 'revoked'; readonly boundary: Boundary; readonly still: Access }
  /** It is no root, nor is one below it. */
  | { readonly kind: 'not_a_root'; readonly next: string };

/** Takes away the root at `path`, and every root below it. */
export function revokeRoot(boundary: Boundary, path: string): Revocation {
  const kept = boundary.roots.filter((root) => !isWithin(path, root.path));
  if (kept.length === boundary.roots.length) {
    const around = searched(boundary.roots).around(path);
    const next = around
      ? 'It lies inside a root: revoke that one, or narrow it to the directories that are to stay.'
      : 'Nothing is to be done: no root is there.';
    return { kind: 'not_a_root', next };
  }
  const boundaryLeft = revised(boundary, { roots: kept, network: boundary.network });
  return { kind: 'revoked', boundary: boundaryLeft, still: accessAt(searched(kept), path) };
}

type Part = Pick<Boundary, 'roots' | 'network'>;

export interface BoundaryDiff {
  readonly direction: 'same' | 'narrower' | 'wider' | 'mixed';
  /** By path, with no more than is needed to tell. */
  readonly taken: readonly AccessChange[];
  readonly given: readonly AccessChange[];
  readonly network: NetworkChange;
  /** Whether the list itself differs, also in order or names only: what a server that asked for it must be told. */
  readonly listChanged: boolean;
  /**
   * Whether processes must be started again: `required` when something was taken, since only a narrower sandbox takes it away;
   * `when_confined` when something was only given, and must be mounted where there is a sandbox.
   */
  readonly restart: 'none' | 'when_confined' | 'required';
}

export function diffBoundary(before: Part, after: Part): BoundaryDiff {
  const listChanged = !sameList(before.roots, after.roots);
  const changes = listChanged ? changedAccess(before.roots, after.roots) : [];
  const taken = changes.filter(({ from, to }) => isNarrower(to, from));
  const given = changes.filter(({ from, to }) => isNarrower(from, to));
  const network = compareNetwork(before.network, after.network);
  const takes = taken.length > 0 || network === 'narrower' || network === 'other';
  const gives = given.length > 0 || network === 'wider' || network === 'other';
  return {
    direction: takes ? (gives ? 'mixed' : 'narrower') : gives ? 'wider' : 'same',
    taken,
    given,
    network,
    listChanged,
    restart: takes ? 'required' : gives ? 'when_confined' : 'none',
  };
}

/** The revision grows only with a change. */
function revised(boundary: Boundary, changed: Part): Boundary {
  const same = sameList(boundary.roots, changed.roots) && compareNetwork(boundary.network, changed.network) === 'same';
  return same ? boundary : { ...boundary, ...changed, revision: boundary.revision + 1 };
}

function sameList(one: Roots, other: Roots): boolean {
  if (one === other) return true;
  return (
    one.length === other.length &&
    one.every((root, index) => {
      const peer = other[index];
      return peer?.path === root.path && peer.access === root.access && peer.name === root.name;
    })
  );
}
