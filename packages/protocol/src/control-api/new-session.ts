import type { EventSeq, SessionId } from '../ids.ts';
import type { JsonObject } from '../json-rpc.ts';
import type { SessionInfo } from './session-info.ts';

/*
 * Of the control API (`/v1`), as JSON. Times are milliseconds since the epoch. Readers keep members that they do not know.
 */

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

/** The body of `POST /v1/sessions/{id}/fork`: what is left out is as the parent has it, but for MCP servers that its client named. */
export type NewFork = Omit<NewSession, 'agent' | 'cwd'> & { readonly cwd?: string | undefined };

/** `POST /v1/sessions` and `POST /v1/sessions/{id}/fork`. */
export interface CreatedSession {
  readonly session: SessionInfo;
  /** Of `session/new` or `session/fork`, as ACP has it. */
  readonly result: { readonly [member: string]: unknown };
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
