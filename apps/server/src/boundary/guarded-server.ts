import { diffBoundary, type ServerFacts } from '@reeve/policy';
import type { ReviewPackage, SessionId } from '@reeve/protocol';
import type { Enforcement } from '@reeve/sandbox';
import type { ServerFact } from '../audit/governance-fact.ts';
import type { TraceId } from '../audit/trace-id.ts';
import { currentTrace, type Enter, underOwnTrace, underTrace } from '../audit/trace-scope.ts';
import { inSlices } from '../pace/in-slices.ts';
import { admitServer } from './admit-server.ts';
import { AlarmStorm } from './alarm-storm.ts';
import { CallReviews } from './call-reviews.ts';
import type { DeclaredServer } from './declared-server.ts';
import type { ForeseenServer } from './foreseen.ts';
import { foreseeServer } from './foresight.ts';
import type { ServerApproval } from './grant-store.ts';
import type { ReviewSubject } from './review-subject.ts';
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

/** Longest wait of a timer; what expires later is looked at again then. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The guard of one MCP server of one session; see ServerGuard. */
export class GuardedServer implements ServerGuard, Disposable {
  readonly #ground: SessionGround;
  readonly #view: ServerView;
  readonly #records: ServerRecords;
  readonly #reviews: ServerReviews;
  readonly #calls: CallReviews;
  readonly #alarms: AlarmStorm<AlarmCause>;
  readonly #listeners = new Set<(change: ScopeChange) => Promise<void>>();
  readonly #listening: Disposable;
  #enforcement: Enforcement | undefined;
  #standing: Standing;
  #scope: ServerScope;
  #admitted = false;
  /** With which it was admitted, where a person had a part in that. */
  #approval: ServerApproval | undefined;
  #verified: { readonly revision: number; readonly kind: 'gone' | 'unverified'; readonly detail: string } | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #outcome: Promise<ServerOutcome>;
  /** The trace of the change that is being carried out. */
  #carrying: TraceId | undefined;
  #ended = false;

  static async open(ground: SessionGround, server: DeclaredServer): Promise<GuardedServer> {
    return new GuardedServer(ground, await ServerView.open(ground, server));
  }

  private constructor(ground: SessionGround, view: ServerView) {
    this.#ground = ground;
    this.#view = view;
    this.#records = new ServerRecords(ground, view);
    this.#reviews = new ServerReviews(ground, () => view.subject());
    this.#calls = new CallReviews(ground, () => view.subject());
    this.#alarms = new AlarmStorm<AlarmCause>({
      emit: (what, count) => this.#records.alarm(what, count, this.#scope.revision),
    });
    this.#standing = view.stand();
    this.#scope = view.scopeOf(this.#standing);
    this.#outcome = Promise.resolve({ server: view.server.name, result: 'unaffected' });
    this.#listening = ground.services.book.listen({
      fingerprint: () => view.fingerprint,
      decisionsChanged: () => this.#decisionsChanged(),
    });
    this.#watchExpiry();
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
    return this.#outcome;
  }

  grantedPaths(): readonly string[] {
    return this.#view.grantedPaths();
  }

  /** See ServerView. */
  unnamed(path: string): string | undefined {
    return this.#view.unnamed(path);
  }

  subject(): ReviewSubject {
    return this.#view.subject();
  }

  foresee(): ForeseenServer {
    return foreseeServer(this.#view);
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
    const { recorded, claims } = call;
    const tool = { name: call.tool ?? call.method, ...claims };
    const facts = { ...this.#ground.circumstances(), kind: 'call_tool', server: this.facts, tool, staleRoots } as const;
    const { outcome, policies, policyHash } = this.#ground.services.policies().decide(facts, this.#scope.revision);
    const decision = { outcome, policies, policyHash };
    const known = { name: recorded.tool ?? recorded.method, ...claims };
    this.#ground.decided({ facts: { ...facts, tool: known }, decision });
    return decision;
  }

  askCall(question: CallQuestion, signal: AbortSignal): Promise<CallApproval> {
    return this.#calls.ask(question, signal);
  }

  dropCall(key: string, reason: string): void {
    this.#calls.drop(key, reason);
  }

  began(call: CallSummary, decision: CallDecision, asked?: CallAnswerer): RecordedCall {
    return this.#records.call(call, { ...decision, asked }, () => this.#scope.revision);
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
    this.#view.confined = enforcement.fs === 'enforced';
    void this.refresh();
  }

  verified(revision: number, probe: { readonly kind: 'gone' | 'unverified'; readonly detail: string }): void {
    this.#verified = { revision, ...probe };
    this.#own(() => this.#records.verified(revision, probe.kind));
  }

  watch(listener: (change: ScopeChange) => Promise<void>): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
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
    this.#standing = this.#view.stand();
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
    this.#watchExpiry();
    if (!told) return Promise.resolve({ server: this.server.name, result: 'unaffected' });
    const { calls } = this.#ground.services;
    this.#outcome = this.#carryOut({
      before,
      after: this.#scope,
      diff,
      calls: diff.restart === 'required' || withdrawn !== undefined ? calls.narrowed : calls.widened,
      ...(withdrawn === undefined ? {} : { withdrawn: `it may not run any more: ${WITHDRAWN[withdrawn.cause]}` }),
    });
    return this.#outcome;
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    this.#alarms[Symbol.dispose]();
    clearTimeout(this.#expiry);
    this.#listening[Symbol.dispose]();
    this.#reviews.touch();
  }

  async #carryOut(change: ScopeChange): Promise<ServerOutcome> {
    const server = this.server.name;
    const trace = currentTrace();
    this.#carrying = trace;
    const told = await Promise.allSettled([...this.#listeners].map((listener) => listener(change)));
    if (this.#carrying === trace) this.#carrying = undefined;
    const failed = told.find((one) => one.status === 'rejected');
    if (failed) {
      this.#ground.services.onFailure(failed.reason, `MCP server "${server}" could not change over`);
      return { server, result: 'failed', detail: 'the server could not change over; its calls are refused' };
    }
    if (change.diff.restart !== 'required') return { server, result: 'told' };
    const probe = this.#verified;
    if (probe && probe.revision >= change.after.revision) return { server, result: probe.kind, detail: probe.detail };
    if (this.server.transport.kind !== 'stdio') {
      return { server, result: 'unverified', detail: 'a remote server keeps what it was told before' };
    }
    if (this.#enforcement === undefined) return { server, result: 'gone', detail: 'it does not run' };
    return { server, result: 'unverified', detail: 'nothing looked from inside its sandbox' };
  }

  /** What the server's process does by itself is of the change that it carries out, if there is one, else of what the session works on. */
  #own<Result>(act: () => Result): Result {
    return this.#carrying === undefined ? this.work(act) : underTrace(this.#carrying, act);
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

  #watchExpiry(): void {
    clearTimeout(this.#expiry);
    const { now, book, onFailure } = this.#ground.services;
    const next = this.#view.nextExpiry();
    if (next === undefined || this.#ended) return;
    this.#expiry = setTimeout(
      () =>
        underOwnTrace(() => book.expire(this.fingerprint)).then(
          () => this.#watchExpiry(),
          (error: unknown) => onFailure(error, 'an expired grant could not be removed'),
        ),
      Math.min(MAX_TIMER_MS, Math.max(0, next - now())),
    ).unref();
  }
}
