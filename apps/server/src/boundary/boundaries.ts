import { realpath } from 'node:fs/promises';
import { DEFAULT_POLICY, type Decision, openPolicies, type PolicyFacts, type PolicySet } from '@reeve/policy';
import type { PolicyFile, PolicyProblem, SessionId } from '@reeve/protocol';
import type { Audit, AuditFact } from '../audit/audit-fact.ts';
import type { RequestBroker } from '../requests/request-broker.ts';
import { DecidedCases } from './decided-cases.ts';
import { DecisionBook, factOf } from './decision-book.ts';
import type { DecisionFilter, Grant, GrantStore, ServerApproval } from './grant-store.ts';
import { GuardedSession, type GuardedSessionNeeds } from './guarded-session.ts';
import { findMachinePlaces } from './machine-places.ts';
import type { ServerPackages } from './server-packages.ts';
import type { BoundaryAlarm, BoundaryLimits, GuardServices } from './session-ground.ts';
import type { Actor, GuardedSessionOptions, SessionGuard } from './session-guard.ts';

export interface BoundariesOptions {
  readonly store: GrantStore;
  readonly broker: RequestBroker;
  readonly audit: Audit;
  /** Checked at once. The shipped policy where there are none: that is known to hold, and waits until `policies()` is asked or a session opened. */
  readonly policies: readonly PolicyFile[];
  /** Decisions of policies that are remembered. */
  readonly maxRemembered?: number;
  readonly limits: BoundaryLimits;
  /** Of the user that the server runs for. */
  readonly home: string | undefined;
  /** Where Reeve keeps its database, keys and tokens. */
  readonly dataDir: string;
  /** Where the commands of servers are looked up, as `PATH` has it. */
  readonly searchPath: string;
  /** What becomes of calls that began before a change (`policy.callsAfterChange`). `cancel` when something was taken and `finish` otherwise, unless told. */
  readonly calls?: { readonly narrowed: 'finish' | 'cancel' | 'ask'; readonly widened: 'finish' | 'cancel' | 'ask' };
  /** The label of a path in audit records, for policies that speak of one root. */
  readonly labelOf?: (path: string) => string | undefined;
  /** Where alarms go besides the audit log and the session. Never throws. */
  readonly onAlarm: (alarm: BoundaryAlarm) => void;
  /** What the commands of servers fetch. Nothing is known of that without. */
  readonly packages?: ServerPackages;
  /** Something failed that nobody waits for. */
  readonly onFailure: (error: unknown, what: string) => void;
  readonly now?: () => number;
}

export type PolicyLoad =
  | { readonly kind: 'loaded'; readonly hash: string; readonly warnings: readonly PolicyProblem[] }
  /** The policies of before stay in force. */
  | { readonly kind: 'invalid'; readonly problems: readonly PolicyProblem[] };

/** The boundaries of all sessions, what people granted, and the policies in force. */
export interface Boundaries extends AsyncDisposable {
  /** Whoever opens a guard disposes of it. Rejects only where the store fails. */
  open(session: GuardedSessionOptions): Promise<SessionGuard>;
  find(session: SessionId): SessionGuard | undefined;
  sessions(): readonly SessionGuard[];

  grants(filter: DecisionFilter): Promise<readonly Grant[]>;
  approvals(filter: DecisionFilter): Promise<readonly ServerApproval[]>;
  /** Takes one grant back wherever it counts; resolves when that is carried out. False when there is none. */
  revokeGrant(id: string, by: Actor): Promise<boolean>;
  /** A server is known no more, and what it was granted is gone with it; sessions that run it stop it. Gives the number of decisions. */
  forgetServer(fingerprint: string, by: Actor): Promise<number>;
  /** The session is gone for good. */
  forgetSession(session: SessionId): Promise<void>;

  /** Those in force. */
  policies(): Promise<PolicySet>;
  /** What they say of a case that no guard decides; recorded as one. */
  decide(facts: PolicyFacts, session: string | undefined): Promise<Decision>;
  /** Other policies, from now on also for what runs. Resolves when that is carried out. */
  loadPolicies(files: readonly PolicyFile[], by: Actor): Promise<PolicyLoad>;
}

/** Policies that cannot be used: the server does not start with them. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
  /** For those who start the server. */
  readonly code = 'policies_invalid';
  readonly problems: readonly PolicyProblem[];

  constructor(problems: readonly PolicyProblem[]) {
    const told = problems.map(
      ({ file, line, column, message, next }) => `  ${file}:${line}:${column}: ${message}. ${next}`,
    );
    super(`the policies cannot be used:\n${told.join('\n')}`);
    this.problems = problems;
  }
}

