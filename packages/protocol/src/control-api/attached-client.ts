import type { ConnectionId } from '../ids.ts';

/** What a program says of itself: nothing of it is checked, and each is at most 100 characters long. */
export interface ClaimedClient {
  readonly name: string;
  readonly title?: string;
  readonly version?: string;
}

/** Somebody who sees what happens in a session. */
export interface AttachedClient {
  /** As events and prompts name it; readers of events have none. */
  readonly connection?: ConnectionId;
  /** Absent where it says nothing of itself. */
  readonly claimed?: ClaimedClient;
  /** ACP over a WebSocket or streamable HTTP; a `call` of the control API that waits for its turn; or a reader of the event stream. */
  readonly transport: 'websocket' | 'http' | 'call' | 'events';
  /** An observer neither prompts nor is asked over its connection. */
  readonly role: 'controller' | 'observer';
  /** Milliseconds since the epoch. */
  readonly since: number;
}
