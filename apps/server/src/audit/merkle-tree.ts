import { hash } from 'node:crypto';

export const HASH_BYTES = 32;
const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);

/** RFC 6962, 2.1: the prefix keeps a leaf from passing for a node. */
export function leafHash(data: string | Uint8Array): Buffer {
  return sha256(Buffer.concat([LEAF, typeof data === 'string' ? Buffer.from(data) : data]));
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return sha256(Buffer.concat([NODE, left, right]));
}

function sha256(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer');
}

/**
 * All that must be kept of a tree to go on with it: how many leaves, and the roots of the full subtrees that they make, the
 * largest first. It has as many hashes as `size` has ones in binary.
 */
export interface Frontier {
  readonly size: number;
  readonly roots: readonly Uint8Array[];
}

export const EMPTY: Frontier = Object.freeze({ size: 0, roots: Object.freeze([]) });

/** The tree with one more leaf. */
export function grown({ size, roots }: Frontier, leaf: Uint8Array): Frontier {
  const next = [...roots];
  let root = leaf;
  for (let rest = size; rest % 2 === 1; rest = Math.floor(rest / 2)) root = nodeHash(next.pop() as Uint8Array, root);
  next.push(root);
  return { size: size + 1, roots: next };
}

/** RFC 6962, 2.1: the hash of the whole tree; that of nothing for an empty one. */
export function rootOf({ roots }: Frontier): Buffer {
  const last = roots.at(-1);
  if (!last) return sha256(Buffer.alloc(0));
  return Buffer.from(roots.slice(0, -1).reduceRight<Uint8Array>((right, left) => nodeHash(left, right), last));
}

/** The roots of a frontier as one block. */
export function packRoots({ roots }: Frontier): Buffer {
  return Buffer.concat(roots);
}

/** Throws RangeError when the block is not that of a tree of this size. */
export function unpackRoots(size: number, packed: Uint8Array): Frontier {
  const count = size.toString(2).replaceAll('0', '').length;
  if (packed.byteLength !== count * HASH_BYTES) throw new RangeError(`no tree of ${size} leaves has these roots`);
  const roots = Array.from({ length: count }, (_, index) =>
    packed.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
  );
  return { size, roots };
}
