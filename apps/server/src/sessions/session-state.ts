import type { QueuedPrompt, RpcError, SessionFailure, SessionState } from '@reeve/protocol';
import type { Session } from './session.ts';
import type { SessionRecord } from './session-store.ts';

/** Characters of a failure's message that are kept. */
const MAX_MESSAGE = 500;

/** How a session stands; `live`: as it is in memory, where it is. */
export function sessionState(record: SessionRecord, live: Session | undefined): SessionState {
  return live?.state ?? stateAtRest(record);
}

/** How a session stands that has no process and nothing to do. */
export function stateAtRest({ closed, failure }: SessionRecord): 'closed' | 'failed' | 'dormant' {
  if (closed) return 'closed';
  return failure ? 'failed' : 'dormant';
}

/** What is told of a session beside its state: why it failed, and what waits for its turn. */
export function toldOfTurns(
  record: SessionRecord,
  live: Session | undefined,
): { readonly failure?: SessionFailure; readonly queuedPrompts?: readonly QueuedPrompt[] } {
  const queued = live?.queuedPrompts ?? [];
  return {
    ...(record.failure === undefined ? {} : { failure: record.failure }),
    ...(queued.length === 0 ? {} : { queuedPrompts: queued }),
  };
}

/** A start or a turn that failed now, with what clients were told of it. */
export function failureNow(during: SessionFailure['during'], { message }: Pick<RpcError, 'message'>): SessionFailure {
  return { at: Date.now(), during, message: message.slice(0, MAX_MESSAGE) };
}
