import type { BoundaryNetwork, BoundaryRoot } from './boundary.ts';
import type { EventSeq, RequestId, SessionId } from './ids.ts';
import type { JsonObject } from './json-rpc.ts';
import type { ReplyMapping } from './permission.ts';
import type { Question, QuestionAnswer } from './question.ts';
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

/** What holds one limit of a process; `none`: nothing here can. */
export type LimitHolder = 'cgroup' | 'prlimit' | 'watchdog' | 'none';

/** What one backend can do on the machine of the server. */
export interface BackendReport {
  readonly backend: 'bubblewrap' | 'container' | 'seatbelt' | 'landlock';
  readonly usable: boolean;
  /** Whether a boundary counts as enforced by it. */
  readonly enforces: boolean;
  /** What was found: a version, a path. */
  readonly found?: string;
  /** Why it is not usable, and what to do where something can be done. */
  readonly reason?: string;
  readonly nextStep?: string;
}

/** `GET /v1/sandbox`: what the machine of the server can hold a boundary with, found by trying. */
export interface SandboxReport {
  /** What is used; `none`: boundaries are only declared. */
  readonly backend: BackendReport['backend'] | 'none';
  /** Whether a boundary can be enforced. */
  readonly usable: boolean;
  /** Whether a process without a boundary at least ends with its whole tree. */
  readonly contains: boolean;
  readonly reason?: string;
  readonly nextStep?: string;
  /** In the order in which they are taken. */
  readonly backends: readonly BackendReport[];
  /** What would hold each limit under bubblewrap: `memoryBytes`, `processes`, `fileBytes`, `openFiles`, `wallMs`. */
  readonly limits: { readonly [limit: string]: LimitHolder };
  /** What of the limits does not hold, a sentence each. */
  readonly limitGaps: readonly string[];
  /** Whether there is a filter of system calls for this architecture. */
  readonly systemCallFilter: boolean;
  /** Whether a network rule that lists hosts can be held. */
  readonly allowLists: boolean;
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

/** What a client that asked for a version of the agent got. */
export interface AgentVersion {
  /** As it was asked for: an exact version, a range, or a tag of the registry. */
  readonly requested: string;
  /** Absent where the agent does not say its version. */
  readonly running?: string;
  /** The configured command, or a version that was installed from npm. */
  readonly source: 'configured' | 'installed';
  /** Why it is not what the registry would give. */
  readonly note?: string;
}

/** `GET /v1/agents/{name}/versions`. Versions are listed newest first. */
export interface AgentVersions {
  readonly agent: string;
  /** The npm package that other versions come from. */
  readonly package?: string;
  /** What the configured command says of itself. */
  readonly configured?: string;
  readonly installed: readonly { readonly version: string; readonly integrity: string; readonly installedAt: number }[];
  /** The newest 20 of the registry. */
  readonly available: readonly string[];
  /** Version by tag of the registry. */
  readonly tags: Readonly<Record<string, string>>;
  /** Why the registry could not be asked, and what to do. */
  readonly problem?: string;
}

/** A line of `POST /v1/agents/{name}/install`; the last one is `installed` or `failed`. */
export type InstallLine =
  | {
      readonly kind: 'progress';
      readonly phase: 'resolving' | 'downloading' | 'checking' | 'done';
      readonly detail: string;
    }
  | {
      readonly kind: 'installed';
      readonly agent: string;
      readonly package: string;
      readonly version: string;
      readonly integrity: string;
      /** Programs by name: where they lie on the server. */
      readonly bins: Readonly<Record<string, string>>;
      /** Why the registry was not asked which version that is. */
      readonly note?: string;
    }
  /** As a problem of the HTTP API (RFC 9457). */
  | { readonly kind: 'failed'; readonly problem: unknown };

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
  /** The version of ACP in which every message of the session is. */
  readonly protocolVersion?: number;
  readonly alias?: string;
  readonly title?: string;
  /** What clients said of it under `_meta["sandboxagent.dev"]`, at creation and later; the title too. */
  readonly metadata?: JsonObject;
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
  /** What the session may reach, with what holds each of its processes. */
  readonly boundary?: {
    readonly roots: readonly BoundaryRoot[];
    readonly revision: number;
    readonly network?: BoundaryNetwork;
    readonly enforcement: { readonly agent?: unknown };
  };
  /** Where the client that created it asked for a version of the agent. */
  readonly agentVersion?: AgentVersion;
}

