import type { BoundaryRoot } from '@reeve/protocol';
import { type FileNames, type NameKey, possibleKey, sureKey, UNKNOWN_NAMES } from './file-names.ts';

/** The deepest root around a path; `undefined` when the path is outside, or in doubt. */
export interface RootIndex<Root extends BoundaryRoot = BoundaryRoot> {
  around(path: string): Root | undefined;
}

/** By path component: `/a` contains `/a` and `/a/b`, not `/ab`. Both canonical; in doubt about names the answer is no. */
export function contains(directory: string, path: string, names: FileNames = UNKNOWN_NAMES): boolean {
  if (!isWithin(directory, path, sureKey(names))) return false;
  if (names.letterCase === 'distinct' && names.unicodeForm === 'distinct') return true;
  return isWithin(directory, path, possibleKey(names));
}

/**
 * Prepares many questions about the same roots; each then costs the depth of its path. Paths are canonical, as `checkAbsolutePath`
 * leaves them. The deepest root wins, whatever its access; of two roots at the same path the read-only one.
 */
export function indexRoots<Root extends BoundaryRoot>(
  roots: readonly Root[],
  names: FileNames = UNKNOWN_NAMES,
): RootIndex<Root> {
  const sure = oneIndex(roots, sureKey(names));
  if (names.letterCase === 'distinct' && names.unicodeForm === 'distinct') return { around: sure };
  const possible = oneIndex(roots, possibleKey(names));
  return {
    around(path) {
      const root = sure(path);
      return root !== undefined && possible(path) === root ? root : undefined;
    },
  };
}

function oneIndex<Root extends BoundaryRoot>(roots: readonly Root[], key: NameKey): (path: string) => Root | undefined {
  const byKey = new Map<string, Root>();
  for (const root of roots) {
    const at = key(root.path);
    const known = byKey.get(at);
    if (!known || (known.access === 'rw' && root.access === 'ro')) byKey.set(at, root);
  }
  const lengths = new Set<number>();
  for (const at of byKey.keys()) lengths.add(at.length);
  return (path) => {
    const wanted = key(path);
    const exact = byKey.get(wanted);
    if (exact) return exact;
    for (let end = wanted.lastIndexOf('/'); end > 0; end = wanted.lastIndexOf('/', end - 1)) {
      const above = lengths.has(end) ? byKey.get(wanted.slice(0, end)) : undefined;
      if (above && above.kind !== 'file') return above;
    }
    return byKey.get('/');
  };
}

function isWithin(directory: string, path: string, key: NameKey): boolean {
  const [outer, inner] = [key(directory), key(path)];
  if (!inner.startsWith(outer)) return false;
  return inner.length === outer.length || outer === '/' || inner[outer.length] === '/';
}
