import type { BoundaryAccess, BoundaryNetwork, BoundaryRequire, BoundaryRoot } from '../boundary.ts';
import type { RequestId, SessionId } from '../ids.ts';
import type { ReviewScope } from '../review.ts';

/*
 * Of the control API (`/v1`), as JSON. Times are milliseconds since the epoch. Readers keep members that they do not know.
 */

/** A workspace of the configuration. `GET /v1/workspaces` gives `{workspaces}`. */
export interface WorkspaceInfo {
  readonly name: string;
  /** In order: the first is where work happens. */
  readonly roots: readonly BoundaryRoot[];
  readonly network?: BoundaryNetwork;
  readonly require?: BoundaryRequire;
  /** Names of the MCP servers that it brings. */
  readonly mcpServers: readonly string[];
}

/** How one root stands with one MCP server. */
export interface RootStandingInfo {
  readonly root: BoundaryRoot;
  /** `lost`: it is not what was approved any more. */
  readonly state: 'granted' | 'undecided' | 'denied' | 'lost';
  /** What the server may use it for. */
  readonly access: BoundaryAccess | 'none';
  readonly risks: readonly string[];
  readonly highRisk: boolean;
  readonly inProject: boolean;
  /** Ids of the policies that decided. */
  readonly policies: readonly string[];
  /** The grant that it rests on. */
  readonly grant?: string;
  /** All of it that the server has, or would have, where its command line names no more. Canonical; missing where that is the whole root. */
  readonly only?: readonly string[];
  /** Why no approval can give it to a server, and what to do instead. */
  readonly why?: string;
}

/** What a root is, whoever has it. */
export interface RootRisk {
  readonly path: string;
  readonly risks: readonly string[];
  readonly highRisk: boolean;
}

/** `GET /v1/sessions/{id}/boundary`. */
export interface BoundaryInfo {
  readonly sessionId: SessionId;
  readonly revision: number;
  /** In order. */
  readonly roots: readonly BoundaryRoot[];
  /** Paths of those that are not what was approved any more; absent where there are none. */
  readonly lost?: readonly string[];
  readonly network?: BoundaryNetwork;
  readonly require?: BoundaryRequire;
  /** The session has a process, or waits for one: changes are carried out at once. */
  readonly live: boolean;
  /** Of the roots, in order; nothing of one that is gone. Servers of before do not tell. */
  readonly risks?: readonly RootRisk[];
  /** By name of the server; none while the session is not live. */
  readonly servers: readonly { readonly name: string; readonly roots: readonly RootStandingInfo[] }[];
}

/** The body of `PUT /v1/sessions/{id}/boundary`. What is left out stays. */
export interface NewBoundary {
  readonly roots?: readonly BoundaryRoot[] | undefined;
  readonly network?: BoundaryNetwork | undefined;
  readonly require?: BoundaryRequire | undefined;
  /** Refuses the change (`conflict`) where another was faster. */
  readonly expectedRevision?: number | undefined;
}

/** What became of a change at one server. `gone`: found out from inside its sandbox; `unverified`: that could not be found out. */
export interface ServerOutcomeInfo {
  readonly server: string;
  readonly result: 'unaffected' | 'told' | 'gone' | 'unverified' | 'failed';
  readonly detail?: string;
}

/** What a change of a boundary, a grant or a revocation gives. It is in force; `servers` says where it is carried out. */
export interface ChangedBoundary {
  readonly kind: 'changed' | 'unchanged';
  readonly revision: number;
  readonly roots: readonly BoundaryRoot[];
  readonly network?: BoundaryNetwork;
  readonly servers: readonly ServerOutcomeInfo[];
}

/** A root that is to be given, or asked for: the body of `POST /v1/sessions/{id}/roots/request`, and of `POST /v1/grants`. */
export interface RootWish {
  /**
   * Name of the server in the session. Where it is left out: all of them, when it is asked for; the session itself, when it is given:
   * then policies say which of its servers get it.
   */
  readonly server?: string | undefined;
  readonly path: string;
  readonly access: BoundaryAccess;
  /** `session` where it is left out. */
  readonly scope?: ReviewScope | undefined;
  readonly expiresAt?: number | undefined;
}

/** The body of `POST /v1/grants`. */
export interface NewGrant extends RootWish {
  readonly session: string;
}

/** What asking for a root gives: the requests that a person must answer, or that nobody has to be asked. */
export interface RequestedRootInfo {
  /** Names of the servers that have it already, or were given it at once. */
  readonly granted: readonly string[];
  readonly requests: readonly { readonly server: string; readonly request: RequestId }[];
}

/** What a person decided about one root and one server. `GET /v1/grants` gives `{grants}`. */
export interface GrantInfo {
  readonly id: string;
  readonly decision: 'allow' | 'deny';
  /** Fingerprint. */
  readonly server: string;
  readonly serverName: string;
  readonly path: string;
  readonly access: BoundaryAccess;
  readonly scope: ReviewScope;
  /** Where it is for one session alone. */
  readonly session?: string;
  /** Directory of the project that it is for. */
  readonly project?: string;
  readonly by: string;
  readonly at: number;
  readonly expiresAt?: number;
}

/** `GET /v1/sessions/{id}/roots/check`: what a path may be used for. */
export interface PathCheckInfo {
  /** As it was asked about. */
  readonly path: string;
  /** Where it leads, links followed; of what is not there, as far as it is. Missing where it cannot be told. */
  readonly canonical?: string;
  /** What the agent may use it for. */
  readonly agent: BoundaryAccess | 'none';
  /** The root around it. */
  readonly root?: BoundaryRoot;
  /** The root around it is not what was approved any more: nobody may use it until somebody names it anew. */
  readonly lost?: true;
  /** Where it lies outside: the directory that would have to be a root. */
  readonly needed?: string;
  /** What decides which programs run, such as `.git/hooks`: nobody in a session writes there, whatever its root says. */
  readonly protected?: string;
  readonly servers: readonly {
    readonly server: string;
    readonly access: BoundaryAccess | 'none';
    /** `outside`: in no root of the session, or in a part of one that the server has nothing of. */
    readonly state: RootStandingInfo['state'] | 'outside';
    /** Why no approval can give it to the server, and what to do instead. */
    readonly why?: string;
  }[];
  /** Why it may not be used, or for less than writing. */
  readonly reason?: string;
  /** What to do about it. */
  readonly next?: string;
}
