import type { EventSeq, RequestId, SessionId } from '@reeve/protocol';
import type { EventChunk } from '../events/event-chunk.ts';

/** What the control API needs of the server. Sessions are named by id or alias. */
export interface ControlPort {
  health(): HealthReport;
  agents(): Promise<readonly AgentReport[]>;
  /** Starts the agent, initializes it and ends it; undefined for an unknown name. */
  checkAgent(name: string, signal: AbortSignal): Promise<AgentCheck | undefined>;
  /** Undefined for a cursor that this server did not make. */
  listSessions(query: SessionQuery): Promise<SessionReportPage | undefined>;
  session(id: string): Promise<SessionReport | undefined>;
  /** At most `limit` events after `after`; undefined for an unknown session. */
  events(id: string, after: EventSeq, limit: number): Promise<EventPage | undefined>;
  /** Stored events after `after`, then live ones; ends when `signal` aborts or the session is deleted. */
  follow(id: string, after: EventSeq, signal: AbortSignal): AsyncIterable<EventChunk>;
  /** False for an unknown session; closing twice is no error. */
  closeSession(id: string): Promise<boolean>;
  /** An unknown session is no error. */
  deleteSession(id: string): Promise<void>;
  requests(query: RequestQuery): Promise<readonly RequestReport[]>;
  request(id: RequestId): Promise<RequestReport | undefined>;
  /** `by`: who answers, as the others are told. */
  answer(id: RequestId, answer: RequestAnswer, by: string): Promise<AnswerOutcome>;
}

export interface HealthReport {
  readonly status: 'ok' | 'stopping';
  readonly version: string;
  readonly pid: number;
  readonly uptimeMs: number;
}

export interface AgentReport {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly available: boolean;
  /** Why it is not available, and what to do. */
  readonly problem?: string;
  readonly default: boolean;
}

export type AgentCheck =
  | { readonly name: string; readonly ok: true; readonly durationMs: number; readonly initialize: unknown }
  | { readonly name: string; readonly ok: false; readonly durationMs: number; readonly error: unknown };

export interface SessionQuery {
  readonly cwd?: string;
  readonly cursor?: string;
  /** 1 to 1000. */
  readonly limit: number;
}

export interface SessionReportPage {
  readonly sessions: readonly SessionReport[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/**
 * - `running`: a turn is under way · `waiting`: and it waits for a person
 * - `idle`: an agent process and no turn · `dormant`: no process; the next prompt starts one
 * - `closed`: by a client; loading opens it again
 */
export type SessionState = 'running' | 'waiting' | 'idle' | 'dormant' | 'closed';

export interface SessionReport {
  readonly sessionId: SessionId;
  readonly agent: string;
  readonly alias?: string;
  readonly title?: string;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly state: SessionState;
  readonly lastSeq: EventSeq;
  /** Attached connections. */
  readonly attached: number;
  readonly pendingRequests: number;
  /** What holds the session's boundary for its agent process, and its gaps. */
  readonly enforcement?: unknown;
}

export interface EventPage {
  readonly chunks: readonly EventChunk[];
  readonly hasMore: boolean;
}

export interface RequestQuery {
  readonly session?: string;
  readonly pendingOnly: boolean;
}

export interface RequestReport {
  readonly id: RequestId;
  readonly sessionId: SessionId;
  readonly kind: string;
  readonly method: string;
  readonly params: unknown;
  readonly createdAt: number;
  readonly state: { readonly kind: string; readonly [member: string]: unknown };
}

export type RequestAnswer =
  | { readonly kind: 'reply'; readonly reply: 'once' | 'always' | 'reject' }
  | { readonly kind: 'option'; readonly optionId: string }
  /** The JSON-RPC result that the agent is to be sent. */
  | { readonly kind: 'result'; readonly result: unknown };

export type AnswerOutcome =
  | { readonly kind: 'answered'; readonly request: RequestReport }
  | { readonly kind: 'unknown' }
  /** Somebody was faster, or nobody can be answered any more. */
  | { readonly kind: 'settled'; readonly request: RequestReport }
  | { readonly kind: 'not-offered'; readonly detail: string; readonly offered: readonly string[] };