/** The body of `POST /v1/sessions`. */
export interface NewSession {
  /** The default agent when left out. */
  readonly agent?: string | undefined;
  /** An existing directory on the server. */
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[] | undefined;
  /** As ACP writes them in `session/new`. */
  readonly mcpServers?: readonly unknown[] | undefined;
  /** `_meta["sandboxagent.dev"]` of `session/new`: title, model and what else there is. */
  readonly metadata?: JsonObject | undefined;
}

/** What goes with a prompt beside the words: a file or address to look at, or the content itself. */
export type PromptAttachment = { readonly filename?: string | undefined; readonly mimeType?: string | undefined } & (
  | { readonly path: string }
  | { readonly uri: string }
  | { readonly text: string }
  /** Base64. */
  | { readonly data: string }
);

/** The body of `POST /v1/sessions/{id}/prompt`, which also has `wait`: true unless told otherwise. */
export interface NewTurn {
  /** Text, or ACP content blocks. */
  readonly prompt: string | readonly unknown[];
  readonly attachments?: readonly PromptAttachment[] | undefined;
  /** The same key never runs twice, and gets the first one's result. */
  readonly idempotencyKey?: string | undefined;
  readonly whenBusy?: 'queue' | 'refuse' | undefined;
  /** Given to the agent if it must be started again. */
  readonly mcpServers?: readonly unknown[] | undefined;
}

/** A turn that was begun, or waits for its place: its events come after `after`. */
export interface BegunTurn {
  readonly sessionId: SessionId;
  readonly after: EventSeq;
}

/** `POST /v1/sessions`. */
export interface CreatedSession {
  readonly session: SessionInfo;
  /** Of `session/new`, as ACP has it. */
  readonly result: { readonly [member: string]: unknown };
}

/** `PATCH /v1/sessions/{id}/metadata`. */
export interface ChangedMetadata {
  /** All of it, merged. */
  readonly metadata: JsonObject;
  /** For each choice that was brought to the agent, by which way. */
  readonly applied?: JsonObject;
}

/** `POST /v1/sessions/{id}/prompt` that waits for the end of its turn. */
export interface TurnOutcome {
  readonly sessionId: SessionId;
  /** The events of the turn come after it. */
  readonly after: EventSeq;
  readonly lastSeq: EventSeq;
  readonly stopReason?: unknown;
  /** The agent's own message, its chunks joined. Absent where the turn ran before, under the same idempotency key. */
  readonly text?: string;
  /** The message was longer: the events have all of it. */
  readonly truncated?: boolean;
  /** Of `session/prompt`, as ACP has it. */
  readonly result: unknown;
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

export type RequestKind = 'permission' | 'question' | 'elicitation';

/** How a request ended, or that it has not. */
export type RequestState =
  | { readonly kind: 'pending' }
  /** `result` is the JSON-RPC result that the agent was sent. */
  | {
      readonly kind: 'answered';
      readonly at: number;
      readonly by: string;
      readonly result: unknown;
      /** Present when a permission was answered in three words, or by a time-out. */
      readonly mapping?: ReplyMapping;
    }
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
  /** What it asks, whichever method asked; missing where that is not one question: then `params` say it. */
  readonly question?: Question;
  readonly createdAt: number;
  readonly state: RequestState;
}

/**
 * The body of `POST /v1/requests/{id}/answer`, which gives `{request}`. What does not fit what was asked is refused
 * (`not_offered`), and the request goes on waiting.
 */
export type RequestAnswer =
  /** To a permission: mapped to the nearest option that was offered, see `mapping`. `reject` turns anything down. */
  | { readonly reply: 'once' | 'always' | 'reject' }
  /** An option of a permission, or the one that answers a question. */
  | { readonly optionId: string }
  /** To a question, whichever method asked. */
  | { readonly answers: readonly QuestionAnswer[] }
  /** What is filled into the form of an elicitation; `{}` for one that shows a URL. */
  | { readonly content: JsonObject }
  /** Turns it down; a reason is told to the agent. */
  | { readonly reject: true | string }
  /** The JSON-RPC result that the agent is to be sent. */
  | { readonly result: unknown };
