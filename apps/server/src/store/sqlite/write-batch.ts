import type { DatabaseSync } from 'node:sqlite';
import { failureCode } from './database.ts';
import type { AnswerTo, Failure, Handlers, Outcome, ReadCall, Reads, WriteCall, Writes } from './operation.ts';

export interface BatchResult {
  readonly outcomes: readonly Outcome[];
  /** What is on disk is in doubt: the database must not be used any more. */
  readonly broken?: Failure;
}

/**
 * Carries out the writes in one transaction: when it returns, all of the `done` ones are on disk and none of the `failed`.
 * A fault of one operation fails that one alone; a fault of the storage fails all.
 */
export function createBatchWriter(
  db: DatabaseSync,
  handlers: Handlers<Writes>,
): (calls: readonly WriteCall[]) => BatchResult {
  const statement = (sql: string) => {
    const prepared = db.prepare(sql);
    return () => void prepared.run();
  };
  const begin = statement('BEGIN IMMEDIATE');
  const commit = statement('COMMIT');
  const rollback = statement('ROLLBACK');
  const mark = statement('SAVEPOINT operation');
  const keep = statement('RELEASE operation');
  const undo = statement('ROLLBACK TO operation');

  const together = (call: WriteCall): Outcome => ({ kind: 'done', answer: answerTo(handlers, call) });
  const apart = (call: WriteCall): Outcome => {
    mark();
    try {
      const outcome = together(call);
      keep();
      return outcome;
    } catch (error) {
      const failure = failureOf(error);
      if (failure.code !== 'invalid') throw error;
      undo();
      keep();
      return { kind: 'failed', failure };
    }
  };
  const transaction = (calls: readonly WriteCall[], run: (call: WriteCall) => Outcome): BatchResult | Failure => {
    try {
      begin();
      const outcomes = calls.map(run);
      commit();
      return { outcomes };
    } catch (error) {
      try {
        if (db.isTransaction) rollback();
      } catch (second) {
        return { ...failureOf(second), code: 'broken' };
      }
      return failureOf(error);
    }
  };

  return (calls) => {
    let result = transaction(calls, together);
    // Marking every operation costs too much to do always.
    if ('code' in result && result.code === 'invalid') result = transaction(calls, apart);
    if (!('code' in result)) return result;
    const failure: Failure = result.code === 'full' ? result : { ...result, code: 'broken' };
    const outcomes = calls.map((): Outcome => ({ kind: 'failed', failure }));
    return failure.code === 'full' ? { outcomes } : { outcomes, broken: failure };
  };
}

export function answerRead(handlers: Handlers<Reads>, call: ReadCall): Outcome {
  try {
    return { kind: 'done', answer: answerTo(handlers, call) };
  } catch (error) {
    return { kind: 'failed', failure: failureOf(error) };
  }
}

/** `kind` names the handler that takes the rest: what the compiler cannot see through a union of calls. */
function answerTo<Operations extends Writes | Reads>(
  handlers: Handlers<Operations>,
  call: { readonly kind: keyof Operations },
): AnswerTo<Operations, keyof Operations> {
  const handler = handlers[call.kind] as (input: unknown) => AnswerTo<Operations, keyof Operations>;
  return handler(call);
}

const NEXT_STEP = {
  full: 'free space on the disk, or raise the limit of the data directory',
  broken: 'check the disk, then start the server again; whether the operations in hand were stored is not known',
} as const;

export function failureOf(error: unknown): Failure {
  const code = failureCode(error);
  const message = error instanceof Error ? error.message : String(error);
  return {
    code,
    message: code === 'full' || code === 'broken' ? `the store failed (${message}): ${NEXT_STEP[code]}` : message,
  };
}
