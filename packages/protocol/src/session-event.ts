import type { ConnectionId, EventSeq } from './ids.ts';

/** Who sent the message of an event. */
export type EventSource = 'agent' | 'client' | 'reeve';

/**
 * What an event is, for readers that do not parse its message.
 * - `update`: a notification that every attached client sees (`session/update` and unknown ones)
 * - `prompt`: a client's `session/prompt`, when its turn began
 * - `turn_end`: the response to the prompt, with the client's own id; `connection` is the prompter
 * - `request`: a request of the agent that waits for an answer
 * - `response`: the answer that the agent was given
 * - `command`: any other message of a client that acted on the session (cancel, set_mode, …)
 * - `note`: a fact that Reeve adds (agent started, ended, restored): `{type, …}`, never sent to ACP clients
 */
export type EventKind = 'update' | 'prompt' | 'turn_end' | 'request' | 'response' | 'command' | 'note';

/** One entry of a session's log, as `/v1/sessions/{id}/events` and `_sandboxagent/session/events` show it. */
export interface WireEvent {
  readonly seq: EventSeq;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly source: EventSource;
  readonly kind: EventKind;
  readonly connection?: ConnectionId;
  /** The message as it crossed the wire. */
  readonly message: unknown;
}
