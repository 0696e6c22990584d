import type { AgentEpoch, JsonRpcId, RequestId, RequestKind, RequestState, SessionId } from '@reeve/protocol';

export interface StoredRequest {
  readonly id: RequestId;
  readonly sessionId: SessionId;
  /** With the JSON-RPC id it names the asker: ids start again in the next process. 0, and an id of null, where Reeve itself asks. */
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
