import { type FSWatcher, watch } from 'node:fs';

/** One directory that holds roots. */
interface Holder {
  /** Undefined where too many others are watched, or the system cannot. */
  watcher: FSWatcher | undefined;
  /** Paths of the roots by their names in it. */
  readonly names: Map<string, string>;
}

/**
 * Tells when the name of a root may mean something else: it was deleted, renamed or replaced. It sees what happens in the directory that
 * holds the root, not further up, and nothing where the system has no watch left: what is told of is looked at anyway before each answer.
 */
export class RootWatch implements Disposable {
  readonly #most: number;
  readonly #onTouched: (path: string) => void;
  /** By the directory. */
  readonly #holders = new Map<string, Holder>();
  #watchers = 0;

  /** @param most directories that are watched; the rest is not */
  constructor(most: number, onTouched: (path: string) => void) {
    this.#most = most;
    this.#onTouched = onTouched;
  }

  /** Watches some roots more, canonical paths, and others no longer. Costs what they are, however many there are besides. */
  change(added: Iterable<string>, removed: Iterable<string>): void {
    let freed = false;
    for (const path of removed) {
      const { parent, name } = split(path);
      const holder = this.#holders.get(parent);
      if (!holder?.names.delete(name) || holder.names.size > 0) continue;
      this.#unwatch(holder);
      this.#holders.delete(parent);
      freed = true;
    }
    const renewed = new Map<string, Holder>();
    for (const path of added) {
      const { parent, name } = split(path);
      const holder = this.#holders.get(parent) ?? { watcher: undefined, names: new Map() };
      holder.names.set(name, path);
      this.#holders.set(parent, holder);
      renewed.set(parent, holder);
    }
    // The directory of that name may be another one than when it was watched first.
    for (const holder of renewed.values()) this.#unwatch(holder);
    for (const [parent, holder] of freed ? this.#holders : renewed) this.#begin(parent, holder);
  }

  [Symbol.dispose](): void {
    for (const holder of this.#holders.values()) this.#unwatch(holder);
    this.#holders.clear();
  }

  #begin(parent: string, holder: Holder): void {
    if (holder.watcher || this.#watchers >= this.#most) return;
    try {
      const watcher = watch(parent, { persistent: false }, (_event, name) => this.#touched(holder, name));
      watcher.on('error', () => {
        if (holder.watcher === watcher) this.#unwatch(holder);
      });
      holder.watcher = watcher;
      this.#watchers += 1;
    } catch {
      // No watch left, or the directory is gone.
    }
  }

  #touched({ names }: Holder, name: string | null): void {
    const path = name === null ? undefined : names.get(name);
    if (path !== undefined) this.#onTouched(path);
    else if (name === null) for (const root of names.values()) this.#onTouched(root);
  }

  #unwatch(holder: Holder): void {
    if (!holder.watcher) return;
    holder.watcher.close();
    holder.watcher = undefined;
    this.#watchers -= 1;
  }
}

function split(path: string): { readonly parent: string; readonly name: string } {
  const at = path.lastIndexOf('/');
  return { parent: path.slice(0, at) || '/', name: path.slice(at + 1) };
}
