import { diffBoundary, type ServerFacts } from '@reeve/policy';
import type { ReviewPackage, SessionId } from '@reeve/protocol';
import type { Enforcement } from '@reeve/sandbox';
import type { ServerFact } from '../audit/governance-fact.ts';
import { type Enter, underTrace } from '../audit/trace-scope.ts';
import { inSlices } from '../pace/in-slices.ts';
import { admitServer } from './admit-server.ts';
import { AlarmStorm } from './alarm-storm.ts';
import { CallDecisions } from './call-decisions.ts';
import { CallReviews } from './call-reviews.ts';
import { DecisionExpiry } from './decision-expiry.ts';
import type { DeclaredServer } from './declared-server.ts';
import type { ServerApproval } from './grant-store.ts';
import type { RootTurn } from './kept-roots.ts';
import type { ReviewSubject } from './review-subject.ts';
import { ScopeChanges } from './scope-changes.ts';
import type {
  Admission,
  CallAnswerer,
  CallApproval,
  CallDecision,
  CallQuestion,
  CallSummary,
  RecordedCall,
  ScopeChange,
  ServerClaims,
  ServerGuard,
  ServerScope,
} from './server-guard.ts';
import { type AlarmCause, ServerRecords } from './server-records.ts';
import { ServerReviews } from './server-reviews.ts';
import { ServerView } from './server-view.ts';
import type { SessionGround } from './session-ground.ts';
import type { ServerOutcome } from './session-guard.ts';
import type { Standing } from './stand-roots.ts';
import { WITHDRAWN, type Withdrawal, withdrawalOf } from './withdrawal.ts';

/** The guard of one MCP server of one session; see ServerGuard. */
export class GuardedServer implements ServerGuard, Disposable {
  readonly #ground: SessionGround;
  readonly #view: ServerView;
  readonly #records: ServerRecords;
  readonly #reviews: ServerReviews;
  readonly #calls: CallReviews;
  readonly #decisions: CallDecisions;
  readonly #alarms: AlarmStorm<AlarmCause>;
  readonly #changes: ScopeChanges;
  readonly #expiry: DecisionExpiry;
  readonly #listening: Disposable;
  #enforcement: Enforcement | undefined;
  #standing: Standing;
  #scope: ServerScope;
  #admitted = false;
  /** With which it was admitted, where a person had a part in that. */
  #approval: ServerApproval | undefined;
  #ended = false;

  static async open(ground: SessionGround, server: DeclaredServer): Promise<GuardedServer> {
    return new GuardedServer(ground, await ServerView.open(ground, server));
  }

