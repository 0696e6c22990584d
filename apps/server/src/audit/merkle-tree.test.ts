import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isConsistent, isIncluded, proofTree } from './merkle-proofs.ts';
import { EMPTY, type Frontier, grown, leafHash, packRoots, rootOf, unpackRoots } from './merkle-tree.ts';

/** The leaves of Certificate Transparency's reference tests, and the roots of their trees. */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

function treesOf(count: number): { readonly leaves: Buffer; readonly frontiers: readonly Frontier[] } {
  const hashes = Array.from({ length: count }, (_, index) => leafHash(String(index)));
  const frontiers: Frontier[] = [EMPTY];
  for (const leaf of hashes) frontiers.push(grown(frontiers.at(-1) as Frontier, leaf));
  return { leaves: Buffer.concat(hashes), frontiers };
}

const rootAt = (frontiers: readonly Frontier[], size: number): Buffer => rootOf(frontiers[size] as Frontier);

describe('the hash tree', () => {
  it('has the roots of the reference tests of RFC 6962', () => {
    let tree = EMPTY;
    const roots = [rootOf(tree)];
    for (const leaf of LEAVES) {
      tree = grown(tree, leafHash(Buffer.from(leaf, 'hex')));
      roots.push(rootOf(tree));
    }
    expect(roots.map((root) => root.toString('hex'))).toEqual(ROOTS);
  });

  it('gives the proofs of the reference tests of RFC 6962', () => {
    const leaves = Buffer.concat(LEAVES.map((leaf) => leafHash(Buffer.from(leaf, 'hex'))));
    const tree = proofTree(leaves);
    expect(tree.inclusion(5).map((node) => node.toString('hex'))).toEqual([
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
    expect(tree.consistency(6).map((node) => node.toString('hex'))).toEqual([
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
  });

  it('proves each leaf of every tree up to 70, at its place and at no other', () => {
    const { leaves, frontiers } = treesOf(70);
    for (let size = 1; size <= 70; size += 1) {
      const tree = proofTree(leaves.subarray(0, size * 32));
      const root = rootAt(frontiers, size);
      for (let index = 0; index < size; index += 1) {
        const proof = tree.inclusion(index);
        const leaf = leafHash(String(index));
        expect(isIncluded(leaf, index, size, proof, root)).toBe(true);
        expect(isIncluded(leafHash('other'), index, size, proof, root)).toBe(false);
        if (size > 1) expect(isIncluded(leaf, (index + 1) % size, size, proof, root)).toBe(false);
        expect(isIncluded(leaf, index, size, [...proof, root], root)).toBe(false);
      }
    }
  });

  it('proves that each tree is the beginning of every later one, and of no other', () => {
    const { leaves, frontiers } = treesOf(40);
    for (let size = 1; size <= 40; size += 1) {
      const tree = proofTree(leaves.subarray(0, size * 32));
      const to = { size, root: rootAt(frontiers, size) };
      for (let from = 1; from <= size; from += 1) {
        const proof = tree.consistency(from);
        expect(isConsistent({ size: from, root: rootAt(frontiers, from) }, to, proof)).toBe(true);
        expect(isConsistent({ size: from, root: leafHash('other') }, to, proof)).toBe(false);
      }
      expect(isConsistent({ size: size + 1, root: to.root }, to, [])).toBe(false);
    }
  });

  it('goes on from what was packed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), (count) => {
        const tree = treesOf(count).frontiers.at(-1) as Frontier;
        const read = unpackRoots(count, packRoots(tree));
        expect(rootOf(grown(read, leafHash('next')))).toEqual(rootOf(grown(tree, leafHash('next'))));
        expect(() => unpackRoots(count + 2 ** 10, packRoots(tree))).toThrow(RangeError);
      }),
      { numRuns: 30 },
    );
  });
});
