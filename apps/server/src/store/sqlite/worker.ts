import type { DatabaseSync } from 'node:sqlite';
import { parentPort, type Transferable } from 'node:worker_threads';
import { auditReads, auditWrites } from './audit-operations.ts';
import { type DatabaseOptions, openDatabase } from './database.ts';
import { eventReads, eventWrites } from './event-operations.ts';
import { grantReads, grantWrites } from './grant-operations.ts';
import type {
  AppendAnswer,
  Failure,
  FromWorker,
  Handlers,
  Outcome,
  Reads,
  StoredChunk,
  ToWorker,
  WriteCall,
  Writes,
} from './operation.ts';
import { requestReads, requestWrites } from './request-operations.ts';
import { searchReads, searchWrites } from './search-operations.ts';
import { sessionReads, sessionWrites } from './session-operations.ts';
import { answerRead, createBatchWriter, failureOf } from './write-batch.ts';

/** A checkpoint writes back what the WAL holds: little at a time while batches come, the rest when none come. */
const CHECKPOINT_BYTES = 8 * 1024 * 1024;
const IDLE_MS = 200;
/** About what the WAL grows by beside the bodies: pages that a batch touches once, and what each operation adds to them. */
const BATCH_OVERHEAD_BYTES = 32 * 1024;
const OPERATION_BYTES = 1024;

const port = parentPort;
if (!port) throw new Error('worker.ts is started by openSqliteStore, in a thread of its own');
const post = (message: FromWorker, moved: readonly Transferable[] = []): void => port.postMessage(message, moved);

/** Opens the database, says whether that worked, and serves operations until it is told to close. */
export function runStore(options: DatabaseOptions): void {
  try {
    serve(openDatabase(options));
    post({ kind: 'opened' });
  } catch (error) {
    post({ kind: 'not-opened', failure: failureOf(error) });
    port?.close();
  }
}

function serve(db: DatabaseSync): void {
  const writes: Handlers<Writes> = {
    ...eventWrites(db),
    ...sessionWrites(db),
    ...searchWrites(db),
    ...requestWrites(db),
    ...auditWrites(db),
    ...grantWrites(db),
  };
  const reads: Handlers<Reads> = {
    ...eventReads(db),
    ...sessionReads(db),
    ...searchReads(db),
    ...requestReads(db),
    ...auditReads(db),
    ...grantReads(db),
  };
  const writeBatch = createBatchWriter(db, writes);
  let broken: Failure | undefined;
  let walBytes = 0;
  const idle = setTimeout(() => checkpoint('PASSIVE'), IDLE_MS).unref();

  const checkpoint = (mode: 'PASSIVE' | 'TRUNCATE'): void => {
    if (broken || walBytes === 0) return;
    try {
      db.exec(`PRAGMA wal_checkpoint(${mode})`);
      walBytes = 0;
    } catch (error) {
      const failure = failureOf(error);
      // Without space the WAL keeps what it has, and grows as long as it can.
      if (failure.code === 'full') walBytes = 0;
      else broken = { ...failure, code: 'broken' };
    }
  };

  port?.on('message', (message: ToWorker) => {
    if (message.kind === 'close') {
      clearTimeout(idle);
      checkpoint('TRUNCATE');
      if (!broken) db.close();
      port.close();
      return;
    }
    if (message.writes.length > 0) {
      walBytes += sizeOf(message.writes);
      const failure = broken;
      const result = failure
        ? { outcomes: message.writes.map((): Outcome => ({ kind: 'failed', failure })) }
        : writeBatch(message.writes);
      if ('broken' in result) broken = result.broken;
      post({ kind: 'written', outcomes: result.outcomes }, bodiesOf(result.outcomes));
    }
    for (const call of message.reads) {
      const outcome = answerRead(reads, call);
      post({ kind: 'read', outcome }, call.kind === 'readLog' ? chunkBodiesOf(outcome) : []);
    }
    if (walBytes >= CHECKPOINT_BYTES) checkpoint('PASSIVE');
    if (walBytes > 0) idle.refresh();
  });
}

function sizeOf(calls: readonly WriteCall[]): number {
  let bytes = BATCH_OVERHEAD_BYTES;
  for (const call of calls) {
    bytes += OPERATION_BYTES + (call.kind === 'append' ? call.body.byteLength : 0);
    if (call.kind === 'indexText') bytes += call.text.length;
  }
  return bytes;
}

function bodiesOf(outcomes: readonly Outcome[]): ArrayBuffer[] {
  const bodies: ArrayBuffer[] = [];
  for (const outcome of outcomes) {
    const answer = outcome.kind === 'done' ? (outcome.answer as AppendAnswer | undefined) : undefined;
    if (answer?.kind === 'appended' && answer.body) bodies.push(answer.body.buffer as ArrayBuffer);
  }
  return bodies;
}

function chunkBodiesOf(outcome: Outcome): ArrayBuffer[] {
  if (outcome.kind !== 'done') return [];
  return (outcome.answer as readonly StoredChunk[]).map((chunk) => chunk.body.buffer as ArrayBuffer);
}
