import type {
  BegunTurn,
  BoundaryInfo,
  ChangedMetadata,
  JsonObject,
  NewTurn,
  RequestAnswer,
  RequestInfo,
  SessionInfo,
  WireEvent,
} from '@reeve/protocol';
import type { TimelineItem, TimelineView } from '../timeline/timeline-item.ts';
import type { LiveState } from './live-value.ts';

/** What waits for a person, over all sessions or in one. */
export interface InboxView {
  readonly state: LiveState;
  /** Pending, oldest first. */
  readonly requests: readonly RequestInfo[];
  /** Resolved while somebody looked, newest first: to say by whom. At most 100. */
  readonly resolved: readonly RequestInfo[];
  /** Rejects with a `CallError`: `already_resolved` (then the request says by whom), `not_offered`, … */
  answer(id: string, answer: RequestAnswer): Promise<RequestInfo>;
}

export interface SessionsView {
  readonly state: LiveState;
  /** Newest first; of the pages that were loaded. */
  readonly sessions: readonly SessionInfo[];
  readonly hasMore: boolean;
  loadMore(): Promise<void>;
}

/** One session: what it is, what happened, and what can be done. */
export interface SessionView {
  readonly state: LiveState;
  /** Undefined while loading. */
  readonly info: SessionInfo | undefined;
  readonly timeline: TimelineView;
  /** What waits in this session, oldest first. */
  readonly requests: readonly RequestInfo[];
  /** There are events before the first that was read. */
  readonly hasOlder: boolean;
  readonly isLoadingOlder: boolean;
  /** One page more, before the first. */
  loadOlder(): Promise<void>;
  /** Loads older pages until the event is there; the index of its item, else of the one before it; undefined where the log no longer has it. */
  jumpTo(seq: number): Promise<number | undefined>;
  /** The raw events of an item, as they crossed the wire; at most 1000 of them. */
  rawOf(item: TimelineItem, signal?: AbortSignal): Promise<readonly WireEvent[]>;
  /** Settles when the turn was begun or queued. The prompt is shown by its event. */
  prompt(turn: NewTurn): Promise<BegunTurn>;
  cancel(): Promise<void>;
  answer(id: string, answer: RequestAnswer): Promise<RequestInfo>;
  /** `{title, model, agentMode, permissionMode, …}`, merged (RFC 7396). */
  setMetadata(patch: JsonObject): Promise<ChangedMetadata>;
  close(): Promise<void>;
  terminate(): Promise<void>;
  remove(): Promise<void>;
}

/** The boundary of a session. */
export interface BoundaryView {
  readonly state: LiveState;
  /** What it may reach, and what holds its agent to that. */
  readonly boundary: SessionInfo['boundary'];
  /** How each root stands with each MCP server; read again whenever the boundary or a server changes. */
  readonly standing: BoundaryInfo | undefined;
  /** Reads it again now. */
  refresh(): void;
}
