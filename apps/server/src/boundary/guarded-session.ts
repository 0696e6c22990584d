import { randomUUID } from 'node:crypto';
import type { Boundary, BoundaryPart, Circumstances } from '@reeve/policy';
import { type BoundaryRoot, type BoundaryWish, ReeveError, type ReviewResult, type SessionId } from '@reeve/protocol';
import type { AuditFact } from '../audit/audit-fact.ts';
import { type Enter, presentScope } from '../audit/trace-scope.ts';
import { hostsOf } from './apply-review.ts';
import { BoundaryChanges, type InForce } from './boundary-changes.ts';
import { decideServer } from './decide-server.ts';
import type { DecidedCase } from './decided-cases.ts';
import type { DecisionPlace } from './decision-book.ts';
import type { DeclaredServer } from './declared-server.ts';
import type { Foresight } from './foreseen.ts';
import { foreseeRoots } from './foresight.ts';
import { giveRoot, withholdRoot } from './give-root.ts';
import { GuardedServer } from './guarded-server.ts';
import type { RootTurn } from './kept-roots.ts';
import type { MachinePlaces } from './machine-places.ts';
import { boundaryRefused } from './place-refusal.ts';
import { requestRoot } from './request-root.ts';
import type { RootExaminer } from './root-facts.ts';
import type { RootIdentity } from './root-identity.ts';
import type { RootStanding } from './root-standing.ts';
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
  ServerDecided,
  ServerOutcome,
  SessionGuard,
} from './session-guard.ts';
import { SessionRoots } from './session-roots.ts';
import type { GivingSession } from './wanted-root.ts';

export interface GuardedSessionNeeds {
  readonly services: GuardServices;
  readonly places: MachinePlaces;
  /** Reeve's own state. */
  readonly dataDir: string;
  /** It has its name. */
  readonly onBound: (guard: GuardedSession) => void;
  readonly onEnded: (guard: GuardedSession) => void;
}

/** The guard of one session; see SessionGuard. */
export class GuardedSession implements SessionGuard, SessionGround, GivingSession {
  readonly services: GuardServices;
  readonly #options: GuardedSessionOptions;
  readonly #needs: GuardedSessionNeeds;
  readonly #roots: SessionRoots;
  readonly #changes: BoundaryChanges;
  readonly #servers = new Map<string, Promise<GuardedServer>>();
  readonly #ready = new Map<string, GuardedServer>();
  /** What the audit log is told when the session has its name. */
  readonly #untold: ((session: SessionId) => void)[] = [];
  /** Of this guard: until the agent has opened the session it has no name. */
  readonly #id = randomUUID();
  #work: Enter;
  #session: SessionId | undefined;

  static async open(options: GuardedSessionOptions, needs: GuardedSessionNeeds): Promise<GuardedSession> {
    const { boundary, cwd, identities } = options.place;
    let guard: GuardedSession | undefined;
    const roots = await SessionRoots.open({
      places: needs.places,
      dataDir: needs.dataDir,
      cwd,
      limits: needs.services.limits,
      roots: () => (guard?.boundary() ?? boundary).roots.map(({ path }) => path),
      granted: () => guard?.grantedPaths() ?? [],
      onChange: (turns) => guard?.rootsTurned(turns),
    });
    guard = new GuardedSession(options, needs, roots);
    await roots.look([], identities);
    return guard;
  }

