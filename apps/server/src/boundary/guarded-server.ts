import {
  type Decision,
  DISTINCT_NAMES,
  diffBoundary,
  indexRoots,
  type ServerFacts,
  type StartServerFacts,
  serverRoots,
} from '@reeve/policy';
import type { BoundaryNetwork, BoundaryRoot, SessionId } from '@reeve/protocol';
import type { Enforcement } from '@reeve/sandbox';
import type { ServerFact } from '../audit/governance-fact.ts';
import { AlarmStorm } from './alarm-storm.ts';
import { CallReviews } from './call-reviews.ts';
import { commandLineRoots } from './command-line-roots.ts';
import { countingAt, type Decisions } from './decision-book.ts';
import type { DeclaredServer } from './declared-server.ts';
import { reviewServer, reviewTools, serverFact } from './describe-server.ts';
import type { Grant, ServerApproval } from './grant-store.ts';
import { fingerprintOf } from './server-fingerprint.ts';
import type {
  Admission,
  CallApproval,
  CallDecision,
  CallSummary,
  RecordedCall,
  ScopeChange,
  ServerClaims,
  ServerGuard,
  ServerScope,
} from './server-guard.ts';
import { type OpenReview, type ReviewSubject, ServerReviews } from './server-reviews.ts';
import type { SessionGround } from './session-ground.ts';
import type { ServerOutcome } from './session-guard.ts';
import { type Standing, standRoots } from './stand-roots.ts';

interface Found {
  readonly fingerprint: string;
  readonly commandLine: readonly BoundaryRoot[] | undefined;
  readonly decisions: Decisions;
  /** Another fingerprint was approved under this name. */
  readonly changed: boolean;
}

interface Declared {
  readonly server: DeclaredServer;
  readonly found: Found;
}

type AlarmCause = Parameters<ServerGuard['alarm']>[0];

/** Longest wait of a timer; what expires later is looked at again then. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The guard of one MCP server of one session; see ServerGuard. */
export class GuardedServer implements ServerGuard, Disposable {
  readonly server: DeclaredServer;
  readonly #ground: SessionGround;
  readonly #reviews: ServerReviews;
  readonly #calls: CallReviews;
  readonly #listeners = new Set<(change: ScopeChange) => Promise<void>>();
  readonly #listening: Disposable;
  #found: Found;
  #claims: ServerClaims | undefined;
  #enforcement: Enforcement | undefined;
  /** What held its last process. */
  #confined: boolean | undefined;
  #standing: Standing;
  #scope: ServerScope;
  /** The roots of the last exposure that was recorded. */
  #exposed: string | undefined;
  #admitted = false;
  #verified: { readonly revision: number; readonly kind: 'gone' | 'unverified'; readonly detail: string } | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #outcome: Promise<ServerOutcome>;
  #ended = false;
  readonly #alarms = new AlarmStorm<AlarmCause>({ emit: (what, count) => this.#tellAlarm(what, count) });

  static async open(ground: SessionGround, server: DeclaredServer): Promise<GuardedServer> {
    return new GuardedServer(ground, { server, found: await find(ground, server) });
  }

