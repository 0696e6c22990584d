/** A type whose values only its own parser mints. */
type Brand<T, Name extends string> = T & { readonly __brand: Name };

/** The id that clients know a session by; fixed for the session's life (ACP `sessionId`). */
export type SessionId = Brand<string, 'SessionId'>;
/** One transport connection of a client. */
export type ConnectionId = Brand<string, 'ConnectionId'>;
/** Something a person must decide: ours, never the agent's JSON-RPC id. */
export type RequestId = Brand<string, 'RequestId'>;
/** Position of an event in its session's log: starts at 1, no gaps, never reused. 0 means "before the first". */
export type EventSeq = Brand<number, 'EventSeq'>;
/** Counts the agent processes of one session, from 1: tells the ids of one process from those of the next. */
export type AgentEpoch = Brand<number, 'AgentEpoch'>;
/** Counts the owners of one session's log, from 1: fences an owner that lost its lease. */
export type LeaseEpoch = Brand<number, 'LeaseEpoch'>;

export const MAX_ID_LENGTH = 512;

/** Reads an id that came from outside: a string of 1 to 512 characters without control characters. */
export function parseSessionId(value: unknown): SessionId | undefined {
  return isPlainId(value) ? (value as SessionId) : undefined;
}

export function parseRequestId(value: unknown): RequestId | undefined {
  return isPlainId(value) ? (value as RequestId) : undefined;
}

/** Reads a cursor: a whole number from 0 to 2^53 - 1, or the same as decimal text (`Last-Event-ID`, `?after=`). */
export function parseEventSeq(value: unknown): EventSeq | undefined {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? (number as EventSeq) : undefined;
}

export function newConnectionId(): ConnectionId {
  return crypto.randomUUID() as ConnectionId;
}

export function newRequestId(): RequestId {
  return crypto.randomUUID() as RequestId;
}

export function newSessionId(): SessionId {
  return crypto.randomUUID() as SessionId;
}

/** C0 and C1 control characters, and DEL. */
const CONTROL = /\p{Cc}/u;

function isPlainId(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_ID_LENGTH && !CONTROL.test(value);
}
