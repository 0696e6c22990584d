import { mkdir } from 'node:fs/promises';
import type { Config } from './config.ts';
import type { DoctorReport, ExamineOptions } from './doctor/examine-machine.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';
import type { Store } from './store/store.ts';
import type { RunningServer, ServerOptions } from './wire-server.ts';

export type { DoctorReport, ExamineOptions, Finding } from './doctor/examine-machine.ts';
export type { RunningServer, ServerOptions } from './wire-server.ts';

/** Starts the server of a configuration. Rejects with a message that says the next step; nothing is left open then. */
export async function startServer(config: Config, options: ServerOptions = {}): Promise<RunningServer> {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  // The store's thread starts while the rest of the server is loaded: a third of the time from start to healthy.
  const [store, rest] = await Promise.allSettled([openStore(config), import('./wire-server.ts')]);
  if (store.status === 'rejected') throw store.reason;
  if (rest.status === 'fulfilled') return rest.value.wireServer(config, store.value, options);
  await store.value[Symbol.asyncDispose]();
  throw rest.reason;
}

/** What this machine can enforce, and whether it does. Starts no server. */
export async function examine(config: Config, options: ExamineOptions): Promise<DoctorReport> {
  const { examineMachine } = await import('./doctor/examine-machine.ts');
  return examineMachine(config, options);
}

async function openStore(config: Config): Promise<Store> {
  if (config.store !== 'memory') return openSqliteStore({ directory: config.dataDir });
  const { openMemoryStore } = await import('./store/memory/memory-store.ts');
  return openMemoryStore();
}
