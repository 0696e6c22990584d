import type { BoundaryNetwork, BoundaryRoot } from '../boundary.ts';
import type { RequestId, SessionId } from '../ids.ts';
import type { McpServerReport } from '../mcp-server-report.ts';
import type { ReviewScope, ReviewServer, ReviewTools } from '../review.ts';
import type { RequestInfo } from './request-info.ts';

/*
 * Of the control API (`/v1`), as JSON. Times are milliseconds since the epoch. Readers keep members that they do not know.
 */

/** One MCP server of one session. */
export interface GovernedServerInfo extends McpServerReport {
  readonly sessionId: SessionId;
  /** Who it is, as its reviews show it: the whole command or address. Absent where Reeve does not govern it. */
  readonly identity?: ReviewServer;
  /** Absent before it was started for the first time. */
  readonly tools?: ReviewTools;
  /** What waits for a person about it. */
  readonly requests: readonly RequestId[];
}

/** What a person decided about one server: whether it may run. */
export interface ServerApprovalInfo {
  readonly id: string;
  readonly decision: 'allow' | 'deny';
  readonly fingerprint: string;
  readonly serverName: string;
  readonly scope: ReviewScope;
  readonly session?: string;
  readonly project?: string;
  readonly trusted: boolean;
  readonly network: BoundaryNetwork;
  readonly by: string;
  readonly at: number;
  readonly expiresAt?: number;
}

/** `GET /v1/servers`: those of every session that is live, and what is known of any. */
export interface ServerList {
  readonly servers: readonly GovernedServerInfo[];
  readonly approvals: readonly ServerApprovalInfo[];
}

/** `GET /v1/sessions/{id}/servers/{name}`. */
export interface GovernedServerDetails extends GovernedServerInfo {
  readonly approvals: readonly ServerApprovalInfo[];
  /** What is asked about it, in order: the params of each review. */
  readonly reviews: readonly { readonly request: RequestId; readonly params: unknown }[];
  /** The last it printed; as it came, so not to be trusted. */
  readonly stderrTail?: string;
}

/**
 * The body of `POST /v1/servers/{fingerprint}/approve`: answers what waits about that server. Where nothing waits, it changes what was
 * decided about it: what is left out stays.
 */
export interface ServerApproval {
  /** Id or alias of the only session that is meant. */
  readonly session?: string | undefined;
  /** `session` where it is left out, or what it was. */
  readonly scope?: ReviewScope | undefined;
  /** Milliseconds since the epoch; `null`: until it is taken back, which it is too where none is given and none was. */
  readonly expiresAt?: number | null | undefined;
  /** What it says of its own tools is believed. */
  readonly trusted?: boolean | undefined;
  readonly network?: BoundaryNetwork | undefined;
  /** Fewer than it asks for, or less access. */
  readonly roots?: readonly Pick<BoundaryRoot, 'path' | 'access'>[] | undefined;
}

/** The body of `POST /v1/servers/{fingerprint}/deny`. */
export type ServerDenial = Pick<ServerApproval, 'session' | 'scope'> & {
  /** Milliseconds since the epoch; where it is left out it counts until it is taken back. */
  readonly expiresAt?: number | undefined;
  /** Why, for the people. */
  readonly reason?: string | undefined;
};

/** What came of a decision about a server. */
export interface DecidedServers {
  /** Those that were answered. */
  readonly requests: readonly RequestInfo[];
  /** Sessions in which it was decided though nobody was asked. */
  readonly changed: readonly SessionId[];
}
