import { writeSync } from 'node:fs';
import type { EventSeq, SessionId } from '@reeve/protocol';
import { ChunkBuilder } from '../../events/event-chunk.ts';
import type { Store } from '../store.ts';
import { openSqliteStore } from './sqlite-store.ts';

/**
 * Runs until it is killed: appends at full speed to several sessions of the store in `argv[2]`, with overlapping appends,
 * and prints `session lastSeq` for each that was acknowledged. The message of an event is its seq. Before each append a
 * turn with the append's last seq as its key is stored, whose own answer nobody waits for.
 */
const SESSIONS = ['a', 'b', 'c', 'd'] as SessionId[];
const OVERLAP = 4;
const MAX_EVENTS = 30;

const store = await openSqliteStore({ directory: process.argv[2] ?? '' });
await Promise.all(SESSIONS.map((session) => flood(store, session)));

/** At once, so that a kill loses no line; waits for a reader that is slow. */
function tell(line: string): void {
  for (;;) {
    try {
      writeSync(1, line);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

async function flood({ events, sessions }: Store, session: SessionId): Promise<void> {
  const lease = await events.acquire(session, 'crash-host', 60_000);
  if (lease.kind !== 'acquired') throw new Error(`${session} is held by ${lease.owner}`);
  let called: number = lease.lastSeq;
  const appendOn = async (): Promise<void> => {
    for (;;) {
      const builder = new ChunkBuilder();
      const first = called + 1;
      called += 1 + Math.floor(Math.random() * MAX_EVENTS);
      for (let seq = first; seq <= called; seq += 1) {
        builder.add({ at: Date.now(), source: 'agent', kind: 'update', message: Buffer.from(String(seq)) });
      }
      const last = called as EventSeq;
      void sessions.putTurn({ sessionId: session, idempotencyKey: String(last), promptSeq: last });
      const result = await events.append(session, lease.epoch, builder.take(first as EventSeq));
      if (result.kind !== 'appended') throw new Error(`append after ${first - 1}: ${result.kind}`);
      tell(`${session} ${result.lastSeq}\n`);
    }
  };
  await Promise.all(Array.from({ length: OVERLAP }, appendOn));
}
