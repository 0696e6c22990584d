import type { Worker } from 'node:worker_threads';
import { StoreError } from '../store-error.ts';
import { withLastRecords } from './last-records.ts';
import type {
  AnswerTo,
  Failure,
  FromWorker,
  Outcome,
  ReadCall,
  Reads,
  ToWorker,
  WriteCall,
  Writes,
} from './operation.ts';
import type { Waiting } from './waiting-call.ts';

/** What one message to the worker holds at most: a bigger transaction would keep its first operation waiting for its last. */
const BATCH_BYTES = 16 * 1024 * 1024;
/** What the reads between two transactions hand out at most, so that writes wait for few of them. */
const READ_BATCH_BYTES = 4 * 1024 * 1024;
const SMALL_READ_BYTES = 64 * 1024;
/** Bodies up to this travel together as copies in one block: moving memory there and back costs more than a short copy. */
export const PACKED_BYTES = 16 * 1024;
/** How long an unhurried write waits for others, so that they share a transaction. */
export const UNHURRIED_MS = 10;

/**
 * Gathers operations while the worker is busy and sends them as one message when it is free: the group commit.
 * Writes are carried out in the order of their calls; a read sees every write that was called before it.
 */
export class OperationQueue {
  readonly #worker: Worker;
  #writes: Waiting<WriteCall>[] = [];
  #reads: Waiting<ReadCall>[] = [];
  #writesCalled = 0;
  #writesSent = 0;
  #writing: readonly Waiting<WriteCall>[] = [];
  #reading: Waiting<ReadCall>[] = [];
  /** Of the writes that wait, those that somebody waits for. */
  #hurried = 0;
  #scheduled = false;
  #later: NodeJS.Timeout | undefined;
  #refusal: StoreError | undefined;
  #closed: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  /** The worker must have said `opened`. */
  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (message: FromWorker) => this.#receive(message));
    worker.on('error', (error) =>
      this.#break({
        code: 'broken',
        message: `the thread of the store failed (${error.message}): start the server again`,
      }),
    );
    worker.on('exit', () =>
      this.#break({ code: 'broken', message: 'the thread of the store ended: start the server again' }),
    );
  }

  /**
   * The memory of an `append`'s body above PACKED_BYTES is moved to the worker: it must be nobody else's. An `unhurried` write goes with the next
   * one that is not, or with the next read, and after UNHURRIED_MS at the latest.
   */
  write<Kind extends keyof Writes>(
    call: WriteCall & { readonly kind: Kind },
    pace?: 'unhurried',
  ): Promise<AnswerTo<Writes, Kind>> {
    return new Promise((resolve, reject) => {
      if (this.#refusal) return reject(this.#refusal);
      const hurried = pace === undefined;
      this.#writes.push({ call, resolve, reject, writesBefore: this.#writesCalled, hurried });
      this.#writesCalled += 1;
      if (hurried) this.#hurried += 1;
      this.#schedule();
    });
  }

  read<Kind extends keyof Reads>(call: ReadCall & { readonly kind: Kind }): Promise<AnswerTo<Reads, Kind>> {
    return new Promise((resolve, reject) => {
      if (this.#refusal) return reject(this.#refusal);
      this.#reads.push({ call, resolve, reject, writesBefore: this.#writesCalled, hurried: true });
      this.#schedule();
    });
  }

  /** Finishes what was called before, then ends the worker. Later calls reject. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const broken = this.#refusal !== undefined;
    this.#refusal ??= new StoreError('closed', 'the store is closed: open it again');
    if (!broken && this.#busy) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
        this.#schedule();
      });
    }
    clearTimeout(this.#later);
    if (this.#worker.threadId === -1) return;
    const exit = new Promise((resolve) => this.#worker.once('exit', resolve));
    this.#worker.postMessage({ kind: 'close' } satisfies ToWorker);
    await exit;
  }

  get #busy(): boolean {
    return this.#writes.length + this.#reads.length + this.#writing.length + this.#reading.length > 0;
  }

  /** After the running callback, so that what it calls together is sent together; later where nobody waits for it. */
  #schedule(): void {
    if (this.#scheduled || this.#writing.length + this.#reading.length > 0) return;
    const awaited = this.#hurried + this.#reads.length > 0 || this.#onIdle !== undefined;
    if (!awaited && this.#writes.length > 0) {
      this.#later ??= setTimeout(() => this.#flush(), UNHURRIED_MS);
      return;
    }
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
    if (this.#writing.length + this.#reading.length > 0) return;
    if (this.#writes.length + this.#reads.length === 0) {
      this.#onIdle?.();
      return;
    }
    this.#writing = this.#takeWrites();
    this.#reading = this.#takeReads();
    const { writes, moved } = packed(this.#writing.map(({ call }) => call));
    const reads = this.#reading.map(({ call }) => call);
    try {
      this.#worker.postMessage({ kind: 'batch', writes, reads } satisfies ToWorker, moved);
    } catch (error) {
      this.#refuse(error);
    }
  }

  /** The batch in hand could not be sent: somebody moved a body away after its append was called. */
  #refuse(cause: unknown): void {
    const error = new StoreError(
      'invalid',
      `the operations cannot be sent to the store (${String(cause)}): leave a body alone once it is appended`,
    );
    const refused = [...this.#writing, ...this.#reading];
    this.#writing = [];
    this.#reading = [];
    for (const { reject } of refused) reject(error);
    this.#schedule();
  }

  #takeWrites(): readonly Waiting<WriteCall>[] {
    let bytes = 0;
    const end = this.#writes.findIndex(({ call }, index) => {
      bytes += call.kind === 'append' ? call.body.byteLength : 0;
      return index > 0 && bytes > BATCH_BYTES;
    });
    const taken = end === -1 ? this.#writes : this.#writes.splice(0, end);
    if (end === -1) this.#writes = [];
    this.#writesSent += taken.length;
    for (const { hurried } of taken) if (hurried) this.#hurried -= 1;
    return withLastRecords(taken);
  }

  #takeReads(): Waiting<ReadCall>[] {
    let bytes = 0;
    const end = this.#reads.findIndex(({ call, writesBefore }, index) => {
      bytes += call.kind === 'readLog' ? call.maxBytes : SMALL_READ_BYTES;
      return writesBefore > this.#writesSent || (index > 0 && bytes > READ_BATCH_BYTES);
    });
    return this.#reads.splice(0, end === -1 ? this.#reads.length : end);
  }

  #receive(message: FromWorker): void {
    if (message.kind === 'written') {
      const written = this.#writing;
      this.#writing = [];
      for (const [index, outcome] of message.outcomes.entries()) settle(written[index], outcome);
      const broken = message.outcomes.find(isBroken);
      if (broken) this.#break(broken.failure);
    } else if (message.kind === 'read') {
      settle(this.#reading.shift(), message.outcome);
    }
    // In a microtask: what the answers bring about belongs to the next batch.
    this.#schedule();
  }

  #break(failure: Failure): void {
    const error = new StoreError(failure.code, failure.message);
    if (this.#refusal?.code !== 'broken') this.#refusal = this.#refusal?.code === 'closed' ? this.#refusal : error;
    const left = [...this.#writing, ...this.#reading, ...this.#writes, ...this.#reads];
    this.#writing = [];
    this.#reading = [];
    this.#writes = [];
    this.#reads = [];
    this.#hurried = 0;
    for (const { reject } of left) reject(error);
    this.#onIdle?.();
  }
}