  private constructor(options: GuardedSessionOptions, needs: GuardedSessionNeeds, roots: SessionRoots) {
    const { limits, onFailure } = needs.services;
    this.#options = options;
    this.#needs = needs;
    this.services = needs.services;
    this.#session = options.session;
    this.#work = presentScope();
    this.#roots = roots;
    this.#changes = new BoundaryChanges({
      boundary: options.place.boundary,
      cwd: options.place.cwd,
      rules: { maxRoots: limits.maxRoots, dataDir: needs.dataDir },
      roots,
      onChange: (change) => this.#carryOut(change),
      onRefused: (refusals, by) => this.note((session) => boundaryRefused(refusals, { by: by.label, session })),
      onFailure,
    });
  }

  get session(): SessionId | undefined {
    return this.#session;
  }

  get examiner(): RootExaminer {
    return this.#roots.examiner;
  }

  get cwd(): string {
    return this.#options.place.cwd;
  }

  get agent(): string {
    return this.#options.agent;
  }

  get confined(): boolean {
    return this.#options.confined;
  }

  bind(session: SessionId): void {
    if (this.#session !== undefined) return;
    this.#session = session;
    this.#needs.onBound(this);
    for (const tell of this.#untold.splice(0)) tell(session);
    for (const server of this.#ready.values()) server.touch();
  }

  get work(): Enter {
    return this.#work;
  }

  follow(work: Enter): void {
    this.#work = work;
  }

  boundary(): Boundary {
    return this.#changes.settled;
  }

  identities(): readonly RootIdentity[] {
    return this.#roots.identities(new Set(this.#changes.boundary.roots.map(({ path }) => path)));
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

  about(server: string): ReturnType<SessionGuard['about']> {
    const subject = this.#ready.get(server)?.subject();
    if (!subject) return undefined;
    const { shown, tools } = subject;
    return { server: shown, ...(tools === undefined ? {} : { tools }) };
  }

  async risks(): Promise<Foresight['roots']> {
    await this.#roots.examine();
    return foreseeRoots(this.boundary().roots, this.examiner);
  }

  async foresee(): Promise<Foresight> {
    return { roots: await this.risks(), servers: [...this.#ready.values()].map((server) => server.foresee()) };
  }

  set(wish: BoundaryWish, by: Actor, expectedRevision?: number): Promise<ChangeResult> {
    return this.#changes.set(wish, by, expectedRevision);
  }

  narrow(to: BoundaryPart, by: Actor): Promise<ChangeResult> {
    return this.#changes.narrow(to, by);
  }

  widen(part: BoundaryPart, by: Actor): Promise<ChangeResult> {
    return this.#changes.widen(part, by);
  }

  add(part: BoundaryPart, by: Actor): Promise<InForce> {
    return this.#changes.add(part, by);
  }

  cannotAdd(roots: readonly BoundaryRoot[]): Promise<string | undefined> {
    return this.#changes.cannotAdd(roots);
  }

  revoke(path: string, by: Actor, server?: string): Promise<ChangeResult> {
    if (server !== undefined) return withholdRoot(this, this.#ready.get(server), path, by);
    return this.#changes.revoke(path, by);
  }

  grant(wish: GrantWish, by: Actor): Promise<ChangeResult> {
    return giveRoot(this, this.#ready.get(wish.server), wish, by);
  }

  decideServer(name: string, result: ReviewResult, by: Actor): Promise<ServerDecided> {
    return decideServer(this, this.#ready.get(name), result, by);
  }

  request(wish: GrantWish, by: Actor): Promise<RequestedRoot> {
    return requestRoot(this, this.#ready.get(wish.server), wish, by);
  }

  watch(listener: (change: BoundaryChange) => Promise<void>): Disposable {
    return this.#changes.watch(listener);
  }

  lost(): ReadonlySet<string> {
    return this.#roots.lost;
  }

  place(): DecisionPlace {
    return { session: this.#session, project: this.examiner.project.directory };
  }

  circumstances(): Circumstances {
    const { agent, enforced, user = { id: 'owner', administrator: false } } = this.#options;
    return { user, agent, session: { id: this.#session ?? 'new', enforced } };
  }

  checkRoots(): Promise<void> {
    return this.#roots.check();
  }

  revise(): void {
    this.#changes.revise();
  }

  notice(notice: BoundaryNotice): void {
    this.#options.onNotice?.(notice);
  }

  async record(fact: (session: SessionId) => AuditFact): Promise<void> {
    if (this.#session === undefined) this.#keepUntold(fact);
    else await this.services.audit.record(fact(this.#session));
  }

  note(fact: (session: SessionId) => AuditFact): void {
    if (this.#session === undefined) this.#keepUntold(fact);
    else this.services.audit.note(fact(this.#session));
  }

  decided(what: DecidedCase): void {
    const news = this.services.cases.news(what, this.#id);
    if (news) this.note(news);
  }

  #keepUntold(fact: (session: SessionId) => AuditFact): void {
    const enter = presentScope();
    this.#untold.push((session) => enter(() => this.services.audit.note(fact(session))));
  }

  /** What was decided for all sessions has changed, or the policies. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#ready.values()].map((server) => server.refresh()));
  }

  look(paths: readonly string[]): Promise<void> {
    return this.#roots.look(paths);
  }

  grantedPaths(): readonly string[] {
    return [...this.#ready.values()].flatMap((server) => server.grantedPaths());
  }

  rootsTurned(turns: readonly RootTurn[]): void {
    const { roots, revision } = this.#changes.boundary;
    const access = new Map(roots.map((root) => [root.path, root.access]));
    for (const { path, how } of turns) {
      const root = { path, access: access.get(path) };
      if (root.access === undefined) continue;
      const told = { root: { path, access: root.access }, revision };
      this.notice(how === undefined ? { kind: 'root_back', path } : { kind: 'root_lost', path, how });
      this.note((session) =>
        how === undefined ? { kind: 'root.back', session, ...told } : { kind: 'root.lost', session, how, ...told },
      );
    }
    void this.refresh();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#roots[Symbol.dispose]();
    this.#needs.onEnded(this);
    const servers = await Promise.allSettled(this.#servers.values());
    for (const server of servers) if (server.status === 'fulfilled') server.value[Symbol.dispose]();
  }

  #carryOut({ after, diff, by }: BoundaryChange): readonly Promise<ServerOutcome>[] {
    const servers = [...this.#ready.values()].map((server) => server.refresh(true));
    this.notice({ kind: 'boundary_changed', by, boundary: after });
    const { revision, roots, network } = after;
    const told = { by, revision, direction: diff.direction, roots };
    const hosts = network === undefined ? {} : { network: hostsOf(network) };
    this.note((session) => ({ kind: 'boundary.changed', session, ...told, ...hosts }));
    return servers;
  }

  async #openServer(server: DeclaredServer): Promise<GuardedServer> {
    const opening = this.#roots.examine().then(() => GuardedServer.open(this, server));
    this.#servers.set(server.name, opening);
    opening.catch(() => this.#servers.delete(server.name));
    const guard = await opening;
    this.#ready.set(server.name, guard);
    if (guard.grantedPaths().length > 0) {
      await this.look(guard.grantedPaths());
      void guard.refresh();
    }
    return guard;
  }
}
