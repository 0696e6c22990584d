import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { StoreError, type StoreErrorCode } from '../store-error.ts';
import { MIGRATIONS } from './migrations.ts';

export interface DatabaseOptions {
  readonly file: string;
  /** Bound of the file's size; a write beyond it fails with `full`. */
  readonly maxBytes?: number | undefined;
}

/**
 * Bodies of chunks are large: pages of twice the usual size halve what is spent on overflow chains, while a small commit
 * still writes little.
 */
const PAGE_BYTES = 8192;

/**
 * Opens the file, makes it (mode 0600) if there is none, and brings its schema up to date.
 * Throws StoreError `locked` or `newer-schema`.
 */
export function openDatabase({ file, maxBytes }: DatabaseOptions): DatabaseSync {
  closeSync(openSync(file, 'a', 0o600));
  const db = new DatabaseSync(file);
  try {
    for (const pragma of pragmas(maxBytes)) db.exec(`PRAGMA ${pragma}`);
    const mode = db.prepare('PRAGMA journal_mode').get()?.journal_mode;
    if (mode !== 'wal') {
      throw new StoreError(
        'broken',
        `${file} cannot be kept in WAL mode (${mode}): put the data directory on a local file system`,
      );
    }
    migrate(db, file);
    return db;
  } catch (error) {
    db.close();
    if (primaryCode(error) === SQLITE_BUSY) {
      throw new StoreError(
        'locked',
        `${file} is in use by another Reeve server: stop that one, or give this one a data directory of its own`,
      );
    }
    throw error;
  }
}

function pragmas(maxBytes: number | undefined): readonly string[] {
  return [
    `page_size=${PAGE_BYTES}`,
    // One process owns the file from its first access until it closes or dies; the index of the WAL then needs no shared memory.
    'locking_mode=EXCLUSIVE',
    'journal_mode=WAL',
    // Each commit is synced, so that what was acknowledged survives the loss of power.
    'synchronous=FULL',
    // The worker checkpoints by itself after it has answered, so that no commit waits for it.
    'wal_autocheckpoint=0',
    // The WAL is overwritten from its start after a checkpoint, which is faster than growing a new one; only what a burst left is cut off.
    'journal_size_limit=33554432',
    // 16 MiB: a batch of ordinary size is not spilled before its commit.
    'cache_size=-16384',
    'temp_store=MEMORY',
    ...(maxBytes === undefined ? [] : [`max_page_count=${Math.max(1, Math.floor(maxBytes / PAGE_BYTES))}`]),
  ];
}

function migrate(db: DatabaseSync, file: string): void {
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version);
  if (version > MIGRATIONS.length) {
    throw new StoreError(
      'newer-schema',
      `${file} was written by a newer Reeve (schema ${version}, this one knows ${MIGRATIONS.length}): install that version again, or use another data directory`,
    );
  }
  for (let next = version; next < MIGRATIONS.length; next += 1) {
    db.exec(`BEGIN EXCLUSIVE; ${MIGRATIONS[next]}; PRAGMA user_version=${next + 1}; COMMIT`);
  }
}

/** Result codes of SQLite (https://www.sqlite.org/rescode.html); the low byte of an extended one. */
const SQLITE_BUSY = 5;
const SQLITE_NOMEM = 7;
const SQLITE_FULL = 13;
const STORAGE_FAILURES: readonly number[] = [
  8 /* READONLY */, 10 /* IOERR */, 11 /* CORRUPT */, 14 /* CANTOPEN */, 26 /* NOTADB */,
];

/** What an exception means for the batch it came from; `invalid` is the fault of one operation alone. */
export function failureCode(error: unknown): StoreErrorCode {
  if (error instanceof StoreError) return error.code;
  const code = primaryCode(error);
  if (code === SQLITE_FULL || code === SQLITE_NOMEM) return 'full';
  return code !== undefined && STORAGE_FAILURES.includes(code) ? 'broken' : 'invalid';
}

function primaryCode(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}
