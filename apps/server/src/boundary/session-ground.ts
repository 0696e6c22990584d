import type { Boundary, Circumstances, PolicySet } from '@reeve/policy';
import type { BoundaryAccess, SessionId } from '@reeve/protocol';
import type { Audit, AuditFact } from '../audit/audit-fact.ts';
import type { TraceId } from '../audit/trace-id.ts';
import type { Enter } from '../audit/trace-scope.ts';
import type { RequestBroker } from '../requests/request-broker.ts';
import type { DecidedCase, DecidedCases } from './decided-cases.ts';
import type { DecisionBook, DecisionPlace } from './decision-book.ts';
import type { RootExaminer } from './root-facts.ts';
import type { ServerPackages } from './server-packages.ts';
import type { BoundaryNotice } from './session-guard.ts';

/** A server asks for, or is asked to touch, what it was not given. */
export interface BoundaryAlarm {
  readonly at: number;
  readonly session: SessionId | undefined;
  readonly server: { readonly name: string; readonly fingerprint: string };
  readonly path: string;
  readonly access: BoundaryAccess;
  readonly by: 'server' | 'agent';
  readonly tool?: string;
  /** In which the call was made. */
  readonly trace?: TraceId | undefined;
  /** How many it stands for: itself, and those of the same server that came before it and were not told. */
  readonly count: number;
}

export interface BoundaryLimits {
  readonly maxRoots: number;
  /** Entries of a root that are looked at for hard links. */
  readonly maxLinkScan: number;
  /** Roots of one session that the operating system watches; the others are looked at before each answer. */
  readonly maxWatchedRoots: number;
  /** Requests of one session that wait for a person. */
  readonly maxPendingRequests: number;
  /** How often the roots of a running session are looked at without being asked. */
  readonly rootCheckMs: number;
}

/** What everything that guards a session stands on. */
export interface GuardServices {
  readonly book: DecisionBook;
  /** Those that the audit log has. */
  readonly cases: DecidedCases;
  readonly broker: RequestBroker;
  readonly audit: Audit;
  readonly limits: BoundaryLimits;
  readonly policies: () => PolicySet;
  readonly searchPath: string;
  /** Undefined where no server is started. */
  readonly packages: ServerPackages | undefined;
  readonly calls: { readonly narrowed: 'finish' | 'cancel' | 'ask'; readonly widened: 'finish' | 'cancel' | 'ask' };
  readonly labelOf: ((path: string) => string | undefined) | undefined;
  readonly onAlarm: (alarm: BoundaryAlarm) => void;
  readonly onFailure: (error: unknown, what: string) => void;
  readonly now: () => number;
}

/** What the guard of one server knows of its session. */
export interface SessionGround {
  readonly services: GuardServices;
  readonly examiner: RootExaminer;
  /** Undefined until the agent has opened it. */
  readonly session: SessionId | undefined;
  /** Canonical. */
  readonly cwd: string;
  readonly agent: string;
  /** Servers that Reeve starts are confined by the operating system. */
  readonly confined: boolean;
  boundary(): Boundary;
  /** Paths of roots, and of what people granted, that are not what was approved any more. */
  lost(): ReadonlySet<string>;
  place(): DecisionPlace;
  /** The same object as long as it would say the same. */
  circumstances(): Circumstances;
  /** Looks at what these paths are, where nobody has yet. */
  look(paths: readonly string[]): Promise<void>;
  /** Looks again at what every root is. */
  checkRoots(): Promise<void>;
  /** The scope of a server changed though the boundary did not: that is a revision too. */
  revise(): void;
  notice(notice: BoundaryNotice): void;
  /** Policies decided something of this session that takes effect: recorded, once for each case. */
  decided(what: DecidedCase): void;
  /** Does what the agent or a server causes; see SessionGuard.follow. */
  readonly work: Enter;
  /** What the audit log is told under the name of the session: at once, or as soon as it has one. Durable once resolved where it has. */
  record(fact: (session: SessionId) => AuditFact): Promise<void>;
  /** The same, where nobody waits for it. */
  note(fact: (session: SessionId) => AuditFact): void;
}