/** Opens the policies and makes ready to guard sessions. Rejects with PolicyError. The store must outlive it. */
export async function createBoundaries(options: BoundariesOptions): Promise<Boundaries> {
  const { store, broker, audit, limits, searchPath, labelOf, onAlarm, onFailure, packages, now = Date.now } = options;
  const { calls = { narrowed: 'cancel', widened: 'finish' } } = options;
  const remember = options.maxRemembered === undefined ? {} : { maxRemembered: options.maxRemembered };
  let opening: Promise<PolicySet> | undefined;
  let inForce: PolicySet | undefined;
  const putInForce = (set: PolicySet, by: string): PolicySet => {
    inForce = set;
    audit.note({ kind: 'policy.loaded', by, policyHash: set.hash, policies: set.policies.map(({ id }) => id) });
    return set;
  };
  const openFirst = async (): Promise<PolicySet> => {
    const opened = await openPolicies(filesOf(options.policies), remember);
    if (opened.kind === 'invalid') throw new PolicyError(opened.problems);
    return putInForce(opened.set, 'reeve');
  };
  const policies = async (): Promise<PolicySet> => {
    opening ??= openFirst();
    const first = await opening;
    return inForce ?? first;
  };
  // Before anything is listened to for what an operator wrote, which may be wrong; else a start is spared what Cedar takes.
  if (options.policies.length > 0) await policies();
  const [places, dataDir] = await Promise.all([
    findMachinePlaces(options.home),
    realpath(options.dataDir).catch(() => options.dataDir),
  ]);
  const book = new DecisionBook({ store, audit, now });
  const cases = new DecidedCases(options.maxRemembered);
  const open = new Set<GuardedSession>();
  const bySession = new Map<SessionId, GuardedSession>();
  const services: GuardServices = {
    ...{ book, cases, broker, audit, limits, searchPath, packages, labelOf, calls, onAlarm, onFailure, now },
    policies() {
      if (inForce === undefined) throw new Error('something is decided outside of a session');
      return inForce;
    },
  };
  const needs: GuardedSessionNeeds = {
    services,
    places,
    dataDir,
    onBound: (guard) => {
      if (guard.session !== undefined) bySession.set(guard.session, guard);
    },
    onEnded: (guard) => {
      open.delete(guard);
      if (guard.session !== undefined && bySession.get(guard.session) === guard) bySession.delete(guard.session);
    },
  };
  return {
    async open(session) {
      await policies();
      const guard = await GuardedSession.open(session, needs);
      open.add(guard);
      needs.onBound(guard);
      return guard;
    },
    find: (session) => bySession.get(session),
    sessions: () => [...open],
    grants: (filter) => store.grants(filter),
    approvals: (filter) => store.approvals(filter),
    async revokeGrant(id, by) {
      const { removed, carried } = await book.removeGrants([id]);
      for (const grant of removed) audit.note(revokedFact(grant, by));
      await carried;
      return removed.length > 0;
    },
    async forgetServer(fingerprint, by) {
      // First: who runs it asks anew as soon as nothing is decided.
      await options.packages?.forget(fingerprint);
      const { decisions, carried } = await book.forget(fingerprint);
      if (decisions > 0) audit.note({ kind: 'mcp.forgotten', by: by.label, fingerprint, decisions });
      await carried;
      return decisions;
    },
    forgetSession: (session) => book.forgetSession(session),
    policies,
    async decide(facts, session) {
      const decision = (await policies()).decide(facts, 0);
      const news = cases.news({ facts, decision }, session ?? '');
      if (news) await audit.record(news(session));
      return decision;
    },
    async loadPolicies(files, by) {
      const next = await openPolicies(filesOf(files), remember);
      if (next.kind === 'invalid') return { kind: 'invalid', problems: next.problems };
      const before = await policies();
      putInForce(next.set, by.label);
      await Promise.all([...open].map((guard) => guard.refresh()));
      before[Symbol.dispose]();
      return { kind: 'loaded', hash: next.set.hash, warnings: next.warnings };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...open].map((guard) => guard[Symbol.asyncDispose]()));
      await opening?.catch(() => {});
      inForce?.[Symbol.dispose]();
    },
  };
}

function filesOf(files: readonly PolicyFile[]): readonly PolicyFile[] {
  return files.length > 0 ? files : [{ name: 'default.cedar', text: DEFAULT_POLICY }];
}

function revokedFact(grant: Grant, by: Actor): AuditFact {
  const { scope, root, access } = grant;
  return {
    kind: 'grant.revoked',
    server: factOf(grant),
    roots: [{ path: root.path, access }],
    by: by.label,
    scope: scope.kind,
    ...(scope.kind === 'session' ? { session: scope.session } : {}),
  };
}
