import {
  acpDirectories,
  type Boundary,
  type BoundaryDiff,
  type BoundaryPart,
  type Circumstances,
  diffBoundary,
  narrow,
  revokeRoot,
  widen,
} from '@reeve/policy';
import { type BoundaryWish, ReeveError, type SessionBoundary, type SessionId } from '@reeve/protocol';
import type { AuditFact } from '../audit/audit-fact.ts';
import { hostsOf } from './apply-review.ts';
import type { DecisionPlace } from './decision-book.ts';
import type { DeclaredServer } from './declared-server.ts';
import { findProject } from './find-project.ts';
import { type GivingSession, giveRoot, requestRoot, withholdRoot } from './give-root.ts';
import { GuardedServer } from './guarded-server.ts';
import { KeptRoots, type RootTurn } from './kept-roots.ts';
import type { MachinePlaces } from './machine-places.ts';
import { resolveBoundary } from './resolve-boundary.ts';
import { RootExaminer } from './root-facts.ts';
import type { RootIdentity } from './root-identity.ts';
import type { ServerGuard } from './server-guard.ts';
import type { GuardServices, SessionGround } from './session-ground.ts';
import type {
  Actor,
  BoundaryChange,
  BoundaryNotice,
  ChangeResult,
  GrantWish,
  GuardedSessionOptions,
  RequestedRoot,
  RootStanding,
  SessionGuard,
} from './session-guard.ts';

export interface GuardedSessionNeeds {
  readonly services: GuardServices;
  readonly places: MachinePlaces;
  readonly dataDir: string;
  /** It has its name. */
  readonly onBound: (guard: GuardedSession) => void;
  readonly onEnded: (guard: GuardedSession) => void;
}

/** Between two revisions that have the same roots: what a server may have of them is another. */
const NO_CHANGE: BoundaryDiff = {
  direction: 'same',
  taken: [],
  given: [],
  network: 'same',
  listChanged: false,
  restart: 'none',
};