  private constructor(ground: SessionGround, { server, found }: Declared) {
    this.server = server;
    this.#ground = ground;
    this.#found = found;
    this.#reviews = new ServerReviews(ground, () => this.subject());
    this.#calls = new CallReviews(ground, () => this.subject());
    this.#standing = this.#stand(this.facts);
    this.#scope = this.#scopeOf(this.#standing);
    this.#outcome = Promise.resolve({ server: server.name, result: 'unaffected' });
    this.#listening = ground.services.book.listen({
      get fingerprint() {
        return guard.#found.fingerprint;
      },
      decisionsChanged: () => this.#decisionsChanged(),
    });
    const guard = this;
    this.#watchExpiry();
  }

  get fingerprint(): string {
    return this.#found.fingerprint;
  }

  get session(): SessionId | undefined {
    return this.#ground.session;
  }

  get standing(): Standing {
    return this.#standing;
  }

  /** What became of the last change of its scope. */
  get outcome(): Promise<ServerOutcome> {
    return this.#outcome;
  }

  /** Paths that people decided about, as far as that counts in this session. */
  grantedPaths(): readonly string[] {
    return this.#counting(this.#found.decisions.grants.values()).map(({ root }) => root.path);
  }

  get fact(): ServerFact {
    return serverFact(this.server, this.fingerprint);
  }

  async admit(signal: AbortSignal): Promise<Admission> {
    signal.throwIfAborted();
    await this.#identify();
    let asked: OpenReview | undefined;
    for (;;) {
      signal.throwIfAborted();
      if (this.#ended) return refused('The session has ended.', 'Begin a new session.');
      const denial = this.#approvals().find((approval) => approval.decision === 'deny');
      if (denial && !this.#approval()) return this.#refuse(denied(denial.by), 'user', denial.by);
      const decision = this.#decideStart(this.facts);
      if (decision.outcome === 'allow') return this.#admit(decision, asked);
      if (decision.outcome === 'deny') {
        const policies = decision.policies.join(', ') || 'no policy permits it';
        const next = 'Whoever runs Reeve can change the policies.';
        return this.#refuse(refused(`Policies forbid this server: ${policies}.`, next), 'policy', undefined, decision);
      }
      if (asked?.state === 'denied')
        return this.#refuse(denied(asked.by ?? 'a person'), asked.approval, asked.by, decision);
      if (asked?.state === 'ended') return refused('Nobody decided about this server.', 'Start it again to ask again.');
      const known = this.#stand({ ...this.facts, known: true });
      asked = this.#reviews.askServer(decision.outcome === 'ask_admin' ? 'administrator' : 'user', known.undecided);
      if (asked.state !== 'ended') await this.#reviews.change(signal);
    }
  }

  scope(): ServerScope {
    return this.#scope;
  }

  async expose(initiator: 'reeve' | 'server', patience: AbortSignal): Promise<ServerScope> {
    await this.#ground.checkRoots();
    while (!this.#ended && !patience.aborted && this.#reviews.askRoots(this.#standing.undecided)) {
      await this.#reviews.change(patience);
    }
    const scope = this.#scope;
    await this.#recordExposure(initiator, scope);
    return scope;
  }

  described(what: ServerClaims): void {
    this.#claims = what;
  }

  decide(call: CallSummary, staleRoots: boolean): CallDecision {
    const { services } = this.#ground;
    const { outcome, policies, policyHash } = services.policies().decide(
      {
        ...this.#ground.circumstances(),
        kind: 'call_tool',
        server: this.facts,
        tool: { name: call.tool ?? call.method, ...call.claims },
        staleRoots,
      },
      this.#scope.revision,
    );
    return { outcome, policies, policyHash };
  }

  askCall(
    call: CallSummary,
    key: string,
    outcome: 'ask_user' | 'ask_admin',
    signal: AbortSignal,
  ): Promise<CallApproval> {
    return this.#calls.ask(call, key, outcome === 'ask_admin' ? 'administrator' : 'user', signal);
  }

  dropCall(key: string, reason: string): void {
    this.#calls.drop(key, reason);
  }

  began(call: CallSummary, decision: CallDecision): RecordedCall {
    const startRevision = this.#scope.revision;
    let ended = false;
    return {
      end: (outcome) => {
        if (ended) return;
        ended = true;
        const { outcome: decided, policies, policyHash } = decision;
        const { method, tool } = call;
        const endRevision = this.#scope.revision;
        this.#ground.note((session) => ({
          kind: 'mcp.called',
          session,
          server: this.fact,
          agent: this.#ground.agent,
          method,
          ...(tool === undefined ? {} : { tool }),
          decision: decided,
          policies,
          policyHash,
          outcome,
          startRevision,
          endRevision,
          paths: call.paths.map((path) => ({ path })),
        }));
      },
    };
  }

  alarm(what: AlarmCause): void {
    this.#alarms.raise(what);
  }

  held(enforcement: Enforcement | undefined): void {
    this.#enforcement = enforcement;
    const told = { server: this.fact, ...(enforcement === undefined ? {} : { enforcement }) };
    this.#ground.note((session) => ({ kind: 'mcp.confined', session, ...told }));
    if (enforcement === undefined) return;
    this.#confined = enforcement.fs === 'enforced';
    void this.refresh();
  }

  verified(revision: number, probe: { readonly kind: 'gone' | 'unverified'; readonly detail: string }): void {
    this.#verified = { revision, ...probe };
    const told = { server: this.fact, revision, result: probe.kind };
    this.#ground.note((session) => ({ kind: 'boundary.verified', session, ...told }));
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
    this.#standing = this.#stand(this.facts);
    const next = this.#scopeOf(this.#standing);
    const diff = diffBoundary(before, next);
    const withdrawn = this.#withdrawal();
    const told = diff.listChanged || diff.network !== 'same' || withdrawn !== undefined;
    if (told && !revised) this.#ground.revise();
    this.#scope = { ...next, revision: this.#ground.boundary().revision };
    this.#reviews.touch();
    this.#watchExpiry();
    if (!told) return Promise.resolve({ server: this.server.name, result: 'unaffected' });
    const { calls } = this.#ground.services;
    const change: ScopeChange = {
      before,
      after: this.#scope,
      diff,
      calls: diff.restart === 'required' || withdrawn !== undefined ? calls.narrowed : calls.widened,
      ...(withdrawn === undefined ? {} : { withdrawn }),
    };
    this.#outcome = this.#carryOut(change);
    return this.#outcome;
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    this.#alarms[Symbol.dispose]();
    clearTimeout(this.#expiry);
    this.#listening[Symbol.dispose]();
    this.#reviews.touch();
  }

  #tellAlarm({ path, access, by, tool }: AlarmCause, count: number): void {
    const { session, services } = this.#ground;
    const named = tool === undefined ? {} : { tool };
    const { name } = this.server;
    const { revision } = this.#scope;
    const told = { server: this.fact, from: by, place: { path, access }, revision, count, ...named };
    this.#ground.note((known) => ({ kind: 'boundary.alarm', session: known, ...told }));
    this.#ground.notice({ kind: 'alarm', server: name, by, path, access, count, ...named });
    const server = { name, fingerprint: this.fingerprint };
    services.onAlarm({ at: services.now(), session, server, path, access, by, count, ...named });
  }

  async #carryOut(change: ScopeChange): Promise<ServerOutcome> {
    const server = this.server.name;
    const told = await Promise.allSettled([...this.#listeners].map((listener) => listener(change)));
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

  /** Why a server that was admitted may not run any more. */
  #withdrawal(): string | undefined {
    if (!this.#admitted) return undefined;
    const denial = !this.#approval() && this.#approvals().some(({ decision }) => decision === 'deny');
    if (!denial && this.#decideStart(this.facts).outcome === 'allow') return undefined;
    this.#admitted = false;
    return 'it may not run any more: policies, or what a person decided, changed';
  }

  async #identify(): Promise<void> {
    const { services, cwd } = this.#ground;
    const fingerprint = await fingerprintOf(this.server, { cwd, searchPath: services.searchPath });
    if (fingerprint === this.fingerprint) return;
    this.#found = await find(this.#ground, this.server);
    this.#claims = undefined;
    this.#confined = undefined;
    await this.refresh();
  }

  #admit(decision: Decision, asked: OpenReview | undefined): Admission {
    this.#admitted = true;
    const by = asked?.by ?? this.#approval()?.by;
    this.#recordAdmission('allow', asked?.approval ?? (by === undefined ? 'policy' : 'user'), by, decision);
    return { kind: 'admitted', trusted: this.facts.trusted };
  }

  #refuse(
    admission: Admission,
    approval: 'policy' | 'user' | 'administrator',
    by: string | undefined,
    decision = this.#decideStart(this.facts),
  ): Admission {
    this.#recordAdmission('deny', approval, by, decision);
    return admission;
  }

  #recordAdmission(
    decision: 'allow' | 'deny',
    approval: 'policy' | 'user' | 'administrator',
    by: string | undefined,
    { policies, policyHash }: Decision,
  ): void {
    const kind = decision === 'allow' ? 'mcp.admitted' : 'mcp.refused';
    const told = { server: this.fact, decision, approval, policies, policyHash, ...(by === undefined ? {} : { by }) };
    this.#ground.note((session) => ({ kind, session, ...told }));
  }

  async #recordExposure(initiator: 'reeve' | 'server', scope: ServerScope): Promise<void> {
    const { revision, roots, undecided } = scope;
    const exposed = JSON.stringify(roots);
    const again = exposed === this.#exposed;
    if (!again) this.#ground.notice({ kind: 'root_exposed', server: this.server.name, revision, roots });
    this.#exposed = exposed;
    const policyHash = this.#ground.services.policies().hash;
    const told = { server: this.fact, revision, initiator, roots: again ? [] : roots, again, undecided, policyHash };
    await this.#ground.record((session) => ({ kind: 'roots.exposed', session, ...told }));
  }

  #decideStart(server: ServerFacts): Decision {
    const facts: StartServerFacts = { ...this.#ground.circumstances(), kind: 'start_server', server };
    return this.#ground.services.policies().decide(facts, this.#ground.boundary().revision);
  }

  #stand(server: ServerFacts): Standing {
    const { services, examiner } = this.#ground;
    const policies = services.policies();
    const boundary = this.#ground.boundary();
    const named = services.labelOf !== undefined && policies.policies.some(({ text }) => text.includes('Root::'));
    return standRoots({
      boundary,
      lost: this.#ground.lost(),
      found: (path) => examiner.found(path),
      grants: this.#counting(this.#found.decisions.grants.values()),
      server,
      circumstances: this.#ground.circumstances(),
      decide: (facts) => policies.decide(facts, boundary.revision),
      labelOf: (path) => (named ? services.labelOf?.(path) : undefined) ?? 'root',
    });
  }

  #scopeOf({ grants, undecided }: Standing): ServerScope {
    const boundary = this.#ground.boundary();
    const lost = this.#ground.lost();
    const roots = boundary.roots.filter(({ path }) => !lost.has(path));
    const { commandLine } = this.#found;
    const now = this.#ground.services.now();
    const own = serverRoots({
      boundary: { ...boundary, roots },
      grants,
      ...(commandLine ? { commandLine } : {}),
      now,
    });
    const granted = indexRoots(own, DISTINCT_NAMES);
    const withheld = boundary.roots.map(({ path }) => path).filter((path) => granted.around(path) === undefined);
    return {
      revision: boundary.revision,
      roots: own,
      ...(withheld.length === 0 ? {} : { withheld }),
      network: this.#network(),
      undecided: undecided.length,
    };
  }

  #network(): BoundaryNetwork {
    return this.#approval()?.network ?? this.server.network ?? 'none';
  }

  get facts(): ServerFacts {
    const { name, origin, transport, trusted } = this.server;
    const local = transport.kind === 'stdio';
    const approval = this.#approval();
    return {
      name,
      fingerprint: this.fingerprint,
      transport: transport.kind,
      origin,
      local,
      sandboxed: local && (this.#confined ?? this.#ground.confined),
      known: origin === 'configuration' || approval !== undefined,
      trusted: trusted === true || approval?.trusted === true,
    };
  }

  subject(): ReviewSubject {
    const { sandboxed, trusted } = this.facts;
    const { fingerprint, changed } = this.#found;
    return {
      server: this.fact,
      shown: reviewServer(this.server, { fingerprint, sandboxed, changed }, this.#claims),
      tools: reviewTools(this.#claims, trusted),
    };
  }

  /** The newest decision of a person, if it is a yes. */
  #approval(): ServerApproval | undefined {
    const newest = this.#approvals().at(-1);
    return newest?.decision === 'allow' ? newest : undefined;
  }

  #approvals(): ServerApproval[] {
    return this.#counting(this.#found.decisions.approvals.values());
  }

  #counting<Decided extends Grant | ServerApproval>(decisions: Iterable<Decided>): Decided[] {
    return countingAt(decisions, this.#ground.place(), this.#ground.services.now());
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
    const { grants, approvals } = this.#found.decisions;
    const ends = [...grants.values(), ...approvals.values()].flatMap(({ expiresAt }) => expiresAt ?? []);
    if (ends.length === 0 || this.#ended) return;
    const wait = Math.min(MAX_TIMER_MS, Math.max(0, Math.min(...ends) - now()));
    this.#expiry = setTimeout(() => {
      book.expire(this.fingerprint).then(
        () => this.#watchExpiry(),
        (error: unknown) => onFailure(error, 'an expired grant could not be removed'),
      );
    }, wait).unref();
  }
}

async function find(ground: SessionGround, server: DeclaredServer): Promise<Found> {
  const { book, searchPath } = ground.services;
  const { cwd } = ground;
  const fingerprint = await fingerprintOf(server, { cwd, searchPath });
  const [commandLine, decisions, changed] = await Promise.all([
    commandLineRoots(server.transport, cwd),
    book.of(fingerprint),
    book.approvedOtherwise(server.name, fingerprint),
  ]);
  return { fingerprint, commandLine, decisions, changed };
}

function refused(reason: string, next: string): Admission {
  return { kind: 'refused', reason, next };
}

function denied(by: string): Admission {
  return refused(
    `It was denied by ${by}.`,
    'Ask whoever answers for this session to approve it: reeve servers approve.',
  );
}