  private constructor(ground: SessionGround, view: ServerView) {
    this.#ground = ground;
    this.#view = view;
    this.#records = new ServerRecords(ground, view);
    this.#reviews = new ServerReviews(ground, () => view.subject());
    this.#decisions = new CallDecisions((what) => ground.decided(what));
    this.#calls = new CallReviews(ground, () => view.subject());
    this.#alarms = new AlarmStorm<AlarmCause>({
      emit: (what, count) => this.#records.alarm(what, count, this.#scope.revision),
    });
    this.#standing = view.stand(view.look());
    this.#scope = view.scopeOf(this.#standing);
    this.#changes = new ScopeChanges({
      server: view.server,
      runs: () => this.#enforcement !== undefined,
      onFailure: ground.services.onFailure,
    });
    this.#expiry = new DecisionExpiry(ground.services, view);
    this.#listening = ground.services.book.listen({
      fingerprint: () => view.fingerprint,
      decisionsChanged: () => this.#decisionsChanged(),
    });
    this.#expiry.watch();
  }

  get server(): DeclaredServer {
    return this.#view.server;
  }

  get fingerprint(): string {
    return this.#view.fingerprint;
  }

  get view(): ServerView {
    return this.#view;
  }

  get cwd(): string {
    return this.#ground.cwd;
  }

  get session(): SessionId | undefined {
    return this.#ground.session;
  }

  get work(): Enter {
    return this.#ground.work;
  }

  get standing(): Standing {
    return this.#standing;
  }

  get facts(): ServerFacts {
    return this.#view.facts;
  }

  get fact(): ServerFact {
    return this.#view.fact;
  }

  /** What became of the last change of its scope. */
  get outcome(): Promise<ServerOutcome> {
    return this.#changes.outcome;
  }

  grantedPaths(): readonly string[] {
    return this.#view.grantedPaths();
  }

  subject(): ReviewSubject {
    return this.#view.subject();
  }

  admit(signal: AbortSignal): Promise<Admission> {
    return this.#own(() => this.#admit(signal));
  }

  async #admit(signal: AbortSignal): Promise<Admission> {
    signal.throwIfAborted();
    this.#admitted = false;
    if (await this.#view.identify()) void this.refresh();
    const parts = { view: this.#view, reviews: this.#reviews, records: this.#records, ended: () => this.#ended };
    const admission = await admitServer(parts, signal);
    this.#admitted = admission.kind === 'admitted';
    this.#approval = this.#view.approval();
    return admission;
  }

  scope(): ServerScope {
    return this.#scope;
  }

  expose(initiator: 'reeve' | 'server', patience: AbortSignal): Promise<ServerScope> {
    return initiator === 'server'
      ? this.#expose(initiator, patience)
      : this.#own(() => this.#expose(initiator, patience));
  }

  async #expose(initiator: 'reeve' | 'server', patience: AbortSignal): Promise<ServerScope> {
    await this.#ground.checkRoots();
    this.#reviews.again();
    while (!this.#ended && !patience.aborted && this.#reviews.askRoots(this.#standing.undecided)) {
      await this.#reviews.change(patience);
    }
    const scope = this.#scope;
    await inSlices(this.#standing.cases, (one) => this.#ground.decided(one));
    await this.#records.exposure(initiator, scope, this.#view.givenBy(scope.roots, this.#standing));
    return scope;
  }

  described(what: ServerClaims): void {
    this.#view.claims = what;
  }

  decide(call: CallSummary, staleRoots: boolean): CallDecision {
    const { services } = this.#ground;
    const server = this.#view.factsLooked();
    const circumstances = this.#ground.circumstances();
    const grounds = { policies: services.policies(), revision: this.#scope.revision, circumstances, server };
    return this.#decisions.decide(grounds, call, staleRoots);
  }

  askCall(question: CallQuestion, signal: AbortSignal): Promise<CallApproval> {
    return this.#calls.ask(question, signal);
  }

  dropCall(key: string, reason: string): void {
    this.#calls.drop(key, reason);
  }

  began(call: CallSummary, decision: CallDecision, asked?: CallAnswerer): RecordedCall {
    return this.#records.call(call, decision, asked, () => this.#scope.revision);
  }

  alarm(what: AlarmCause): void {
    this.#alarms.raise(what);
  }

  fetched(what: ReviewPackage): void {
    this.#view.package = what;
  }

  held(enforcement: Enforcement | undefined): void {
    const same = JSON.stringify(enforcement) === JSON.stringify(this.#enforcement);
    this.#enforcement = enforcement;
    if (same) return;
    this.#own(() => this.#records.confined(enforcement));
    // What held the last process counts until another one runs: else a server that turns out not to be confined would start and stop.
    if (enforcement === undefined) return;
    const { sandboxed } = this.#view.facts;
    this.#view.confined = enforcement.fs === 'enforced';
    if (this.#view.facts.sandboxed !== sandboxed) void this.refresh();
  }

  loosened(places: readonly RootTurn[]): void {
    this.#own(() => this.#records.loosened(places, this.#scope.revision));
  }

  verified(revision: number, probe: { readonly kind: 'gone' | 'unverified'; readonly detail: string }): void {
    this.#changes.verified(revision, probe);
    this.#own(() => this.#records.verified(revision, probe.kind));
  }

  watch(listener: (change: ScopeChange) => Promise<void>): Disposable {
    return this.#changes.watch(listener);
  }

  /** Reviews that waited for a name of the session can be asked now. */
  touch(): void {
    this.#reviews.touch();
  }

  /**
   * Finds out again what it may have, after a change of the boundary, of decisions, of policies or of the roots themselves. The new scope
   * is in force when this returns; the promise resolves when it is carried out. @param revised the boundary has its new revision already
   */
  refresh(revised = false): Promise<ServerOutcome> {
    const before = this.#scope;
    this.#standing = this.#view.stand(this.#view.look());
    const next = this.#view.scopeOf(this.#standing);
    const diff = diffBoundary(before, next);
    const withdrawn = this.#withdrawal();
    const told = diff.listChanged || diff.network !== 'same' || withdrawn !== undefined;
    const revises = told && !revised;
    if (revises) this.#ground.revise();
    const { revision } = this.#ground.boundary();
    this.#scope = { ...next, revision };
    if (revises) this.#records.revised(revision, diff.direction);
    if (withdrawn) this.#records.withdrawn(revision, withdrawn);
    this.#reviews.prune(this.#standing.undecided);
    this.#reviews.touch();
    this.#expiry.watch();
    if (!told) return Promise.resolve({ server: this.server.name, result: 'unaffected' });
    const { calls } = this.#ground.services;
    return this.#changes.carryOut({
      before,
      after: this.#scope,
      diff,
      calls: diff.restart === 'required' || withdrawn !== undefined ? calls.narrowed : calls.widened,
      ...(withdrawn === undefined ? {} : { withdrawn: `it may not run any more: ${WITHDRAWN[withdrawn.cause]}` }),
    });
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    this.#alarms[Symbol.dispose]();
    this.#expiry[Symbol.dispose]();
    this.#listening[Symbol.dispose]();
    this.#reviews.touch();
  }

  /** What the server's process does by itself is of the change that it carries out, if there is one, else of what the session works on. */
  #own<Result>(act: () => Result): Result {
    return this.#changes.carrying === undefined ? this.work(act) : underTrace(this.#changes.carrying, act);
  }

  /** Why a server that was admitted may not run any more. */
  #withdrawal(): Withdrawal | undefined {
    if (!this.#admitted || this.#view.mayRun()) return undefined;
    this.#admitted = false;
    return withdrawalOf(this.#view, this.#approval, this.#ground.services.now());
  }

  async #decisionsChanged(): Promise<void> {
    const changed = [this.refresh()];
    const unknown = this.grantedPaths().filter((path) => this.#ground.examiner.found(path) === undefined);
    if (unknown.length > 0) {
      await this.#ground.look(unknown);
      changed.push(this.refresh());
    }
    await Promise.all(changed);
  }
}
