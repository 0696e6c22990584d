import type { EventSeq, RequestId, SessionId } from './ids.ts';
import type { WireEvent } from './session-event.ts';

/*
 * What the control API (`/v1`) answers and is sent, as JSON. Times are milliseconds since the epoch. Readers keep members
 * that they do not know.
 */

/** `GET /v1/health`. Who has no token is told the status alone. */
export interface Health {
  readonly status: 'ok' | 'stopping';
  readonly version: string;
  readonly pid: number;
  readonly uptimeMs: number;
}

/** `GET /v1/agents` gives `{agents}`. */
export interface AgentInfo {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly available: boolean;
  /** Why it is not available, and what to do. */
  readonly problem?: string;
  readonly default: boolean;
}

/** `GET /v1/agents/{name}`: what is known without starting it. */
export interface AgentDetails extends AgentInfo {
  /** Its own `initialize` result, once one was seen. */
  readonly initialize?: unknown;
  /** `modes`, `models` and `configOptions` as its newest session has them. */
  readonly setup?: { readonly [member: string]: unknown };
}

/** `POST /v1/agents/{name}/check`: the agent's own `initialize` result, or a JSON-RPC error. */
export type AgentCheck =
  | { readonly name: string; readonly ok: true; readonly durationMs: number; readonly initialize: unknown }
  | { readonly name: string; readonly ok: false; readonly durationMs: number; readonly error: unknown };

/**
 * - `running`: a turn is under way · `waiting`: and it waits for a person
 * - `idle`: an agent process and no turn · `dormant`: no process; the next prompt starts one
 * - `closed`: by a client; loading opens it again
 */
export type SessionState = 'running' | 'waiting' | 'idle' | 'dormant' | 'closed';

/** `GET /v1/sessions/{id}`. */
export interface SessionInfo {
  readonly sessionId: SessionId;
  readonly agent: string;
  readonly alias?: string;
  readonly title?: string;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly state: SessionState;
  readonly lastSeq: EventSeq;
  /** Attached connections. */
  readonly attached: number;
  readonly pendingRequests: number;
  /** What holds the session's boundary for its agent process, and its gaps; absent without a process. */
  readonly enforcement?: unknown;
}

/** `GET /v1/sessions`: newest first. */
export interface SessionPage {
  readonly sessions: readonly SessionInfo[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/** `GET /v1/sessions/{id}/events`. */
export interface EventPage {
  readonly events: readonly WireEvent[];
  /** The `after` of the next page. */
  readonly nextAfter: EventSeq;
  readonly hasMore: boolean;
}

export type RequestKind = 'permission' | 'elicitation';

/** How a request ended, or that it has not. */
export type RequestState =
  | { readonly kind: 'pending' }
  /** `result` is the JSON-RPC result that the agent was sent. */
  | { readonly kind: 'answered'; readonly at: number; readonly by: string; readonly result: unknown }
  /** The turn ended or was cancelled, or the agent took the request back. */
  | { readonly kind: 'cancelled'; readonly at: number; readonly reason: string }
  /** The agent process that asked is gone: nobody can be answered any more. */
  | { readonly kind: 'void'; readonly at: number; readonly reason: string };

/** `GET /v1/requests/{id}`; `GET /v1/requests` gives `{requests}`, oldest first. */
export interface RequestInfo {
  readonly id: RequestId;
  readonly sessionId: SessionId;
  readonly kind: RequestKind;
  readonly method: string;
  /** Of the agent's own request, as they came. */
  readonly params: unknown;
  readonly createdAt: number;
  readonly state: RequestState;
}

/** The body of `POST /v1/requests/{id}/answer`, which gives `{request}`. `reply` is mapped to the nearest option that was offered. */
export type RequestAnswer =
  | { readonly reply: 'once' | 'always' | 'reject' }
  | { readonly optionId: string }
  /** The JSON-RPC result that the agent is to be sent. */
  | { readonly result: unknown };
