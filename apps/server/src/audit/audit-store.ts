import type { NewRecord, StoredRecord } from './audit-record.ts';
import type { Frontier } from './merkle-tree.ts';

/** All conditions that are given must hold. */
export interface RecordFilter {
  readonly session?: string;
  readonly kind?: string;
  readonly decision?: string;
  /** Name or fingerprint of an MCP server: records that tell of it. */
  readonly server?: string;
  /** Of a directory or file: records about it, or about anything below it. */
  readonly label?: string;
  /** Records of this trace, or answered in it. */
  readonly trace?: string;
  /** Milliseconds since the epoch, inclusive. */
  readonly since?: number;
  /** Milliseconds since the epoch, exclusive. */
  readonly until?: number;
}

export interface RecordQuery extends RecordFilter {
  readonly order: 'oldest' | 'newest';
  /** The first number that may be given; the end of the log in that order when left out. */
  readonly from?: number;
  /** 1 to 10,000. */
  readonly limit: number;
}

export interface RecordPage {
  readonly records: readonly StoredRecord[];
  /** The `from` of the next page; absent when there is none. */
  readonly next?: number;
}

/**
 * The audit log and its hash tree: records are added and never changed or removed. All writes are durable once resolved,
 * and take effect in the order of their calls, with those of the whole store.
 */
export interface AuditStore {
  /**
   * Numbers the record, adds it and its leaf, and gives its number. Rejects with `invalid` for one without canonical JSON. One that is
   * `unhurried` may wait a few milliseconds for others to be written with; reads see it all the same.
   */
  append(record: NewRecord, pace?: 'unhurried'): Promise<number>;
  tree(): Promise<Frontier>;
  read(query: RecordQuery): Promise<RecordPage>;
  /** The leaf hashes of the first `size` records, one behind the other. */
  leaves(size: number): Promise<Uint8Array>;
  /** Replaces one of the same size. */
  addCheckpoint(size: number, note: string): Promise<void>;
  /** The smallest first. */
  checkpoints(): Promise<readonly string[]>;
  /** The one of the greatest size. */
  lastCheckpoint(): Promise<string | undefined>;
  /** Keeps a value beside the log: its name, its wrapped keys. */
  keep(name: string, value: string): Promise<void>;
  kept(name: string): Promise<string | undefined>;
}
