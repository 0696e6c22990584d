import type { PolicyFile, PolicyProblem, PolicySet } from '@reeve/policy';
import type { BoundaryAccess, SessionId } from '@reeve/protocol';
import type { Audit } from '../audit/audit-fact.ts';
import type { RequestBroker } from '../requests/request-broker.ts';
import type { DecisionFilter, Grant, GrantStore, ServerApproval } from './grant-store.ts';
import type { Actor, GuardedSessionOptions, SessionGuard } from './session-guard.ts';

/** A server asks for, or is asked to touch, what it was not given. */
export interface BoundaryAlarm {
  readonly at: number;
  readonly session: SessionId | undefined;
  readonly server: { readonly name: string; readonly fingerprint: string };
  readonly path: string;
  readonly access: BoundaryAccess;
  readonly by: 'server' | 'agent';
  readonly tool?: string;
}

export interface BoundaryLimits {
  readonly maxRoots: number;
  /** Entries of a root that are looked at for hard links. */
  readonly maxLinkScan: number;
  /** Roots of one session that the operating system watches; the others are looked at before each answer. */
  readonly maxWatchedRoots: number;
  /** How often the roots of a running session are looked at without being asked. */
  readonly rootCheckMs: number;
}

export interface BoundariesOptions {
  readonly store: GrantStore;
  readonly broker: RequestBroker;
  readonly audit: Audit;
  /** The shipped policy where there are none. */
  readonly policies: readonly PolicyFile[];
  readonly limits: BoundaryLimits;
  /** Of the user that the server runs for. */
  readonly home: string | undefined;
  /** Where Reeve keeps its database, keys and tokens. */
  readonly dataDir: string;
  /** Where the commands of servers are looked up, as `PATH` has it. */
  readonly searchPath: string;
  /** What becomes of calls that began before a change. `cancel` when something was taken and `finish` otherwise, unless told. */
  readonly calls?: { readonly narrowed: 'finish' | 'cancel' | 'ask'; readonly widened: 'finish' | 'cancel' | 'ask' };
  /** Where alarms go besides the audit log and the session. Never throws. */
  readonly onAlarm: (alarm: BoundaryAlarm) => void;
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

  readonly policies: PolicySet;
  /** Other policies, from now on also for what runs. Resolves when that is carried out. */
  loadPolicies(files: readonly PolicyFile[], by: Actor): Promise<PolicyLoad>;
}
