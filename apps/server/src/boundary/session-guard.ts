import type { BoundaryDiff, BoundaryPart, UserFacts } from '@reeve/policy';
import type {
  BoundaryAccess,
  BoundaryRoot,
  BoundaryWish,
  ReviewParams,
  ReviewResult,
  ReviewScope,
  SessionBoundary,
  SessionId,
  SetupIssue,
} from '@reeve/protocol';
import type { ApprovedPlace } from '@reeve/sandbox';
import type { Enter } from '../audit/trace-scope.ts';
import type { DeclaredServer } from './declared-server.ts';
import type { Foresight } from './foreseen.ts';
import type { RootIdentity, RootLoss } from './root-identity.ts';
import type { RootStanding } from './root-standing.ts';
import type { ServerGuard } from './server-guard.ts';

/** What a person decides about a server. A yes keeps what it leaves out as it was; `expiresAt` of `null` ends the time that it had. */
export interface ServerWish extends Omit<ReviewResult, 'expiresAt'> {
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number | null;
}

export type ServerDecided = { readonly kind: 'decided' } | Extract<ChangeResult, { kind: 'refused' }>;

/** Who changes or decides something. */
export interface Actor {
  /** As people know them: a client with its version, `http-api`, `reeve`. */
  readonly label: string;
  readonly administrator: boolean;
}

/** A session that is to be guarded. */
export interface GuardedSessionOptions {
  /** Known already where a session is restored; a new one is named later by `bind`. */
  readonly session?: SessionId;
  /** Name of the agent in the registry. */
  readonly agent: string;
  readonly place: {
    /** Canonical, as `resolveBoundary` leaves it. */
    readonly boundary: SessionBoundary;
    /** Canonical. */
    readonly cwd: string;
    /** What `identities` of an earlier guard of this session said, so that a root that was swapped meanwhile is noticed. */
    readonly identities?: readonly RootIdentity[];
  };
  /** The operating system holds the agent to the boundary. */
  readonly enforced: boolean;
  /** Servers that Reeve starts are confined by the operating system. */
  readonly confined: boolean;
  /** For whom the session works; nobody's rights are assumed without it. */
  readonly user?: UserFacts;
  /** What the session's clients are to be told: written to its event log. Never throws. */
  readonly onNotice?: (notice: BoundaryNotice) => void;
}

/** What happened to the boundary of a session, for its event log. Paths stand in it: the log is the session's own. */
export type BoundaryNotice =
  | { readonly kind: 'boundary_changed'; readonly by: string; readonly boundary: SessionBoundary }
  | { readonly kind: 'root_lost'; readonly path: string; readonly how: RootLoss }
  | { readonly kind: 'root_back'; readonly path: string }
  /** Of what the process of this server cannot write in its read-write roots. */
  | { readonly kind: 'protection_lost'; readonly server: string; readonly path: string; readonly how: RootLoss }
  | {
      readonly kind: 'root_exposed';
      readonly server: string;
      readonly revision: number;
      readonly roots: readonly BoundaryRoot[];
    }
  | {
      readonly kind: 'alarm';
      readonly server: string;
      readonly by: 'server' | 'agent';
      readonly path: string;
      readonly access: BoundaryAccess;
      readonly tool?: string;
      /** How many of this server it stands for; the ones before were not told. */
      readonly count: number;
    };

export interface BoundaryChange {
  readonly before: SessionBoundary;
  readonly after: SessionBoundary;
  readonly diff: BoundaryDiff;
  readonly by: string;
}

/** What became of a change at one server. */
export interface ServerOutcome {
  readonly server: string;
  /** `gone`: found out from inside its sandbox. `unverified`: the server has changed over, but that could not be found out. */
  readonly result: 'unaffected' | 'told' | 'gone' | 'unverified' | 'failed';
  readonly detail?: string;
}

