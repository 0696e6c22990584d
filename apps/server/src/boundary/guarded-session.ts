import type { Boundary, BoundaryPart, Circumstances } from '@reeve/policy';
import type { BoundaryRoot, BoundaryWish, SessionId } from '@reeve/protocol';
import type { ApprovedPlace } from '@reeve/sandbox';
import type { AuditFact } from '../audit/audit-fact.ts';
import { type Enter, presentScope } from '../audit/trace-scope.ts';
import { BoundaryChanges, type InForce } from './boundary-changes.ts';
import { decideServer } from './decide-server.ts';
import type { DecidedCase } from './decided-cases.ts';
import type { DecisionPlace } from './decision-book.ts';
import type { DeclaredServer } from './declared-server.ts';
import type { Foresight } from './foreseen.ts';
import { foreseeRoots, foreseeServer } from './foresight.ts';
import { giveRoot, withholdRoot } from './give-root.ts';
import { GuardedServers } from './guarded-servers.ts';
import type { RootTurn } from './kept-roots.ts';
import type { MachinePlaces } from './machine-places.ts';
import { boundaryRefused } from './place-refusal.ts';
import { requestRoot } from './request-root.ts';
import type { RootExaminer } from './root-facts.ts';
import { approvedPlace, type RootIdentity } from './root-identity.ts';
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
  ServerWish,
  SessionGuard,
} from './session-guard.ts';
import { SessionRecords } from './session-records.ts';
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
  #circumstances: Circumstances | undefined;
  readonly #needs: GuardedSessionNeeds;
  readonly #roots: SessionRoots;
  readonly #changes: BoundaryChanges;
  readonly #servers: GuardedServers;
  readonly #records: SessionRecords;
  #work: Enter;

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
    this.#records = new SessionRecords(needs.services, options);
    this.#work = presentScope();
    this.#roots = roots;
    this.#servers = new GuardedServers(this, () => roots.examine());
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
    return this.#records.session;
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
    if (this.session !== undefined) return;
    this.#records.name(session, () => this.#needs.onBound(this));
    this.#servers.touch();
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

  approved(): ReadonlyMap<string, ApprovedPlace> {
    const { boot } = this.#needs.places;
    const known = new Map(this.identities().map((identity) => [identity.path, approvedPlace(identity, boot)]));
    // What came to be where nothing was has never been looked at.
    for (const path of this.lost()) if (!known.has(path)) known.set(path, { ino: '0' });
    return known;
  }

  guardOf(server: DeclaredServer): Promise<ServerGuard> {
    return this.#servers.of(server);
  }

  servers(): readonly ServerGuard[] {
    return this.#servers.ready;
  }

  standing(server: string): readonly RootStanding[] {
    return this.#servers.get(server)?.standing.roots ?? [];
  }

  about(server: string): ReturnType<SessionGuard['about']> {
    const subject = this.#servers.get(server)?.subject();
    if (!subject) return undefined;
    const { shown, tools } = subject;
    return { server: shown, ...(tools === undefined ? {} : { tools }) };
  }

  async risks(): Promise<Foresight['roots']> {
    await this.#roots.examine();
    return foreseeRoots(this.boundary().roots, this.examiner);
  }

  async foresee(): Promise<Foresight> {
    return { roots: await this.risks(), servers: this.#servers.ready.map(({ view }) => foreseeServer(view)) };
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
    if (server !== undefined) return withholdRoot(this, this.#servers.get(server), path, by);
    return this.#changes.revoke(path, by);
  }

  grant(wish: GrantWish, by: Actor): Promise<ChangeResult> {
    return giveRoot(this, this.#servers.get(wish.server), wish, by);
  }

  decideServer(name: string, wish: ServerWish, by: Actor): Promise<ServerDecided> {
    return decideServer(this, this.#servers.get(name), wish, by);
  }

  request(wish: GrantWish, by: Actor): Promise<RequestedRoot> {
    return requestRoot(this, this.#servers.get(wish.server), wish, by);
  }

  watch(listener: (change: BoundaryChange) => Promise<void>): Disposable {
    return this.#changes.watch(listener);
  }

  lost(): ReadonlySet<string> {
    return this.#roots.lost;
  }

  place(): DecisionPlace {
    return { session: this.session, project: this.examiner.project.directory };
  }

  circumstances(): Circumstances {
    const id = this.session ?? 'new';
    if (this.#circumstances?.session.id !== id) {
      const { agent, enforced, user = { id: 'owner', administrator: false } } = this.#options;
      this.#circumstances = { user, agent, session: { id, enforced } };
    }
    return this.#circumstances;
  }

  checkRoots(): Promise<void> {
    return this.#roots.check();
  }

  revise(): void {
    this.#changes.revise();
  }

  notice(notice: BoundaryNotice): void {
    this.#records.notice(notice);
  }

  record(fact: (session: SessionId) => AuditFact): Promise<void> {
    return this.#records.record(fact);
  }

  note(fact: (session: SessionId) => AuditFact): void {
    this.#records.note(fact);
  }

  decided(what: DecidedCase): void {
    this.#records.decided(what);
  }

  /** What was decided for all sessions has changed, or the policies. */
  async refresh(): Promise<void> {
    await Promise.all(this.#servers.refresh());
  }

  look(paths: readonly string[]): Promise<void> {
    return this.#roots.look(paths);
  }

  grantedPaths(): readonly string[] {
    return this.#servers.grantedPaths();
  }

  rootsTurned(turns: readonly RootTurn[]): void {
    this.#records.turned(turns, this.#changes.boundary);
    void this.refresh();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#roots[Symbol.dispose]();
    this.#needs.onEnded(this);
    await this.#servers[Symbol.asyncDispose]();
  }

  #carryOut(change: BoundaryChange): readonly Promise<ServerOutcome>[] {
    const servers = this.#servers.refresh(true);
    this.#records.changed(change);
    return servers;
  }
}
