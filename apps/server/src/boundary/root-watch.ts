import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** One directory that holds roots. */
interface Watched {
  readonly watcher: FSWatcher;
  /** Paths of the roots by their names in it. */
  names: ReadonlyMap<string, string>;
}

/**
 * Tells when the name of a root may mean something else: it was deleted, renamed or replaced. It sees what happens in the directory that
 * holds the root, not further up, and nothing where the system has no watch left: what is told of is looked at anyway before each answer.
 */
export class RootWatch implements Disposable {
  readonly #most: number;
  readonly #onTouched: (path: string) => void;
  /** By the directory. */
  readonly #watched = new Map<string, Watched>();

  /** @param most directories that are watched; the rest is not */
  constructor(most: number, onTouched: (path: string) => void) {
    this.#most = most;
    this.#onTouched = onTouched;
  }

  /** Exactly these are watched from now on. @param added those of them that were not before: their directories may be others now */
  watch(paths: readonly string[], added: readonly string[]): void {
    const byParent = new Map<string, Map<string, string>>();
    for (const path of paths) {
      const parent = dirname(path);
      const names = byParent.get(parent);
      if (names) names.set(basename(path), path);
      else if (byParent.size < this.#most) byParent.set(parent, new Map([[basename(path), path]]));
    }
    const renewed = new Set(added.map((path) => dirname(path)));
    for (const parent of this.#watched.keys()) {
      if (renewed.has(parent) || !byParent.has(parent)) this.#unwatch(parent);
    }
    for (const [parent, names] of byParent) {
      const known = this.#watched.get(parent);
      if (known) known.names = names;
      else this.#begin(parent, names);
    }
  }

  [Symbol.dispose](): void {
    for (const parent of this.#watched.keys()) this.#unwatch(parent);
  }

  #begin(parent: string, names: Watched['names']): void {
    try {
      const watcher = watch(parent, { persistent: false }, (_event, name) => this.#touched(parent, name));
      watcher.on('error', () => this.#unwatch(parent));
      this.#watched.set(parent, { watcher, names });
    } catch {
      // No watch left, or the directory is gone.
    }
  }

  #touched(parent: string, name: string | null): void {
    const names = this.#watched.get(parent)?.names;
    const path = name === null ? undefined : names?.get(name);
    if (path !== undefined) this.#onTouched(path);
    else if (name === null) for (const root of names?.values() ?? []) this.#onTouched(root);
  }

  #unwatch(parent: string): void {
    this.#watched.get(parent)?.watcher.close();
    this.#watched.delete(parent);
  }
}
