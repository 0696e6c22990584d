import type { BoundaryRoot } from '@reeve/protocol';

/**
 * The innermost root that a path names a place in, by its words alone: what the file system makes of them, links and all, is the
 * server's to see. A path with `..` in it is in none.
 */
export function rootOf(roots: readonly BoundaryRoot[], path: string): BoundaryRoot | undefined {
  if (!path.startsWith('/') || path.split('/').includes('..')) return undefined;
  return roots
    .filter((root) => path === root.path || path.startsWith(root.path.endsWith('/') ? root.path : `${root.path}/`))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
}
