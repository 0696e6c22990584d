import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { EventSeq, LeaseEpoch, SessionId } from '@reeve/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chunkOf, type EventChunk } from '../../events/event-chunk.ts';
import { describeStoreContract } from '../store.contract.ts';
import { openSqliteStore } from './sqlite-store.ts';

describeStoreContract('the SQLite store', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'reeve-store-'));
  return {
    persistent: true,
    open: () => openSqliteStore({ directory }),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
});

describe('the SQLite store’s files', () => {
  const session = 'session-1' as SessionId;
  const first = 1 as LeaseEpoch;
  let parent: string;
  let directory: string;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'reeve-store-'));
    directory = join(parent, 'made', 'by-the-store');
  });
  afterEach(() => rm(parent, { recursive: true, force: true }));

  it('are readable by their owner only', async () => {
    await using store = await openSqliteStore({ directory });
    await store.events.acquire(session, 'me', 1000);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect((await stat(join(directory, 'reeve.db'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(directory, 'reeve.db-wal'))).mode & 0o777).toBe(0o600);
  });

  it('belong to one server at a time; the second is told what to do', async () => {
    const store = await openSqliteStore({ directory });
    await expect(openSqliteStore({ directory })).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringMatching(/stop that one, or give this one a data directory of its own/),
    });
    expect(await store.events.head(session)).toBe(0);
    await store[Symbol.asyncDispose]();
    await using again = await openSqliteStore({ directory });
    expect(await again.events.head(session)).toBe(0);
  });

  it('are one file without a WAL once the store is disposed of', async () => {
    const store = await openSqliteStore({ directory });
    await store.events.acquire(session, 'me', 1000);
    await store[Symbol.asyncDispose]();
    await expect(stat(join(directory, 'reeve.db-wal'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('of a newer version are left alone', async () => {
    await (await openSqliteStore({ directory }))[Symbol.asyncDispose]();
    const db = new DatabaseSync(join(directory, 'reeve.db'));
    db.exec('PRAGMA user_version = 999');
    db.close();
    await expect(openSqliteStore({ directory })).rejects.toMatchObject({ code: 'newer-schema' });
  });

  it('refuse what is beyond their bound as a whole, and go on with what fits', async () => {
    await using store = await openSqliteStore({ directory, maxBytes: 2 * 1024 * 1024 });
    await store.events.acquire(session, 'me', 60_000);
    const results = await Promise.allSettled([
      store.events.append(session, first, big(1, 100)),
      store.events.append(session, first, big(2, 4 * 1024 * 1024)),
    ]);
    for (const result of results) expect(result).toMatchObject({ status: 'rejected', reason: { code: 'full' } });
    expect(await store.events.head(session)).toBe(0);
    expect(await store.events.append(session, first, big(1, 1000))).toMatchObject({ kind: 'appended', lastSeq: 1 });
  });

  it('fail one operation that cannot be stored, not the ones around it', async () => {
    await using store = await openSqliteStore({ directory });
    await store.events.acquire(session, 'me', 60_000);
    const results = await Promise.allSettled([
      store.events.append(session, first, big(1, 10)),
      store.sessions.putTurn({ sessionId: session, idempotencyKey: 'k', promptSeq: 0.5 as EventSeq }),
      store.events.append(session, first, big(2, 10)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: { code: 'invalid' } });
    expect(await store.events.head(session)).toBe(2);
  });

  it('give the space of an erased log to the next one', async () => {
    await using store = await openSqliteStore({ directory, maxBytes: 32 * 1024 * 1024 });
    for (let round = 0; round < 4; round += 1) {
      const taken = await store.events.acquire(session, 'me', 60_000);
      const epoch = taken.kind === 'acquired' ? taken.epoch : first;
      for (let seq = 1; seq <= 10; seq += 1) await store.events.append(session, epoch, big(seq, 2 * 1024 * 1024));
      await store.events.erase(session);
      // Ten slices at most, each one before what is called after it.
      for (let slice = 0; slice < 10; slice += 1) await store.events.truncate('unknown' as SessionId, 1 as EventSeq);
    }
  });
});

function big(seq: number, bytes: number): EventChunk {
  return chunkOf(seq as EventSeq, [{ at: 1, source: 'agent', kind: 'update', message: Buffer.alloc(bytes, 'x') }]);
}