export type ChangeResult =
  /** `servers`: all that were running; the change is carried out where `result` is not `failed`. */
  | {
      readonly kind: 'changed' | 'unchanged';
      readonly boundary: SessionBoundary;
      readonly servers: readonly ServerOutcome[];
    }
  | { readonly kind: 'invalid'; readonly issues: readonly SetupIssue[] }
  /** Somebody changed it meanwhile. */
  | { readonly kind: 'conflict'; readonly revision: number }
  /** `next`: what to do instead. */
  | { readonly kind: 'refused'; readonly reason: string; readonly next: string };

/** A root that a person gives one server of a session, or asks for. */
export interface GrantWish {
  /** Name of the server in the session. */
  readonly server: string;
  /** A directory or file; one that is outside the boundary of the session is added to it. */
  readonly path: string;
  readonly access: BoundaryAccess;
  /** `session` without it. */
  readonly scope?: ReviewScope;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number;
}

/**
 * The boundary of one running session: its revisions, and the guards of its MCP servers. A change is in force at once, before anybody
 * has carried it out; the promise of a change resolves when every server and listener has.
 */
export interface SessionGuard extends AsyncDisposable {
  readonly session: SessionId | undefined;
  /** The session is open: reviews that waited for that are asked now. Once. */
  bind(session: SessionId): void;
  /** What the agent and its servers cause is told in the trace of what the session works on; until this is called in that of its opening. */
  follow(work: Enter): void;
  boundary(): SessionBoundary;
  /** Paths of roots that are not what was approved any more. */
  lost(): ReadonlySet<string>;
  /** What each root was when it was approved, to be kept with the session. */
  identities(): readonly RootIdentity[];
  /** The same by path, as a process that is about to start must find them. */
  approved(): ReadonlyMap<string, ApprovedPlace>;
  /** Looks again at what each of them is. Never rejects. */
  checkRoots(): Promise<void>;
  /** The guard of a server, the same for the same name; throws ReeveError `conflict` for another server of that name. */
  guardOf(server: DeclaredServer): Promise<ServerGuard>;
  servers(): readonly ServerGuard[];
  /** How the roots stand with a server of this name. */
  standing(server: string): readonly RootStanding[];
  /** How people are shown the server of this name; undefined where there is none. */
  about(server: string): Pick<ReviewParams, 'server' | 'tools'> | undefined;
  /** What each root is, in order. */
  risks(): Promise<Foresight['roots']>;
  /** What would come of a start of its servers now. Starts nothing, asks nobody, records nothing. */
  foresee(): Promise<Foresight>;

  /** Another boundary. What `wish` leaves out stays. @param expectedRevision refuses the change where another was faster */
  set(wish: BoundaryWish, by: Actor, expectedRevision?: number): Promise<ChangeResult>;
  narrow(to: BoundaryPart, by: Actor): Promise<ChangeResult>;
  widen(by: BoundaryPart, who: Actor): Promise<ChangeResult>;
  /** Takes a root away: from the session, or from one server alone. */
  revoke(path: string, by: Actor, server?: string): Promise<ChangeResult>;
  /** Gives at once what policies let this person give. */
  grant(wish: GrantWish, by: Actor): Promise<ChangeResult>;
  /** A person decides about a server of this name though nobody asks; see decideServer. */
  decideServer(name: string, wish: ServerWish, by: Actor): Promise<ServerDecided>;
  /** Asks for a root: resolves when the request stands, not when it is answered. */
  request(wish: GrantWish, by: Actor): Promise<RequestedRoot>;

  /**
   * `listener` carries out changes for somebody else than a server: the agent. See ServerGuard.watch. It hears of each revision, also of one
   * with the same roots (`direction` is `same`), when a server was given or lost some of them. What it does before it waits for anything
   * comes before whatever is recorded under the new revision: a write that it queues then keeps the number from being used twice.
   */
  watch(listener: (change: BoundaryChange) => Promise<void>): Disposable;
}

export type RequestedRoot =
  | { readonly kind: 'asked'; readonly request: string }
  | { readonly kind: 'granted' }
  | { readonly kind: 'invalid'; readonly issues: readonly SetupIssue[] }
  | { readonly kind: 'refused'; readonly reason: string; readonly next: string };
