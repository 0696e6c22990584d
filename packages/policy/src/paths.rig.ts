import type { BoundaryRoot } from '@reeve/protocol';
import fc from 'fast-check';

/** Names that programs have stumbled over, and plain ones. */
export const anyName = fc.oneof(
  fc.constantFrom(
    'a',
    'ab',
    'root',
    'root-evil',
    'my project',
    'é',
    'e\u0301',
    '%41',
    '100%',
    '~',
    "it's",
    '#1',
    'a?b',
    'C:',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }).map((name) => name.replaceAll('/', '_')),
);

export const anyPath = fc.array(anyName, { minLength: 1, maxLength: 5 }).map((names) => `/${names.join('/')}`);

/** Paths of a small tree, so that roots nest, repeat and miss each other. */
export const treePath = fc
  .array(fc.constantFrom('a', 'b', 'ab'), { maxLength: 4 })
  .map((names) => (names.length === 0 ? '/' : `/${names.join('/')}`));

const treeRoot = fc.record({ path: treePath, access: fc.constantFrom('ro' as const, 'rw' as const) });

export const treeRoots: fc.Arbitrary<BoundaryRoot[]> = fc.uniqueArray(treeRoot, {
  maxLength: 8,
  selector: ({ path }) => path,
});

/** Every path of that tree, and some below it. */
export const wholeTree: readonly string[] = everyPath(5);

function everyPath(depth: number): string[] {
  let level = [''];
  const all = ['/'];
  for (let at = 0; at < depth; at++) {
    level = level.flatMap((path) => ['a', 'b', 'ab'].map((name) => `${path}/${name}`));
    all.push(...level);
  }
  return all;
}
