import type { EventSeq, LeaseEpoch, SessionId } from '@reeve/protocol';
import { ChunkBuilder, type EventChunk, lastSeqOf, type NewEvent } from './event-chunk.ts';
import type { EventLog } from './event-log.ts';

/** A chunk is closed at this size, so that reading one back costs a bounded amount of memory. */
const CHUNK_BYTES = 256 * 1024;
/** How long an event that nobody waits for may wait for company. */
const PATIENCE_MS = 1;

export interface JournalOptions {
  readonly log: EventLog;
  readonly session: SessionId;
  readonly epoch: LeaseEpoch;
  /** Seq of the last event that is stored. */
  readonly lastSeq: EventSeq;
  /** Called in order, once per chunk, as soon as the chunk is on disk. */
  readonly onDurable: (chunk: EventChunk) => void;
  /** The log refused or failed: nothing more is written. Called once. */
  readonly onFailure: (error: Error) => void;
}

/**
 * The writer of one session's log: numbers events as they come and stores them in batches. While a batch is on its
 * way the next one gathers, so that a flood costs few writes and a single event waits for none.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #building = new ChunkBuilder();
  /** Full chunks that wait for the batch before them. */
  #full: EventChunk[] = [];
  #nextSeq: number;
  #chunkFirst: number;
  #durable: number;
  #inFlight = false;
  #scheduled = false;
  #patience: NodeJS.Timeout | undefined;
  #waitingBytes = 0;
  #failure: Error | undefined;
  #waiters: { seq: number; resolve: () => void; reject: (error: Error) => void }[] = [];
  #lowWater: { bytes: number; run: () => void } | undefined;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#nextSeq = options.lastSeq + 1;
    this.#chunkFirst = this.#nextSeq;
    this.#durable = options.lastSeq;
  }

  /** Seq of the last event that was numbered; it may not be on disk yet. */
  get assignedSeq(): EventSeq {
    return (this.#nextSeq - 1) as EventSeq;
  }

  get durableSeq(): EventSeq {
    return this.#durable as EventSeq;
  }

  /** Bytes that are numbered and not on disk: what an owner looks at before it reads more from the agent. */
  get backlogBytes(): number {
    return this.#waitingBytes;
  }

  /**
   * Numbers the event. It is on disk when `durable(seq)` resolves. After a failure it throws that failure.
   * `patient`: nobody waits for this event; it may wait a moment for the next one and share its write.
   */
  append(event: NewEvent, patient = false): EventSeq {
    if (this.#failure) throw this.#failure;
    const seq = this.#nextSeq as EventSeq;
    this.#nextSeq += 1;
    const before = this.#building.byteLength;
    this.#building.add(event);
    this.#waitingBytes += this.#building.byteLength - before;
    if (this.#building.byteLength >= CHUNK_BYTES) this.#closeChunk();
    this.#schedule(patient);
    return seq;
  }

  /** Resolves when everything up to `seq` is on disk; rejects when the log failed before that. */
  durable(seq: EventSeq = this.assignedSeq): Promise<void> {
    if (seq <= this.#durable) return Promise.resolve();
    if (this.#failure) return Promise.reject(this.#failure);
    this.#schedule(false);
    return new Promise((resolve, reject) => this.#waiters.push({ seq, resolve, reject }));
  }

  /** Calls `run` once, when the backlog is at most `bytes` (or the log failed). One at a time: the latest counts. */
  whenBacklogBelow(bytes: number, run: () => void): void {
    this.#lowWater = { bytes, run };
  }

  #closeChunk(): void {
    if (this.#building.count === 0) return;
    this.#full.push(this.#building.take(this.#chunkFirst as EventSeq));
    this.#chunkFirst = this.#nextSeq;
  }

  /** Gathers what one turn of the event loop brings before writing it. */
  #schedule(patient: boolean): void {
    if (this.#inFlight || this.#scheduled) return;
    if (patient) {
      this.#patience ??= setTimeout(() => {
        this.#patience = undefined;
        this.#schedule(false);
      }, PATIENCE_MS);
      return;
    }
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (!this.#inFlight) void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    this.#inFlight = true;
    while (!this.#failure) {
      this.#closeChunk();
      const chunks = this.#full;
      if (chunks.length === 0) break;
      this.#full = [];
      try {
        await Promise.all(chunks.map((chunk) => this.#store(chunk)));
      } catch (error) {
        this.#fail(error instanceof Error ? error : new Error(String(error)));
      }
    }
    this.#inFlight = false;
  }

  async #store(chunk: EventChunk): Promise<void> {
    const { log, session, epoch } = this.#options;
    const bytes = chunk.body.byteLength;
    const result = await log.append(session, epoch, chunk);
    if (this.#failure) return;
    if (result.kind !== 'appended') {
      const why = result.kind === 'fenced' ? 'another server took it over' : `its last seq is ${result.actualSeq}`;
      throw new Error(`the log of session ${session} refused seq ${chunk.firstSeq}: ${why}`);
    }
    this.#waitingBytes -= bytes;
    this.#durable = lastSeqOf(result.chunk);
    this.#options.onDurable(result.chunk);
    this.#settleWaiters();
    this.#checkLowWater();
  }

  #settleWaiters(): void {
    if (this.#waiters.length === 0) return;
    const waiting = this.#waiters;
    this.#waiters = waiting.filter((waiter) => waiter.seq > this.#durable);
    for (const waiter of waiting) if (waiter.seq <= this.#durable) waiter.resolve();
  }

  #checkLowWater(): void {
    const mark = this.#lowWater;
    if (!mark || (this.#waitingBytes > mark.bytes && !this.#failure)) return;
    this.#lowWater = undefined;
    mark.run();
  }

  #fail(error: Error): void {
    if (this.#failure) return;
    this.#failure = error;
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
    this.#checkLowWater();
    this.#options.onFailure(error);
  }
}
