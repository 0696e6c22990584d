import type { BoundaryNetwork, BoundaryRoot } from '../boundary.ts';
import type { EventSeq, SessionId } from '../ids.ts';
import type { JsonObject } from '../json-rpc.ts';
import type { McpServerReport } from '../mcp-server-report.ts';
import type { WireEvent } from '../session-event.ts';
import type { AgentVersion } from './agent-info.ts';
import type { AttachedClient } from './attached-client.ts';

/*
 * Of the control API (`/v1`), as JSON. Times are milliseconds since the epoch. Readers keep members that they do not know.
 */

/**
 * - `running`: a turn is under way · `waiting`: and it waits for a person
 * - `idle`: an agent process and no turn · `dormant`: no process; the next prompt starts one
 * - `failed`: no process, since the last start or the last turn ended with the process; `failure` says why; the next prompt starts another
 * - `closed`: by a client; loading opens it again
 */
export type SessionState = 'running' | 'waiting' | 'idle' | 'dormant' | 'failed' | 'closed';

/** Why the agent of a session is not there, until a turn ends well again. */
export interface SessionFailure {
  readonly at: number;
  /** Of a start: the process did not come up, or did not take the conversation back. Of a turn: it ended in the middle of it. */
  readonly during: 'start' | 'turn';
  /** For people; at most 500 characters. */
  readonly message: string;
}

/** A prompt that the server has taken and whose turn has not begun. */
export interface QueuedPrompt {
  /** Its idempotency key where it has one, else a name of the server's own. */
  readonly id: string;
  readonly at: number;
  /** Name and version of the client that sent it, as that says. */
  readonly by: string;
  /** Its first text, at most 2000 characters of it. */
  readonly text: string;
  readonly truncated?: boolean;
  /** How many content blocks come beside the text. */
  readonly attachments?: number;
}

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
  readonly failure?: SessionFailure;
  /** In the order of their turns; absent where none waits. In ACP v2 prompts go to the agent at once. */
  readonly queuedPrompts?: readonly QueuedPrompt[];
  readonly lastSeq: EventSeq;
  /** Attached connections. */
  readonly attached: number;
  /** These, and whoever follows the events over the control API. */
  readonly clients?: readonly AttachedClient[];
  readonly pendingRequests: number;
  /** What holds the session's boundary for its agent process, and its gaps; absent without a process. */
  readonly enforcement?: unknown;
  /** What the session may reach, with what holds each of its processes. */
  readonly boundary?: {
    readonly roots: readonly BoundaryRoot[];
    readonly revision: number;
    readonly network?: BoundaryNetwork;
    /** `servers`: of its MCP servers that have a process, by name. */
    readonly enforcement: { readonly agent?: unknown; readonly servers?: { readonly [name: string]: unknown } };
  };
  /** How its MCP servers stand, those too that Reeve does not govern; absent while it is not in memory. */
  readonly mcpServers?: readonly McpServerReport[];
  /** Where the client that created it asked for a version of the agent. */
  readonly agentVersion?: AgentVersion;
}

/** `GET /v1/sessions`: newest first. */
export interface SessionPage {
  readonly sessions: readonly SessionInfo[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
  /** Of a search: not all that was said is searched yet; ask again. */
  readonly incomplete?: true;
}

/** `GET /v1/sessions/{id}/events`. */
export interface EventPage {
  readonly events: readonly WireEvent[];
  /** The `after` of the next page. */
  readonly nextAfter: EventSeq;
  /** There are events after these, or, where the page was asked for with `before`, before them: the seq of the first is the next `before`. */
  readonly hasMore: boolean;
}

/** `PATCH /v1/sessions/{id}/metadata`. */
export interface ChangedMetadata {
  /** All of it, merged. */
  readonly metadata: JsonObject;
  /** For each choice that was brought to the agent, by which way. */
  readonly applied?: JsonObject;
}
