import type { RpcError, SessionFailure } from '@reeve/protocol';
import type { SessionRecord } from './session-store.ts';

/** Characters of a failure's message that are kept. */
const MAX_MESSAGE = 500;

/** How a session stands that has no process and nothing to do. */
export function stateAtRest({ closed, failure }: SessionRecord): 'closed' | 'failed' | 'dormant' {
  if (closed) return 'closed';
  return failure ? 'failed' : 'dormant';
}

/** A start or a turn that failed now, with what clients were told of it. */
export function failureNow(during: SessionFailure['during'], { message }: Pick<RpcError, 'message'>): SessionFailure {
  return { at: Date.now(), during, message: message.slice(0, MAX_MESSAGE) };
}
