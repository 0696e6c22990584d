import type {
  AgentCheck,
  AgentDetails,
  AgentInfo,
  ChangedMetadata,
  CreatedSession,
  EventSeq,
  Health,
  InstallableAgent,
  JsonObject,
  NewFork,
  NewSession,
  NewTurn,
  RequestAnswer,
  RequestId,
  RequestInfo,
  SandboxReport,
  SessionInfo,
  SessionPage,
} from '@reeve/protocol';
import type { EventChunk } from '../events/event-chunk.ts';
import type { DrivenTurn } from './session-driver.ts';

/** What the control API needs of the server. Sessions are named by id or alias. */
export interface ControlPort {
  health(): Health;
  /** What this machine can hold a boundary with. */
  sandbox(): Promise<SandboxReport>;
  agents(): Promise<readonly AgentInfo[]>;
  /** Agents that are nowhere on this machine and can be installed. */
  installable(): readonly InstallableAgent[];
  /** Starts nothing; undefined for an unknown name. */
  agent(name: string): Promise<AgentDetails | undefined>;
  /** Starts the agent, initializes it and ends it; undefined for an unknown name. */
  checkAgent(name: string, signal: AbortSignal): Promise<AgentCheck | undefined>;
  /** Undefined for a cursor that this server did not make. */
  listSessions(query: SessionQuery): Promise<SessionPage | undefined>;
  session(id: string): Promise<SessionInfo | undefined>;
  /** At most `limit` events after `after`; undefined for an unknown session. */
  events(id: string, after: EventSeq, limit: number): Promise<EventChunkPage | undefined>;
  /** What `session/new` gave. Rejects with a ReeveError, as `prompt` and `cancel` do. */
  createSession(wanted: NewSession, by: string): Promise<CreatedSession>;
  /** What `session/fork` gave; rejects with a ReeveError. */
  forkSession(id: string, wanted: NewFork, by: string): Promise<CreatedSession>;
  prompt(id: string, turn: NewTurn, by: string): Promise<DrivenTurn>;
  cancel(id: string, by: string): Promise<void>;
  terminate(id: string, by: string): Promise<void>;
  /** Merges; gives the whole. */
  setMetadata(id: string, patch: JsonObject, by: string): Promise<ChangedMetadata>;
  /** At most `limit` events before `before`, the last of them; `hasMore`: there are some before these. Undefined for an unknown session. */
  eventsBefore(id: string, before: EventSeq, limit: number): Promise<EventChunkPage | undefined>;
  /** Stored events after `after`, then live ones; ends when `signal` aborts or the session is deleted. `by`: who reads, as others are told. */
  follow(id: string, after: EventSeq, by: string, signal: AbortSignal): AsyncIterable<EventChunk>;
  /** False for an unknown session; closing twice is no error. */
  closeSession(id: string, by: string): Promise<boolean>;
  /** An unknown session is no error. */
  deleteSession(id: string, by: string): Promise<void>;
  requests(query: RequestQuery): Promise<readonly RequestInfo[]>;
  request(id: RequestId): Promise<RequestInfo | undefined>;
  /** `by`: who answers, as the others are told. */
  answer(id: RequestId, answer: RequestAnswer, by: string): Promise<AnswerOutcome>;
}

export interface SessionQuery {
  readonly cwd?: string;
  readonly cursor?: string;
  /** 1 to 1000. */
  readonly limit: number;
  /** Words of the title or of what was said. */
  readonly q?: string;
}

/** `EventPage` of the API before it is encoded. */
export interface EventChunkPage {
  readonly chunks: readonly EventChunk[];
  readonly hasMore: boolean;
  /** Of the whole log. */
  readonly lastSeq: EventSeq;
}

export interface RequestQuery {
  readonly session?: string;
  readonly pendingOnly: boolean;
}

export type AnswerOutcome =
  | { readonly kind: 'answered'; readonly request: RequestInfo }
  | { readonly kind: 'unknown' }
  /** Somebody was faster, or nobody can be answered any more. */
  | { readonly kind: 'settled'; readonly request: RequestInfo }
  | { readonly kind: 'not-offered'; readonly detail: string; readonly offered: readonly string[] };
