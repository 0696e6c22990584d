import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import type { DatabaseOptions } from './database.ts';
import type { FromWorker } from './operation.ts';
import { OperationQueue } from './operation-queue.ts';
import { createSqliteAuditStore } from './sqlite-audit-store.ts';
import { createSqliteEventLog } from './sqlite-event-log.ts';
import { createSqliteGrantStore } from './sqlite-grant-store.ts';
import { createSqliteRequestStore } from './sqlite-request-store.ts';
import { createSqliteSearchIndex } from './sqlite-search-index.ts';
import { createSqliteSessionStore } from './sqlite-session-store.ts';
import type { WorkerStart } from './worker-entry.ts';

export interface SqliteStoreOptions {
  /** Made with mode 0700 if there is none. It must be on a local file system, and belongs to one server at a time. */
  readonly directory: string;
  /** Bound of the database file; writes beyond it are refused with the code `full`. Without it, the disk is the bound. */
  readonly maxBytes?: number;
}

/** The embedded store. Rejects with StoreError `locked` while another server has the directory, or `newer-schema`. */
export async function openSqliteStore({ directory, maxBytes }: SqliteStoreOptions): Promise<Store> {
  // Without a wait: whoever reads modules next holds this thread up, and the store's is to start before.
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const queue = new OperationQueue(await startWorker({ file: join(directory, 'reeve.db'), maxBytes }));
  return {
    events: createSqliteEventLog(queue),
    sessions: createSqliteSessionStore(queue),
    search: createSqliteSearchIndex(queue),
    requests: createSqliteRequestStore(queue),
    audit: createSqliteAuditStore(queue),
    grants: createSqliteGrantStore(queue),
    [Symbol.asyncDispose]: () => queue.close(),
  };
}

async function startWorker(options: DatabaseOptions): Promise<Worker> {
  const worker = new Worker(new URL('./worker-entry.ts', import.meta.url), {
    workerData: { options, compileCache: getCompileCacheDir() } satisfies WorkerStart,
    execArgv: [],
    name: 'store',
  });
  const [message] = (await once(worker, 'message')) as [FromWorker];
  if (message.kind === 'not-opened') {
    await worker.terminate();
    throw new StoreError(message.failure.code, message.failure.message);
  }
  return worker;
}
