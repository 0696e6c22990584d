import { underOwnTrace } from '../audit/trace-scope.ts';
import type { RootLoss } from './root-identity.ts';
import { checkIdentity, type RootIdentity } from './root-identity.ts';
import { RootWatch } from './root-watch.ts';

export interface KeptRootsOptions {
  readonly boot: string;
  readonly maxWatched: number;
  readonly checkMs: number;
  /** A root is not what was approved any more, or is again. Told once for each turn of events. */
  readonly onChange: (changes: readonly RootTurn[]) => void;
}

export interface RootTurn {
  readonly path: string;
  /** Undefined where it is again what it was. */
  readonly how: RootLoss | undefined;
}

const AT_ONCE = 64;
/** What is written to a root that is a file touches it again and again: it is looked at once for all. */
const TOUCHED_MS = 20;

/** Looks after what the roots of a session were when they were approved: watched, looked at now and then, and before each answer. */
export class KeptRoots implements Disposable {
  readonly #options: KeptRootsOptions;
  readonly #kept = new Map<string, RootIdentity>();
  readonly #lost = new Map<string, RootLoss>();
  readonly #timer: NodeJS.Timeout;
  readonly #touched = new Set<string>();
  #soon: NodeJS.Timeout | undefined;
  readonly #watch: RootWatch;
  #looking: Promise<void> | undefined;
  #ended = false;

  constructor(options: KeptRootsOptions) {
    this.#options = options;
    this.#watch = new RootWatch(options.maxWatched, (path) => {
      this.#touched.add(path);
      this.#soon ??= setTimeout(() => underOwnTrace(() => this.#lookAtTouched()), TOUCHED_MS).unref();
    });
    this.#timer = setInterval(() => void underOwnTrace(() => this.check()), options.checkMs).unref();
  }

  /** Of those of these paths that are looked after, in that order. */
  identitiesOf(paths: Iterable<string>): readonly RootIdentity[] {
    const identities: RootIdentity[] = [];
    for (const path of paths) {
      const identity = this.#kept.get(path);
      if (identity) identities.push(identity);
    }
    return identities;
  }

  get lost(): ReadonlySet<string> {
    return new Set(this.#lost.keys());
  }

  /** Exactly these are looked after from now on. What is known of a path stays. */
  keep(identities: readonly RootIdentity[], missing: readonly string[] = []): void {
    const paths = new Set(missing);
    const added: string[] = [];
    for (const identity of identities) {
      const { path } = identity;
      paths.add(path);
      if (this.#kept.has(path)) continue;
      this.#kept.set(path, identity);
      added.push(path);
    }
    const gone: string[] = [];
    for (const path of this.#kept.keys()) if (!paths.has(path)) gone.push(path);
    for (const path of gone) this.#kept.delete(path);
    for (const path of this.#lost.keys()) if (!paths.has(path)) this.#lost.delete(path);
    for (const path of missing) this.#lost.set(path, 'deleted');
    if (!this.#ended) this.#watch.change(added, gone);
  }

  /** What is there now counts, once it is looked at. */
  forget(path: string): void {
    if (this.#kept.delete(path)) this.#watch.change([], [path]);
    this.#lost.delete(path);
  }

  /** Looks at all of them. Never rejects. */
  check(): Promise<void> {
    this.#looking ??= this.#look([...this.#kept.values()]).finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    this.#watch[Symbol.dispose]();
  }

  async #look(identities: readonly RootIdentity[]): Promise<void> {
    const turns: RootTurn[] = [];
    for (let start = 0; start < identities.length && !this.#ended; start += AT_ONCE) {
      const slice = identities.slice(start, start + AT_ONCE);
      const checks = await Promise.all(slice.map((identity) => checkIdentity(identity, this.#options.boot)));
      for (const [index, check] of checks.entries()) {
        const path = slice[index]?.path ?? '';
        const how = check.kind === 'lost' ? check.how : undefined;
        if (this.#kept.get(path) !== slice[index] || this.#lost.get(path) === how) continue;
        if (how === undefined) this.#lost.delete(path);
        else this.#lost.set(path, how);
        turns.push({ path, how });
      }
    }
    if (turns.length > 0 && !this.#ended) this.#options.onChange(turns);
  }

  #lookAtTouched(): void {
    this.#soon = undefined;
    const touched = [...this.#touched].flatMap((path) => this.#kept.get(path) ?? []);
    this.#touched.clear();
    void this.#look(touched);
  }
}