/** The calls as they are sent: large bodies are moved, small ones stand in one block that is made for the way. */
function packed(calls: readonly WriteCall[]): { writes: readonly WriteCall[]; moved: ArrayBuffer[] } {
  const moved: ArrayBuffer[] = [];
  let bytes = 0;
  for (const call of calls) {
    if (call.kind !== 'append') continue;
    if (call.giveBack) moved.push(call.body.buffer as ArrayBuffer);
    else bytes += call.body.byteLength;
  }
  if (bytes === 0) return { writes: calls, moved };
  const block = new Uint8Array(bytes);
  moved.push(block.buffer);
  let at = 0;
  const writes = calls.map((call) => {
    if (call.kind !== 'append' || call.giveBack) return call;
    block.set(call.body, at);
    const body = block.subarray(at, at + call.body.byteLength);
    at += call.body.byteLength;
    return { ...call, body };
  });
  return { writes, moved };
}

type Failed = Extract<Outcome, { kind: 'failed' }>;

function isBroken(outcome: Outcome): outcome is Failed {
  return outcome.kind === 'failed' && outcome.failure.code === 'broken';
}

function settle(waiting: Waiting<unknown> | undefined, outcome: Outcome): void {
  if (outcome.kind === 'done') waiting?.resolve(outcome.answer as never);
  else waiting?.reject(new StoreError(outcome.failure.code, outcome.failure.message));
}
