import { HASH_BYTES, nodeHash } from './merkle-tree.ts';

/** The hashes of a whole tree, level by level: proofs cost a look-up for each level. */
export interface ProofTree {
  readonly size: number;
  /** RFC 6962, 2.1.1. `index` < `size` of the tree. */
  inclusion(index: number): readonly Buffer[];
  /** RFC 6962, 2.1.2: that the tree of the first `from` leaves is the beginning of this one; 1 ≤ `from` ≤ size. */
  consistency(from: number): readonly Buffer[];
}

/** `leaves`: their hashes, one behind the other. */
export function proofTree(leaves: Uint8Array): ProofTree {
  const size = leaves.byteLength / HASH_BYTES;
  const levels = [leaves];
  // Level k holds the roots of the full subtrees of 2^k leaves.
  for (let below = leaves; below.byteLength >= 2 * HASH_BYTES; ) {
    const count = Math.floor(below.byteLength / HASH_BYTES / 2);
    const level = Buffer.alloc(count * HASH_BYTES);
    for (let at = 0; at < count; at += 1)
      level.set(nodeHash(hashAt(below, 2 * at), hashAt(below, 2 * at + 1)), at * HASH_BYTES);
    levels.push(level);
    below = level;
  }

  /** Root of the leaves from `start`, which is a multiple of the subtree's own size, to `end`. */
  const root = (start: number, end: number): Buffer => {
    const count = end - start;
    if (Number.isInteger(Math.log2(count))) return hashAt(levels[Math.log2(count)] as Uint8Array, start / count);
    const split = start + largestPowerBelow(count);
    return nodeHash(root(start, split), root(split, end));
  };

  const path = (index: number, start: number, end: number): Buffer[] => {
    if (end - start === 1) return [];
    const split = start + largestPowerBelow(end - start);
    return index < split
      ? [...path(index, start, split), root(split, end)]
      : [...path(index, split, end), root(start, split)];
  };

  const subproof = (from: number, start: number, end: number, whole: boolean): Buffer[] => {
    if (from === end) return whole ? [] : [root(start, end)];
    const split = start + largestPowerBelow(end - start);
    return from <= split
      ? [...subproof(from, start, split, whole), root(split, end)]
      : [...subproof(from, split, end, false), root(start, split)];
  };

  return {
    size,
    inclusion: (index) => path(index, 0, size),
    consistency: (from) => subproof(from, 0, size, true),
  };
}

/** RFC 9162, 2.1.3.2: whether the leaf stands at `index` of the tree of `size` leaves with this root. */
export function isIncluded(
  leaf: Uint8Array,
  index: number,
  size: number,
  proof: readonly Uint8Array[],
  root: Uint8Array,
): boolean {
  if (index >= size) return false;
  let at = index;
  let last = size - 1;
  let found: Uint8Array = leaf;
  for (const other of proof) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      found = nodeHash(other, found);
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else found = nodeHash(found, other);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && Buffer.compare(found, root) === 0;
}

/** RFC 9162, 2.1.4.2: whether the tree of `from` leaves is the beginning of the one of `size`. */
export function isConsistent(
  from: { readonly size: number; readonly root: Uint8Array },
  to: { readonly size: number; readonly root: Uint8Array },
  proof: readonly Uint8Array[],
): boolean {
  if (from.size < 1 || from.size > to.size) return false;
  if (from.size === to.size) return proof.length === 0 && Buffer.compare(from.root, to.root) === 0;
  const steps = Number.isInteger(Math.log2(from.size)) ? [from.root, ...proof] : [...proof];
  let at = from.size - 1;
  let last = to.size - 1;
  while (at % 2 === 1) [at, last] = [half(at), half(last)];
  const [first, ...others] = steps;
  if (!first) return false;
  let before = first;
  let after = first;
  for (const other of others) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      before = nodeHash(other, before);
      after = nodeHash(other, after);
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else after = nodeHash(after, other);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && Buffer.compare(before, from.root) === 0 && Buffer.compare(after, to.root) === 0;
}

function hashAt(level: Uint8Array, index: number): Buffer {
  return Buffer.from(level.buffer, level.byteOffset + index * HASH_BYTES, HASH_BYTES);
}

function half(value: number): number {
  return Math.floor(value / 2);
}

/** Of a count above 1. */
function largestPowerBelow(count: number): number {
  return 2 ** Math.floor(Math.log2(count - 1));
}
