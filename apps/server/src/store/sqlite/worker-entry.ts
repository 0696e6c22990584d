import { enableCompileCache } from 'node:module';
import { workerData } from 'node:worker_threads';
import type { DatabaseOptions } from './database.ts';

/** What the store's thread is started with. */
export interface WorkerStart {
  readonly options: DatabaseOptions;
  /** Where compiled code is kept, if the process keeps it: a thread must be told anew. */
  readonly compileCache: string | undefined;
}

const { options, compileCache } = workerData as WorkerStart;
if (compileCache !== undefined) enableCompileCache(compileCache);
const { runStore } = await import('./worker.ts');
runStore(options);
