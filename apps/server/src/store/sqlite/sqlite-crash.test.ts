import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EventSeq, SessionId } from '@reeve/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chunkOf, eventsOf } from '../../events/event-chunk.ts';
import type { Store } from '../store.ts';
import { openSqliteStore } from './sqlite-store.ts';

const HOST = fileURLToPath(new URL('./crash-host.ts', import.meta.url));
const ROUNDS = 10;
const LONGEST_RUN_MS = 200;
/** In units of 512 or 1024 bytes, as the shell has it. */
const DISK_BLOCKS = 2000;

describe('a store whose process or disk fails', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'reeve-crash-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it(`has everything that was acknowledged before kill -9, without a gap, ${ROUNDS} times in a row`, async () => {
    const verified = new Map<string, number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const acknowledged = await runUntilKilled(directory, Math.random() * LONGEST_RUN_MS);
      expect(acknowledged.size).toBeGreaterThan(0);
      await using store = await openSqliteStore({ directory });
      for (const [name, last] of acknowledged) {
        const session = name as SessionId;
        const head = await store.events.head(session);
        expect(head).toBeGreaterThanOrEqual(last);
        await expectNoGap(store, session, verified.get(name) ?? 0, head);
        expect(await store.sessions.findTurn(session, String(last))).toMatchObject({ promptSeq: last });
        verified.set(name, await appendOne(store, session, head));
      }
    }
  });

  it('says that it is broken when it cannot write, and has what it acknowledged when it is opened again', async () => {
    // A write beyond the limit fails with EFBIG where the signal is ignored: to SQLite an I/O error.
    const limited = [
      '-c',
      `trap '' XFSZ; ulimit -f ${DISK_BLOCKS}; exec "$0" "$1" "$2"`,
      process.execPath,
      HOST,
      directory,
    ];
    const host = spawn('sh', limited, { stdio: ['ignore', 'pipe', 'pipe'] });
    const closed = once(host, 'close');
    let output = '';
    let errors = '';
    host.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    host.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    await closed;
    expect(errors).toMatch(/code: 'broken'/);
    expect(errors).toMatch(/check the disk, then start the server again/);
    await using store = await openSqliteStore({ directory });
    for (const [name, last] of lastOfEach(output)) {
      const session = name as SessionId;
      const head = await store.events.head(session);
      expect(head).toBeGreaterThanOrEqual(last);
      await expectNoGap(store, session, 0, head);
    }
  });
});

async function runUntilKilled(directory: string, runMs: number): Promise<ReadonlyMap<string, number>> {
  const host = spawn(process.execPath, [HOST, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(host, 'close');
  let output = '';
  host.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output === '') setTimeout(() => host.kill('SIGKILL'), runMs);
    output += text;
  });
  const [, signal] = await closed;
  expect(signal).toBe('SIGKILL');
  return lastOfEach(output);
}

/** The last acknowledged seq of each session, from what the host has printed in whole lines. */
function lastOfEach(output: string): ReadonlyMap<string, number> {
  const whole = output.slice(0, output.lastIndexOf('\n')).split('\n');
  return new Map(whole.map((line) => line.split(' ')).map(([session, seq]) => [String(session), Number(seq)]));
}

async function expectNoGap(store: Store, session: SessionId, after: number, head: number): Promise<void> {
  let cursor = after;
  while (cursor < head) {
    const chunks = await store.events.read(session, cursor as EventSeq, 1024 * 1024);
    expect(chunks.length).toBeGreaterThan(0);
    for (const chunk of chunks) {
      for (const event of eventsOf(chunk)) {
        cursor += 1;
        if (event.seq !== cursor || event.message.toString() !== String(cursor)) {
          expect.fail(`event ${event.seq} with message ${event.message} stands where ${cursor} belongs`);
        }
      }
    }
  }
  expect(cursor).toBe(head);
}

async function appendOne(store: Store, session: SessionId, head: number): Promise<number> {
  const lease = await store.events.acquire(session, 'crash-host', 60_000);
  if (lease.kind !== 'acquired') throw new Error(`${session} is held by ${lease.owner}`);
  const first = (head + 1) as EventSeq;
  const chunk = chunkOf(first, [{ at: 1, source: 'reeve', kind: 'note', message: Buffer.from(String(first)) }]);
  expect(await store.events.append(session, lease.epoch, chunk)).toMatchObject({ kind: 'appended', lastSeq: first });
  return first;
}
