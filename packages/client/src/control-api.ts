import type { RequestId, SessionId, WireEvent } from '@reeve/protocol';

/** What the control API (`/v1`) answers. Members that this version does not know are kept in the values. */
export interface Health {
  readonly status: string;
  readonly version: string;
  readonly pid: number;
}

export interface AgentInfo {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly available: boolean;
  /** Why it is not available, and what to do. */
  readonly problem?: string;
  readonly default: boolean;
}

export interface AgentCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly durationMs: number;
  /** The agent's own `initialize` result. */
  readonly initialize?: unknown;
  readonly error?: unknown;
}

/** `dormant`: without an agent process, which starts again when it is needed. */
export type SessionState = 'running' | 'waiting' | 'idle' | 'dormant' | 'closed';

export interface SessionInfo {
  readonly sessionId: SessionId;
  readonly agent: string;
  readonly alias?: string;
  readonly title?: string;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  /** Milliseconds since the epoch, or ISO 8601 text. */
  readonly createdAt: number | string;
  readonly updatedAt: number | string;
  readonly state: SessionState;
  readonly lastSeq: number;
  /** Connections. */
  readonly attached: number;
  readonly pendingRequests: number;
  readonly enforcement?: unknown;
}

export interface SessionPage {
  readonly sessions: readonly SessionInfo[];
  readonly nextCursor?: string;
}

export interface EventPage {
  readonly events: readonly WireEvent[];
  readonly nextAfter: number;
  readonly hasMore: boolean;
}

export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: string;
}

export interface RequestInfo {
  readonly id: RequestId;
  readonly sessionId: SessionId;
  readonly kind: string;
  readonly method: string;
  /** Of the agent's own request, as it came. */
  readonly params: unknown;
  readonly createdAt: number | string;
  /** `{kind: 'pending' | 'answered' | 'cancelled' | 'void', …}`, or that kind alone. */
  readonly state: unknown;
}

/** How a person answers; `reply` is mapped to the nearest option that was offered. */
export type RequestAnswer =
  | { readonly reply: 'once' | 'always' | 'reject' }
  | { readonly optionId: string }
  | { readonly result: unknown };
