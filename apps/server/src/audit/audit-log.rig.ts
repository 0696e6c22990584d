import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMemoryStore } from '../store/memory/memory-store.ts';
import type { AuditFact } from './audit-fact.ts';
import { openAuditKeys } from './audit-keys.ts';
import { type AuditLog, type AuditLogOptions, openAuditLog } from './audit-log.ts';
import type { AuditRecord } from './audit-record.ts';
import type { AuditStore } from './audit-store.ts';

/** An audit log with keys in a directory of its own, gone when it is disposed of. */
export interface AuditRig extends AsyncDisposable {
  readonly log: AuditLog;
  readonly store: AuditStore;
  readonly directory: string;
  readonly failures: string[];
  /** Ends the log as a server does, and opens it again over the same store and keys. */
  reopen(): Promise<AuditLog>;
  records(): Promise<readonly AuditRecord[]>;
}

export async function startAuditRig(
  options: Partial<AuditLogOptions> = {},
  store: AuditStore = openMemoryStore().audit,
): Promise<AuditRig> {
  const directory = await mkdtemp(join(tmpdir(), 'reeve-audit-'));
  const failures: string[] = [];
  const open = async (): Promise<AuditLog> =>
    openAuditLog({
      store,
      keys: await openAuditKeys(directory),
      home: '/home/ada',
      stateDirectory: directory,
      version: '1.2.3',
      checkpointRecords: 1000,
      checkpointMs: 60_000,
      onFailure: (error, what) => failures.push(`${what}: ${error}`),
      ...options,
    });
  let log = await open();
  return {
    get log() {
      return log;
    },
    store,
    directory,
    failures,
    async reopen() {
      await log[Symbol.asyncDispose]();
      log = await open();
      return log;
    },
    async records() {
      const { records } = await store.read({ order: 'oldest', limit: 10_000 });
      return records.map(({ body }) => JSON.parse(body) as AuditRecord);
    },
    async [Symbol.asyncDispose]() {
      await log[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A permission that was given for a call on some files. */
export function answered(
  session: string,
  paths: readonly string[] = [],
): Extract<AuditFact, { kind: 'request.answered' }> {
  return {
    kind: 'request.answered',
    session,
    request: 'r-1',
    asked: 'permission',
    by: 'alice 1.0',
    decision: 'allow',
    option: 'allow_once',
    tool: { kind: 'edit' },
    locations: paths.map((path) => ({ path })),
  };
}
