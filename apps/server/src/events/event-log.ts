import type { EventSeq, LeaseEpoch, SessionId } from '@reeve/protocol';
import type { EventChunk } from './event-chunk.ts';

/**
 * The append-only history of every session.
 * Sequence numbers start at 1, have no gaps, and are never reused, not after `truncate` and not after a crash.
 */
export interface EventLog {
  /**
   * Takes the ownership of a session's log, making it if there is none. The epoch grows with every acquisition and
   * fences all owners before. While another owner's lease has not run out the answer is `held`.
   */
  acquire(session: SessionId, owner: string, ttlMs: number): Promise<LeaseResult>;
  /** False when the lease is no longer this epoch's. */
  renew(session: SessionId, epoch: LeaseEpoch, ttlMs: number): Promise<boolean>;
  /** Gives the lease back; a stale epoch changes nothing. */
  release(session: SessionId, epoch: LeaseEpoch): Promise<void>;

  /**
   * Durable once resolved. A stale epoch or a wrong `chunk.firstSeq` (it must be one more than the last seq) is an
   * answer, not an exception; nothing is written then. Appends of one owner must be sent in order, and may overlap.
   * The chunk's body may be moved away while it is written: use the chunk of the answer afterwards.
   * Rejects only if the store itself fails (disk full, closed).
   */
  append(session: SessionId, epoch: LeaseEpoch, chunk: EventChunk): Promise<AppendResult>;

  /**
   * Stored events after `afterSeq`, in order, as chunks; at least one event if there is any, and no more chunks than
   * needed to reach `maxBytes`. The first chunk is cut so that it begins after `afterSeq`. Events that `truncate` took away
   * are passed over: the first seq tells.
   */
  read(session: SessionId, afterSeq: EventSeq, maxBytes: number): Promise<readonly EventChunk[]>;

  /** Seq of the last stored event; 0 for an empty or unknown log. */
  head(session: SessionId): Promise<EventSeq>;

  /** Removes stored events with a seq below `before`, by whole chunks (some below may stay). Numbers are not reused. */
  truncate(session: SessionId, before: EventSeq): Promise<void>;

  /** Removes the log and its lease. An unknown session is no error. */
  erase(session: SessionId): Promise<void>;
}

export type LeaseResult =
  | { readonly kind: 'acquired'; readonly epoch: LeaseEpoch; readonly lastSeq: EventSeq }
  | { readonly kind: 'held'; readonly owner: string; readonly untilMs: number };

export type AppendResult =
  | { readonly kind: 'appended'; readonly lastSeq: EventSeq; readonly chunk: EventChunk }
  | { readonly kind: 'conflict'; readonly actualSeq: EventSeq }
  | { readonly kind: 'fenced' };
