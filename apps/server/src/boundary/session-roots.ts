import { findProject } from './find-project.ts';
import { KeptRoots, type RootTurn } from './kept-roots.ts';
import type { MachinePlaces } from './machine-places.ts';
import { RootExaminer } from './root-facts.ts';
import type { RootIdentity } from './root-identity.ts';

export interface SessionRootsOptions {
  readonly places: MachinePlaces;
  /** Reeve's own state. */
  readonly dataDir: string;
  /** Canonical. */
  readonly cwd: string;
  readonly limits: { readonly maxLinkScan: number; readonly maxWatchedRoots: number; readonly rootCheckMs: number };
  /** Those of the boundary. */
  readonly roots: () => readonly string[];
  /** What people decided about beside them. */
  readonly granted: () => readonly string[];
  readonly onChange: (turns: readonly RootTurn[]) => void;
}

/** What the roots of one session are, and whether they still are that. */
export class SessionRoots implements Disposable {
  readonly examiner: RootExaminer;
  readonly #kept: KeptRoots;
  readonly #options: SessionRootsOptions;
  /** Somebody asks policies about them. */
  #examined = false;

  static async open(options: SessionRootsOptions): Promise<SessionRoots> {
    const { places, dataDir, cwd, limits } = options;
    const project = await findProject(cwd, places.home);
    const examiner = new RootExaminer({ places, dataDir, project, maxLinkScan: limits.maxLinkScan });
    return new SessionRoots(examiner, options);
  }

  private constructor(examiner: RootExaminer, options: SessionRootsOptions) {
    const { places, limits, onChange } = options;
    this.examiner = examiner;
    this.#options = options;
    this.#kept = new KeptRoots({
      boot: places.boot,
      maxWatched: limits.maxWatchedRoots,
      checkMs: limits.rootCheckMs,
      onChange,
    });
  }

  get lost(): ReadonlySet<string> {
    return this.#kept.lost;
  }

  identities(paths: ReadonlySet<string>): readonly RootIdentity[] {
    return this.#kept.identitiesOf(paths);
  }

  /** From now on roots are examined for policies: what that costs is for sessions with servers. */
  examine(): Promise<void> {
    this.#examined = true;
    return this.look([]);
  }

  /** Looks at what nobody has looked at yet: these, and all that the session has now. @param known what they were when they were approved */
  async look(paths: readonly string[], known: readonly RootIdentity[] = []): Promise<void> {
    const roots = new Set(this.#options.roots());
    // What somebody names beside the boundary is what is there now, whatever was there when it was last looked at.
    for (const path of paths) if (!roots.has(path)) this.#forget(path);
    const all = [...roots, ...this.#options.granted(), ...paths];
    await (this.#examined ? this.examiner.examine(all) : this.examiner.identify(all));
    this.keep(known, paths);
    if (known.length > 0) await this.check();
  }

  /** Looks after exactly what the session has now, and `more`. */
  keep(known: readonly RootIdentity[] = [], more: readonly string[] = []): void {
    const before = new Map(known.map((identity) => [identity.path, identity]));
    const found: RootIdentity[] = [];
    const missing: string[] = [];
    for (const path of [...this.#options.roots(), ...this.#options.granted(), ...more]) {
      const identity = before.get(path) ?? this.examiner.identity(path);
      if (identity) found.push(identity);
      else missing.push(path);
    }
    this.#kept.keep(found, missing);
  }

  /** What took the place of a lost root is approved, since somebody names it now. True when there was such a root. */
  async approveAgain(paths: readonly string[]): Promise<boolean> {
    const { lost } = this;
    const again = paths.filter((path) => lost.has(path));
    for (const path of again) this.#forget(path);
    if (again.length > 0) await this.look(again);
    return again.length > 0;
  }

  /** Looks again at what each of them is. Never rejects. */
  check(): Promise<void> {
    return this.#kept.check();
  }

  #forget(path: string): void {
    this.examiner.forget(path);
    this.#kept.forget(path);
  }

  [Symbol.dispose](): void {
    this.#kept[Symbol.dispose]();
  }
}
