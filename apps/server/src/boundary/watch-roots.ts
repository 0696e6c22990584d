import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/**
 * Tells when the name of a root may mean something else: it was deleted, renamed or replaced. It sees what happens in the directory that
 * holds the root, not further up, and nothing where the system has no watch left: what is told of is looked at anyway before each answer.
 * @param most directories that are watched; the rest is not
 */
export function watchRoots(paths: readonly string[], most: number, onTouched: (path: string) => void): Disposable {
  const byParent = Map.groupBy(paths, (path) => dirname(path));
  const watchers: FSWatcher[] = [];
  for (const [parent, roots] of [...byParent].slice(0, most)) {
    const byName = new Map(roots.map((path) => [basename(path), path]));
    try {
      const watcher = watch(parent, { persistent: false }, (_event, name) => {
        const path = name === null ? undefined : byName.get(name);
        if (path !== undefined) onTouched(path);
        else if (name === null) for (const root of roots) onTouched(root);
      });
      watcher.on('error', () => watcher.close());
      watchers.push(watcher);
    } catch {
      // No watch left, or the directory is gone.
    }
  }
  return {
    [Symbol.dispose]() {
      for (const watcher of watchers) watcher.close();
    },
  };
}
