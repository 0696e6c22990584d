import type { PackedRecord, StoredRecord } from '../../audit/audit-record.ts';
import type { LeaseResult } from '../../events/event-log.ts';
import type { StoreErrorCode } from '../store-error.ts';

/** What is asked of the worker: the name of an operation, what it is given, and what it answers. All of it can be cloned. */
export interface Writes {
  acquire: Operation<{ session: string; owner: string; now: number; ttlMs: number }, LeaseResult>;
  renew: Operation<{ session: string; epoch: number; now: number; ttlMs: number }, boolean>;
  release: Operation<{ session: string; epoch: number }, void>;
  append: Operation<
    { session: string; epoch: number; firstSeq: number; count: number; body: Uint8Array; giveBack: boolean },
    AppendAnswer
  >;
  /** Takes away a bounded number of bytes; true when nothing below `before` is left. */
  truncate: Operation<{ session: string; before: number }, boolean>;
  erase: Operation<{ session: string }, void>;
  /** Takes away a bounded number of bytes of erased logs; true when nothing is left. */
  sweep: Operation<object, boolean>;
  /** `record`: JSON. */
  putSession: Operation<
    { id: string; alias: string | null; cwd: string; updatedAt: number; record: string },
    'stored' | 'alias-taken'
  >;
  removeSession: Operation<{ id: string }, void>;
  indexText: Operation<{ session: string; seq: number; text: string }, void>;
  putTurn: Operation<{ session: string; key: string; promptSeq: number }, boolean>;
  /** `record` is JSON of the request without its state; `state` is JSON, null while pending. */
  addRequest: Operation<
    { id: string; session: string; createdAt: number; record: string; state: string | null },
    'stored' | 'duplicate'
  >;
  settleRequest: Operation<{ id: string; state: string }, boolean>;
  voidRequests: Operation<{ state: string; session: string | null }, number>;
  removeRequests: Operation<{ session: string }, void>;
  /** Gives the number of the record. */
  appendAudit: Operation<{ record: PackedRecord }, number>;
  addCheckpoint: Operation<{ size: number; note: string }, void>;
  keepAudit: Operation<{ name: string; value: string }, void>;
  putDecisions: Operation<{ about: 'root' | 'server'; decisions: readonly DecisionRow[] }, void>;
  /** Gives how many of them there were. */
  removeDecisions: Operation<{ about: 'root' | 'server'; ids: readonly string[] }, number>;
  removeDecisionsOf: Operation<{ session: string }, void>;
}

export interface Reads {
  readLog: Operation<{ session: string; afterSeq: number; maxBytes: number }, readonly StoredChunk[]>;
  head: Operation<{ session: string }, number>;
  /** JSON of the record. */
  findSession: Operation<{ name: string }, string | undefined>;
  /** JSON of the record. */
  findAgentSession: Operation<{ agent: string; agentSessionId: string }, string | undefined>;
  /** JSON of up to `limit` records after a place in the order of the list. */
  listSessions: Operation<{ cwd: string | null; updatedAt: number; id: string; limit: number }, readonly string[]>;
  indexedSeq: Operation<{ session: string }, number>;
  /** Like `listSessions`, of those that have all of the words. */
  searchSessions: Operation<
    { words: readonly string[]; cwd: string | null; updatedAt: number; id: string; limit: number },
    readonly string[]
  >;
  findTurn: Operation<{ session: string; key: string }, number | undefined>;
  findRequest: Operation<{ id: string }, RequestRow | undefined>;
  listRequests: Operation<{ session: string | null; pendingOnly: boolean }, readonly RequestRow[]>;
  /** Of the numbers `low` to `high`, both included. */
  readAudit: Operation<
    {
      order: 'oldest' | 'newest';
      low: number;
      high: number;
      session: string | null;
      ofKind: string | null;
      decision: string | null;
      server: string | null;
      label: string | null;
      /** The label of a trace. */
      trace: string | null;
      since: number | null;
      until: number | null;
      limit: number;
    },
    readonly AuditRow[]
  >;
  auditTree: Operation<object, { readonly size: number; readonly roots: Uint8Array }>;
  /** Of the numbers from `from` up to `to`, one behind the other. */
  auditLeaves: Operation<{ from: number; to: number }, Uint8Array>;
  listCheckpoints: Operation<object, readonly string[]>;
  lastCheckpoint: Operation<object, string | undefined>;
  keptAudit: Operation<{ name: string }, string | undefined>;
  /** JSON of the decisions. */
  listDecisions: Operation<
    { about: 'root' | 'server'; fingerprint: string | null; session: string | null; scope: string | null },
    readonly string[]
  >;
}

interface Operation<Input, Answer> {
  readonly input: Input;
  readonly answer: Answer;
}

/** The body of an appended chunk comes back if it was moved, which `giveBack` says. */
export type AppendAnswer =
  | { readonly kind: 'appended'; readonly body?: Uint8Array }
  | { readonly kind: 'conflict'; readonly actualSeq: number }
  | { readonly kind: 'fenced' };

export interface StoredChunk {
  readonly firstSeq: number;
  readonly count: number;
  readonly body: Uint8Array;
}

export interface RequestRow {
  readonly record: string;
  readonly state: string | null;
}

export type AuditRow = StoredRecord;

/** `record`: JSON. */
export interface DecisionRow {
  readonly id: string;
  readonly fingerprint: string;
  readonly scope: string;
  readonly session: string | null;
  readonly record: string;
}

type Call<Operations, Kind extends keyof Operations> = { readonly kind: Kind } & InputOf<Operations[Kind]>;
type InputOf<O> = O extends Operation<infer Input, unknown> ? Readonly<Input> : never;

export type AnswerTo<Operations, Kind extends keyof Operations> =
  Operations[Kind] extends Operation<infer _Input, infer Answer> ? Answer : never;
export type WriteCall = { [Kind in keyof Writes]: Call<Writes, Kind> }[keyof Writes];
export type ReadCall = { [Kind in keyof Reads]: Call<Reads, Kind> }[keyof Reads];

/** What carries out operations; the statements behind it are prepared once. */
export type Handlers<Operations> = {
  readonly [Kind in keyof Operations]: (input: InputOf<Operations[Kind]>) => AnswerTo<Operations, Kind>;
};

/** One message to the worker: the writes are one transaction, the reads come after it. */
export type ToWorker =
  | { readonly kind: 'batch'; readonly writes: readonly WriteCall[]; readonly reads: readonly ReadCall[] }
  | { readonly kind: 'close' };

export type FromWorker =
  | { readonly kind: 'opened' }
  | { readonly kind: 'not-opened'; readonly failure: Failure }
  /** The writes of the batch in hand are on disk, or not, in their order. */
  | { readonly kind: 'written'; readonly outcomes: readonly Outcome[] }
  /** The next read of the batch in hand. */
  | { readonly kind: 'read'; readonly outcome: Outcome };

export type Outcome =
  | { readonly kind: 'done'; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly failure: Failure };

export interface Failure {
  readonly code: StoreErrorCode;
  readonly message: string;
}
