import type { AgentEpoch, AgentVersion, Choice, EventSeq, SessionFailure, SessionId } from '@reeve/protocol';
import type { AcpVersion } from '../agents/acp-version.ts';
import type { SessionPlace } from './session-place.ts';

/** What is kept of a session beside its log. Small: it is read on every list. */
export interface SessionRecord {
  readonly sessionId: SessionId;
  /** Name in the agent registry; never changes. */
  readonly agent: string;
  /** The version of ACP in which every message of the session is, for life; 1 when absent. */
  readonly protocolVersion?: AcpVersion;
  /** The id that the agent itself uses now; differs from `sessionId` only after a collision or a restore. */
  readonly agentSessionId: string;
  /** `requestedSessionId`: accepted wherever a session id is; unique on the server. */
  readonly alias?: string;
  /** Where a version was asked for at creation: what runs. */
  readonly agentVersion?: AgentVersion;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  /** What was approved; absent in records from before there were boundaries. */
  readonly place?: SessionPlace;
  readonly title?: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Number of the newest agent process, from 1. */
  readonly agentEpoch: AgentEpoch;
  readonly closed: boolean;
  /** Of the last start or the last turn, until a turn ends well. */
  readonly failure?: SessionFailure | undefined;
  /** Members that the agent's `session/new` result had beside `sessionId` (modes, configOptions, models, unknown ones), as last known. */
  readonly setup: { readonly [member: string]: unknown };
  /** What clients said in `_meta["sandboxagent.dev"]` at creation and later, without the title; see `metadataOf`. */
  readonly metadata: { readonly [member: string]: unknown };
  /** The agent does not know what was said: its next prompt is preceded by the transcript. */
  readonly untold?: boolean;
  /** Choices of the metadata that wait for the next agent process. */
  readonly awaited?: readonly Choice[];
}

export interface TurnRecord {
  readonly sessionId: SessionId;
  readonly idempotencyKey: string;
  /** Seq of the turn's `prompt` event: its `turn_end` is the first one after it. */
  readonly promptSeq: EventSeq;
}

export interface SessionPage {
  readonly sessions: readonly SessionRecord[];
  /** Opaque; absent on the last page. */
  readonly nextCursor?: string;
}

export interface ListQuery {
  readonly cwd?: string;
  readonly cursor?: string;
  /** 1 to 1000. */
  readonly limit: number;
  /** Only sessions that have each of these in the title, or said as the beginning of a word; see `wordsOf`. */
  readonly words?: readonly string[];
}

/** All writes are durable once resolved. */
export interface SessionStore {
  /** Inserts or replaces. `alias-taken` when another session has the alias or has it as its id. */
  put(record: SessionRecord): Promise<'stored' | 'alias-taken'>;
  /** By session id, else by alias. */
  find(idOrAlias: string): Promise<SessionRecord | undefined>;
  /** The session of that agent which the agent itself knows by this id now. */
  findByAgentSession(agent: string, agentSessionId: string): Promise<SessionRecord | undefined>;
  /** Newest `updatedAt` first, ties by id; `undefined` for a cursor that this store did not make. */
  list(query: ListQuery): Promise<SessionPage | undefined>;
  /** Removes the record and its turns; an unknown id is no error. */
  remove(sessionId: SessionId): Promise<void>;
  /** First one wins: false if the key is there already. */
  putTurn(turn: TurnRecord): Promise<boolean>;
  findTurn(sessionId: SessionId, idempotencyKey: string): Promise<TurnRecord | undefined>;
}
