import type { BoundaryAccess, BoundaryNetwork, ReviewScope, SessionId } from '@reeve/protocol';
import type { RootIdentity } from './root-identity.ts';

/** How far a decision of a person reaches. `project`: canonical path of its directory. */
export type DecisionScope =
  | { readonly kind: 'session'; readonly session: SessionId }
  | { readonly kind: 'project'; readonly project: string }
  | { readonly kind: 'always' };

/** What every decision says, whatever it is about. */
export interface Decided {
  readonly id: string;
  readonly decision: 'allow' | 'deny';
  readonly scope: DecisionScope;
  /** Who decided, as people know them. */
  readonly by: string;
  readonly administrator: boolean;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Milliseconds since the epoch; it counts before, not at it. Without it, for good. */
  readonly expiresAt?: number;
}

/** That a person said of one MCP server and one root. */
export interface Grant extends Decided {
  /** Fingerprint. */
  readonly server: string;
  /** As the server was named when it was decided; for people. */
  readonly serverName: string;
  readonly access: BoundaryAccess;
  /** What was approved: what takes its place later is not. */
  readonly root: RootIdentity;
  /** A person named the root for this server, rather than the session for all. */
  readonly named: boolean;
}

/** That a person said of one MCP server: whether it may run. */
export interface ServerApproval extends Decided {
  readonly fingerprint: string;
  readonly serverName: string;
  /** What it says of its own tools is believed. */
  readonly trusted: boolean;
  readonly network: BoundaryNetwork;
}

export interface DecisionFilter {
  readonly fingerprint?: string;
  readonly session?: SessionId;
  readonly scope?: ReviewScope;
}

/** What people decided about servers and roots. All writes are durable once resolved. */
export interface GrantStore {
  /** Adds all, or none; one of the same id takes the place of the earlier. */
  putGrants(grants: readonly Grant[]): Promise<void>;
  /** In the order in which they were put. */
  grants(filter: DecisionFilter): Promise<readonly Grant[]>;
  /** How many of them there were. */
  removeGrants(ids: readonly string[]): Promise<number>;
  putApproval(approval: ServerApproval): Promise<void>;
  /** In the order in which they were put. */
  approvals(filter: DecisionFilter): Promise<readonly ServerApproval[]>;
  removeApprovals(ids: readonly string[]): Promise<number>;
  /** What was decided for this session alone. */
  removeSession(session: SessionId): Promise<void>;
}
