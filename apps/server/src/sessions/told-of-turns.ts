import type { QueuedPrompt, SessionFailure, SessionState } from '@reeve/protocol';
import type { Session } from './session.ts';
import { stateAtRest } from './session-state.ts';
import type { SessionRecord } from './session-store.ts';

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

/** How a session stands; `live`: as it is in memory, where it is. */
export function sessionState(record: SessionRecord, live: Session | undefined): SessionState {
  return live?.state ?? stateAtRest(record);
}
