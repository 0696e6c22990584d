import type { RpcError, SessionId } from '@reeve/protocol';
import type { AgentPool } from '../agents/agent-pool.ts';
import type { Audit } from '../audit/audit-fact.ts';
import type { BoundaryRules } from '../boundary/resolve-boundary.ts';
import type { EventFeed } from '../events/event-feed.ts';
import type { EventLog } from '../events/event-log.ts';
import type { RequestBroker } from '../requests/request-broker.ts';
import type { RequestStore } from '../requests/request-store.ts';
import type { LocalServices } from './local-services.ts';
import type { GovernanceServices } from './session-governance.ts';
import type { SessionStore } from './session-store.ts';

/** All limits are inclusive. */
export interface SessionLimits {
  /** Bytes that wait in one connection before it is served from the log. */
  readonly connectionQueueBytes: number;
  /** Bytes of one session that are not on disk yet before its agent is not read any more. */
  readonly agentBacklogBytes: number;
  /** Bytes that an agent has not read before prompts are refused. */
  readonly agentInputBytes: number;
  readonly maxQueuedPrompts: number;
  readonly maxSubscribersPerSession: number;
  readonly maxSessionsLive: number;
  readonly maxPendingRequests: number;
  /** Bytes of inline content of one block of a prompt. */
  readonly maxAttachmentBytes: number;
  readonly maxMetadataBytes: number;
  /** How often a client that gives an answer that was not offered is asked again. */
  readonly maxReoffers: number;
  readonly sessionNewMs: number;
  /** How long an agent that takes a session back may be silent before the next way is tried. */
  readonly restoreMs: number;
  /** How long an agent may take to end a turn that was cancelled; 0: for ever. */
  readonly cancelMs: number;
  /** How long the agent may take for its own part of a list of sessions. */
  readonly agentListMs: number;
  /** An idle session without clients frees its process after this. */
  readonly idleAgentMs: number;
  /** How often what a process cannot write is looked at: whether it is still there. */
  readonly rootCheckMs: number;
  /** Directories that are watched for that, of each process. */
  readonly maxWatchedRoots: number;
}

/** What every session stands on; made once in main.ts. */
export interface SessionServices {
  readonly log: EventLog;
  readonly feed: EventFeed;
  readonly store: SessionStore;
  readonly requests: RequestStore;
  readonly broker: RequestBroker;
  readonly audit: Audit;
  readonly agents: AgentPool;
  /** What Reeve itself does for agents; undefined where this system cannot hold it to a boundary. */
  readonly local: LocalServices | undefined;
  /** What a boundary may be. */
  readonly boundaryRules: BoundaryRules;
  readonly governance: GovernanceServices;
  readonly limits: SessionLimits;
  /** This server, as the owner of leases. */
  readonly owner: string;
  /** What a client is told of an error; what was not foreseen goes to the diagnostic log under the `logId` that the client sees. */
  readonly rpcErrorOf: (error: unknown) => RpcError;
  readonly warn: (message: string, facts: { sessionId?: SessionId; [fact: string]: unknown }) => void;
}