/** The guard of one session; see SessionGuard. */
export class GuardedSession implements SessionGuard, SessionGround, GivingSession {
  readonly services: GuardServices;
  readonly examiner: RootExaminer;
  readonly cwd: string;
  readonly agent: string;
  readonly confined: boolean;
  readonly #options: GuardedSessionOptions;
  readonly #needs: GuardedSessionNeeds;
  readonly #kept: KeptRoots;
  readonly #servers = new Map<string, Promise<GuardedServer>>();
  readonly #ready = new Map<string, GuardedServer>();
  readonly #listeners = new Set<(change: BoundaryChange) => Promise<void>>();
  /** What the audit log is told when the session has its name. */
  readonly #untold: ((session: SessionId) => AuditFact)[] = [];
  #session: SessionId | undefined;
  #boundary: SessionBoundary;
  /** Changes that need the file system come one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  static async open(options: GuardedSessionOptions, needs: GuardedSessionNeeds): Promise<GuardedSession> {
    const { places, dataDir, services } = needs;
    const project = await findProject(options.place.cwd, places.home);
    const { maxLinkScan } = services.limits;
    const examiner = new RootExaminer({ places, dataDir, project, maxLinkScan });
    const guard = new GuardedSession(options, needs, examiner);
    await guard.#examine(
      options.place.boundary.roots.map(({ path }) => path),
      options.place.identities,
    );
    return guard;
  }

  private constructor(options: GuardedSessionOptions, needs: GuardedSessionNeeds, examiner: RootExaminer) {
    this.#options = options;
    this.#needs = needs;
    this.services = needs.services;
    this.examiner = examiner;
    this.cwd = options.place.cwd;
    this.agent = options.agent;
    this.confined = options.confined;
    this.#session = options.session;
    this.#boundary = options.place.boundary;
    this.#kept = new KeptRoots({
      boot: needs.places.boot,
      maxWatched: needs.services.limits.maxWatchedRoots,
      checkMs: needs.services.limits.rootCheckMs,
      onChange: (turns) => this.#rootsTurned(turns),
    });
  }

  get session(): SessionId | undefined {
    return this.#session;
  }

  bind(session: SessionId): void {
    if (this.#session !== undefined) return;
    this.#session = session;
    this.#needs.onBound(this);
    for (const fact of this.#untold.splice(0)) this.services.audit.note(fact(session));
    for (const server of this.#ready.values()) server.touch();
  }

  boundary(): Boundary {
    return { ...this.#boundary, network: this.#boundary.network ?? 'full' };
  }

  identities(): readonly RootIdentity[] {
    const roots = new Set(this.#boundary.roots.map(({ path }) => path));
    return this.#kept.identities.filter(({ path }) => roots.has(path));
  }

  async guardOf(server: DeclaredServer): Promise<ServerGuard> {
    const opening = this.#servers.get(server.name);
    const known = await (opening ?? this.#openServer(server));
    if (opening && JSON.stringify(known.server) !== JSON.stringify(server)) {
      throw new ReeveError('conflict', {
        message: `two MCP servers of this session are named ${JSON.stringify(server.name)}`,
        data: { details: 'give each server a name of its own' },
      });
    }
    return known;
  }

  servers(): readonly ServerGuard[] {
    return [...this.#ready.values()];
  }

  standing(server: string): readonly RootStanding[] {
    return this.#ready.get(server)?.standing.roots ?? [];
  }

  set(wish: BoundaryWish, by: Actor, expectedRevision?: number): Promise<ChangeResult> {
    return this.inTurn(async () => {
      const { revision, roots } = this.#boundary;
      if (expectedRevision !== undefined && expectedRevision !== revision) return { kind: 'conflict', revision };
      const { limits } = this.services;
      const check = await resolveBoundary(
        { wish: { ...wish, roots: wish.roots ?? roots }, cwd: this.cwd, additionalDirectories: [] },
        { maxRoots: limits.maxRoots, dataDir: this.#needs.dataDir },
      );
      if (check.kind === 'invalid') return check;
      const { boundary } = check.place;
      const again = await this.#approveAgain(boundary.roots.map(({ path }) => path));
      const before = this.#boundary;
      const network = boundary.network ?? before.network;
      const require = boundary.require ?? before.require;
      return this.change(
        {
          roots: boundary.roots,
          ...(network === undefined ? {} : { network }),
          ...(require === undefined ? {} : { require }),
          revision: before.revision,
        },
        by,
        again,
      );
    });
  }

  narrow(to: BoundaryPart, by: Actor): Promise<ChangeResult> {
    return this.inTurn(() => this.change(narrow(this.boundary(), to), by));
  }

  widen(part: BoundaryPart, by: Actor): Promise<ChangeResult> {
    return this.inTurn(async () => {
      const { limits } = this.services;
      if (part.roots && part.roots.length > 0) {
        const rules = { maxRoots: limits.maxRoots, dataDir: this.#needs.dataDir };
        const wish = { roots: part.roots };
        const first = part.roots[0]?.path ?? '';
        const check = await resolveBoundary({ wish, cwd: first, additionalDirectories: [] }, rules);
        if (check.kind === 'invalid') return check;
        const { roots } = check.place.boundary;
        const again = await this.#approveAgain(roots.map(({ path }) => path));
        return this.change(widen(this.boundary(), { ...part, roots }), by, again);
      }
      return this.change(widen(this.boundary(), part), by);
    });
  }

  async revoke(path: string, by: Actor, server?: string): Promise<ChangeResult> {
    if (server !== undefined) return withholdRoot(this, this.#ready.get(server), path, by);
    const revoked = revokeRoot(this.boundary(), path);
    if (revoked.kind === 'not_a_root') {
      return { kind: 'refused', reason: 'It is no root of this session.', next: revoked.next };
    }
    return this.change(revoked.boundary, by);
  }

  grant(wish: GrantWish, by: Actor): Promise<ChangeResult> {
    return giveRoot(this, this.#ready.get(wish.server), wish, by);
  }

  request(wish: GrantWish, by: Actor): Promise<RequestedRoot> {
    return requestRoot(this, this.#ready.get(wish.server), wish, by);
  }

  watch(listener: (change: BoundaryChange) => Promise<void>): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  lost(): ReadonlySet<string> {
    return this.#kept.lost;
  }

  place(): DecisionPlace {
    return { session: this.#session, project: this.examiner.project.directory };
  }

  circumstances(): Circumstances {
    const { agent, enforced, user = { id: 'owner', administrator: false } } = this.#options;
    return { user, agent, session: { id: this.#session ?? 'new', enforced } };
  }

  checkRoots(): Promise<void> {
    return this.#kept.check();
  }

  revise(): void {
    const before = this.#boundary;
    const after = { ...before, revision: before.revision + 1 };
    this.#boundary = after;
    const change: BoundaryChange = { before, after, diff: NO_CHANGE, by: 'reeve' };
    const failed = (error: unknown): void =>
      this.services.onFailure(error, 'a new revision of a boundary was not kept');
    for (const listener of this.#listeners) listener(change).catch(failed);
  }

  notice(notice: BoundaryNotice): void {
    this.#options.onNotice?.(notice);
  }

  async record(fact: (session: SessionId) => AuditFact): Promise<void> {
    if (this.#session === undefined) this.#untold.push(fact);
    else await this.services.audit.record(fact(this.#session));
  }

  note(fact: (session: SessionId) => AuditFact): void {
    if (this.#session === undefined) this.#untold.push(fact);
    else this.services.audit.note(fact(this.#session));
  }

  /** What was decided for all sessions has changed, or the policies. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#ready.values()].map((server) => server.refresh()));
  }

  async look(paths: readonly string[]): Promise<void> {
    await this.#examine([...this.#boundary.roots.map(({ path }) => path), ...paths]);
  }

  /** What took the place of a lost root is approved, since somebody names it now. True when there was such a root. */
  async #approveAgain(paths: readonly string[]): Promise<boolean> {
    const lost = this.#kept.lost;
    const again = paths.filter((path) => lost.has(path));
    for (const path of again) {
      this.examiner.forget(path);
      this.#kept.forget(path);
    }
    if (again.length > 0) await this.look(again);
    return again.length > 0;
  }

  inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    // However many come, everything else goes on between two of them.
    const result = this.#turn.then(() => new Promise(setImmediate)).then(run);
    this.#turn = result.catch(() => {});
    return result;
  }

  /** Puts another boundary in force, and resolves when everybody has changed over. */
  async change(wanted: SessionBoundary, by: Actor, again = false): Promise<ChangeResult> {
    const { maxRoots } = this.services.limits;
    if (wanted.roots.length > maxRoots) {
      const reason = `That makes ${wanted.roots.length} roots, and ${maxRoots} are allowed (limits.maxRoots).`;
      return { kind: 'refused', reason, next: 'Name a common parent of some of them.' };
    }
    const unknown = wanted.roots.map(({ path }) => path).filter((path) => !this.#kept.knows(path));
    if (unknown.length > 0) await this.look(unknown);
    if (acpDirectories(wanted, this.cwd).kind === 'cwd_outside') {
      const next = 'End the session, or leave a root around its working directory.';
      return { kind: 'refused', reason: 'The agent works in that directory.', next };
    }
    const before = this.#boundary;
    const settled = (one: SessionBoundary): Boundary => ({ ...one, network: one.network ?? 'full' });
    const diff = diffBoundary(settled(before), settled(wanted));
    if (!again && !diff.listChanged && diff.network === 'same' && before.require === wanted.require) {
      return { kind: 'unchanged', boundary: before, servers: [] };
    }
    const { network, ...rest } = wanted;
    const keepsOwn = before.network === undefined && network === 'full';
    const after = { ...rest, ...(network === undefined || keepsOwn ? {} : { network }), revision: before.revision + 1 };
    this.#boundary = after;
    this.#keep();
    const change: BoundaryChange = { before, after, diff, by: by.label };
    // All in this very tick: what the new boundary forbids is not answered by the old one.
    const servers = [...this.#ready.values()].map((server) => server.refresh(true));
    const listeners = [...this.#listeners].map((listener) => listener(change));
    this.notice({ kind: 'boundary_changed', by: by.label, boundary: after });
    this.note((session) => ({
      kind: 'boundary.changed',
      session,
      by: by.label,
      revision: after.revision,
      direction: diff.direction,
      roots: after.roots,
      ...(after.network === undefined ? {} : { network: hostsOf(after.network) }),
    }));
    const outcomes = await Promise.all(servers);
    const carried = await Promise.allSettled(listeners);
    for (const one of carried) {
      if (one.status === 'rejected')
        this.services.onFailure(one.reason, 'a change of the boundary was not carried out');
    }
    const failed = carried.some(({ status }) => status === 'rejected');
    const ofAgent = failed
      ? [{ server: this.agent, result: 'failed' as const, detail: 'the agent could not change over' }]
      : [];
    return { kind: 'changed', boundary: this.#boundary, servers: [...outcomes, ...ofAgent] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#kept[Symbol.dispose]();
    this.#needs.onEnded(this);
    const servers = await Promise.allSettled(this.#servers.values());
    for (const server of servers) if (server.status === 'fulfilled') server.value[Symbol.dispose]();
  }

  async #openServer(server: DeclaredServer): Promise<GuardedServer> {
    const opening = this.#look(server);
    this.#servers.set(server.name, opening);
    opening.catch(() => this.#servers.delete(server.name));
    const guard = await opening;
    this.#ready.set(server.name, guard);
    this.#keep();
    return guard;
  }

  async #look(server: DeclaredServer): Promise<GuardedServer> {
    const guard = await GuardedServer.open(this, server);
    const granted = guard.grantedPaths();
    if (granted.length > 0) {
      await this.#examine([...this.#boundary.roots.map(({ path }) => path), ...granted]);
      void guard.refresh();
    }
    return guard;
  }

  async #examine(paths: readonly string[], known: readonly RootIdentity[] = []): Promise<void> {
    await this.examiner.examine(paths);
    this.#keep(known);
    if (known.length > 0) await this.#kept.check();
  }

  /** Looks after the roots of the boundary, and what people granted beside them. */
  #keep(known: readonly RootIdentity[] = []): void {
    const granted = [...this.#ready.values()].flatMap((server) => server.grantedPaths());
    const paths = [...new Set([...this.#boundary.roots.map(({ path }) => path), ...granted])];
    const before = new Map(known.map((identity) => [identity.path, identity]));
    const found = paths.flatMap((path) => before.get(path) ?? this.examiner.found(path)?.identity ?? []);
    const there = new Set(found.map(({ path }) => path));
    this.#kept.keep(
      found,
      paths.filter((path) => !there.has(path)),
    );
  }

  #rootsTurned(turns: readonly RootTurn[]): void {
    const access = new Map(this.#boundary.roots.map((root) => [root.path, root.access]));
    for (const { path, how } of turns) {
      // What takes its place is looked at anew, should anybody approve it.
      if (how !== undefined && !access.has(path)) continue;
      this.notice(how === undefined ? { kind: 'root_back', path } : { kind: 'root_lost', path, how });
      const { revision } = this.#boundary;
      const root = { path, access: access.get(path) ?? 'ro' };
      this.note((session) =>
        how === undefined
          ? { kind: 'root.back', session, root, revision }
          : { kind: 'root.lost', session, root, how, revision },
      );
    }
    void this.refresh();
  }
}
