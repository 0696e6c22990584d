import type { AgentEpoch, JsonRpcId, RequestId, SessionId } from '@reeve/protocol';

export type RequestKind = 'permission' | 'elicitation';

/** How a request ended, or that it has not. `at`: milliseconds since the epoch. */
export type RequestState =
  | { readonly kind: 'pending' }
  /** `result` is the JSON-RPC result that the agent was sent. */
  | { readonly kind: 'answered'; readonly at: number; readonly by: string; readonly result: unknown }
  /** The turn ended or was cancelled, or the agent took the request back. */
  | { readonly kind: 'cancelled'; readonly at: number; readonly reason: string }
  /** The agent process that asked is gone: nobody can be answered any more. */
  | { readonly kind: 'void'; readonly at: number; readonly reason: string };

export interface StoredRequest {
  readonly id: RequestId;
  readonly sessionId: SessionId;
  /** With the JSON-RPC id it names the asker: ids start again in the next process. */
  readonly agentEpoch: AgentEpoch;
  readonly rpcId: JsonRpcId;
  readonly kind: RequestKind;
  readonly method: string;
  readonly params: unknown;
  readonly createdAt: number;
  readonly state: RequestState;
}

export interface RequestFilter {
  readonly sessionId?: SessionId;
  readonly pendingOnly?: boolean;
}

/** All writes are durable once resolved. */
export interface RequestStore {
  add(request: StoredRequest): Promise<void>;
  /** From `pending` to `state`, once: false when it was settled before or is unknown. */
  settle(id: RequestId, state: Exclude<RequestState, { kind: 'pending' }>): Promise<boolean>;
  find(id: RequestId): Promise<StoredRequest | undefined>;
  /** Oldest first. */
  list(filter: RequestFilter): Promise<readonly StoredRequest[]>;
  /** Settles every pending request (of one session, or all) as `void`; gives their number. */
  voidPending(reason: string, at: number, sessionId?: SessionId): Promise<number>;
  removeSession(sessionId: SessionId): Promise<void>;
}
