import type { EventSeq, LeaseEpoch, SessionId } from '@reeve/protocol';
import { expect, it } from 'vitest';
import { chunkOf, type EventChunk, eventsOf, type NewEvent } from '../events/event-chunk.ts';
import type { EventLog } from '../events/event-log.ts';
import type { StoreUnderTest } from './store-under-test.rig.ts';

const SESSION = 'session-1' as SessionId;
const OTHER = 'session-2' as SessionId;
const NONE = 0 as EventSeq;
const MINUTE_MS = 60_000;
const MIB = 1024 * 1024;

export function describeEventLogContract(subject: StoreUnderTest): void {
  const log = (): EventLog => subject.store.events;

  it('starts empty at seq 1, and numbers without gaps over appends', async () => {
    const epoch = await own(log());
    expect(await log().head(SESSION)).toBe(0);
    expect(await log().append(SESSION, epoch, chunk(1, 3))).toMatchObject({ kind: 'appended', lastSeq: 3 });
    expect(await log().append(SESSION, epoch, chunk(4, 1))).toMatchObject({ kind: 'appended', lastSeq: 4 });
    expect(await log().head(SESSION)).toBe(4);
    expect(await seqs(log())).toEqual([1, 2, 3, 4]);
  });

  it('gives back the chunk with the same bytes', async () => {
    const epoch = await own(log());
    const result = await log().append(SESSION, epoch, chunk(1, 2));
    expect(result.kind === 'appended' && [...eventsOf(result.chunk)].map((event) => event.message.toString())).toEqual([
      '"1"',
      '"2"',
    ]);
  });

  it('keeps every member of an event', async () => {
    const epoch = await own(log());
    const events: readonly NewEvent[] = [
      { at: 1.5, source: 'client', kind: 'prompt', connection: 'c-1' as never, message: Buffer.from('{"ü":"🙂"}') },
      { at: 1_760_000_000_000, source: 'reeve', kind: 'note', message: Buffer.from('{}') },
      { at: 0, source: 'agent', kind: 'request', message: Buffer.alloc(0) },
    ];
    await log().append(SESSION, epoch, chunkOf(1 as EventSeq, events));
    const read = (await readAll(log())).flatMap((found) => [...eventsOf(found)]);
    expect(read.map(({ seq, message, ...rest }) => ({ ...rest, message: message.toString() }))).toEqual(
      events.map(({ message, ...rest }) => ({
        connection: undefined,
        ...rest,
        message: Buffer.from(message).toString(),
      })),
    );
  });

  it('answers conflict to a wrong first seq, with the seq that is there, and writes nothing', async () => {
    const epoch = await own(log());
    await log().append(SESSION, epoch, chunk(1, 2));
    for (const first of [1, 2, 4, 100]) {
      expect(await log().append(SESSION, epoch, chunk(first, 1))).toEqual({ kind: 'conflict', actualSeq: 2 });
    }
    expect(await seqs(log())).toEqual([1, 2]);
  });

  it('answers fenced to a stale epoch and to a log that nobody owns, and writes nothing', async () => {
    expect(await log().append(SESSION, 1 as LeaseEpoch, chunk(1, 1))).toEqual({ kind: 'fenced' });
    const first = await own(log());
    const second = await own(log());
    expect(second).toBeGreaterThan(first);
    expect(await log().append(SESSION, first, chunk(1, 1))).toEqual({ kind: 'fenced' });
    expect(await log().append(SESSION, first, chunk(7, 1))).toEqual({ kind: 'fenced' });
    expect(await log().append(SESSION, second, chunk(1, 1))).toMatchObject({ kind: 'appended' });
  });

  it('one refusal does not touch the appends around it', async () => {
    const epoch = await own(log());
    const results = await Promise.all([
      log().append(SESSION, epoch, chunk(1, 1)),
      log().append(SESSION, epoch, chunk(5, 1)),
      log().append(OTHER, epoch, chunk(1, 1)),
      log().append(SESSION, epoch, chunk(2, 1)),
    ]);
    expect(results.map(({ kind }) => kind)).toEqual(['appended', 'conflict', 'fenced', 'appended']);
    expect(await seqs(log())).toEqual([1, 2]);
  });

  it('rejects a chunk that is empty or whose body is gone', async () => {
    const epoch = await own(log());
    const gone: EventChunk = { firstSeq: 1 as EventSeq, count: 1, body: Buffer.alloc(0) };
    await expect(log().append(SESSION, epoch, gone)).rejects.toMatchObject({ code: 'invalid' });
    await expect(log().append(SESSION, epoch, { ...chunk(1, 1), count: 0 })).rejects.toMatchObject({ code: 'invalid' });
    expect(await log().append(SESSION, epoch, chunk(1, 1))).toMatchObject({ kind: 'appended' });
  });

  it('takes overlapping appends of many sessions in the order of their calls', async () => {
    const sessions = Array.from({ length: 20 }, (_, index) => `many-${index}` as SessionId);
    const epochs = await Promise.all(sessions.map((session) => own(log(), session)));
    const results = [];
    for (let round = 0; round < 25; round += 1) {
      for (const [index, session] of sessions.entries()) {
        results.push(log().append(session, epochs[index] as LeaseEpoch, chunk(round * 2 + 1, 2)));
      }
      if (round % 7 === 0) await results.at(-1);
    }
    expect(new Set((await Promise.all(results)).map(({ kind }) => kind))).toEqual(new Set(['appended']));
    for (const session of sessions) expect(await seqs(log(), session)).toEqual(range(1, 50));
  });

  it('takes chunks that are parts of one block of memory', async () => {
    const epoch = await own(log());
    const whole = chunk(1, 4);
    const half = whole.body.byteLength / 2;
    const first: EventChunk = { firstSeq: 1 as EventSeq, count: 2, body: whole.body.subarray(0, half) };
    const second: EventChunk = { firstSeq: 3 as EventSeq, count: 2, body: whole.body.subarray(half) };
    const results = await Promise.all([log().append(SESSION, epoch, first), log().append(SESSION, epoch, second)]);
    expect(results.map(({ kind }) => kind)).toEqual(['appended', 'appended']);
    const messages = (await readAll(log())).flatMap((found) =>
      [...eventsOf(found)].map(({ message }) => message.toString()),
    );
    expect(messages).toEqual(['"1"', '"2"', '"3"', '"4"']);
  });

  it('holds a lease against other owners until it is released', async () => {
    const taken = await log().acquire(SESSION, 'one', MINUTE_MS);
    expect(taken).toEqual({ kind: 'acquired', epoch: 1, lastSeq: 0 });
    const held = await log().acquire(SESSION, 'two', MINUTE_MS);
    expect(held).toMatchObject({ kind: 'held', owner: 'one' });
    expect(held.kind === 'held' && held.untilMs).toBeGreaterThan(Date.now());
    const epoch = 1 as LeaseEpoch;
    await log().append(SESSION, epoch, chunk(1, 2));
    await log().release(SESSION, 9 as LeaseEpoch);
    expect(await log().acquire(SESSION, 'two', MINUTE_MS)).toMatchObject({ kind: 'held' });
    await log().release(SESSION, epoch);
    expect(await log().renew(SESSION, epoch, MINUTE_MS)).toBe(false);
    expect(await log().acquire(SESSION, 'two', MINUTE_MS)).toEqual({ kind: 'acquired', epoch: 2, lastSeq: 2 });
    expect(await log().renew(SESSION, epoch, MINUTE_MS)).toBe(false);
    expect(await log().append(SESSION, epoch, chunk(3, 1))).toEqual({ kind: 'fenced' });
  });

  it('lets another owner take over a lease that has run out, and not one that was renewed', async () => {
    await log().acquire(SESSION, 'one', 1);
    const epoch = await takeOver(log(), 'two');
    expect(epoch).toBe(2);
    const short = await log().acquire(OTHER, 'one', 1);
    expect(short.kind === 'acquired' && (await log().renew(OTHER, short.epoch, MINUTE_MS))).toBe(true);
    expect(await log().acquire(OTHER, 'two', MINUTE_MS)).toMatchObject({ kind: 'held', owner: 'one' });
  });

  it('says of an unknown log that its lease is nobody’s', async () => {
    expect(await log().renew(SESSION, 1 as LeaseEpoch, MINUTE_MS)).toBe(false);
    await log().release(SESSION, 1 as LeaseEpoch);
    expect(await log().head(SESSION)).toBe(0);
    expect(await log().read(SESSION, NONE, MIB)).toEqual([]);
  });

  it('reads after any seq, cutting the first chunk', async () => {
    const epoch = await own(log());
    let next = 1;
    for (const count of [3, 1, 4, 2]) {
      await log().append(SESSION, epoch, chunk(next, count));
      next += count;
    }
    for (let after = 0; after <= 11; after += 1) {
      expect(await seqs(log(), SESSION, after)).toEqual(range(after + 1, 10));
    }
  });

  it('reads no more chunks than reach maxBytes, and at least one event', async () => {
    const epoch = await own(log());
    const size = 100_000;
    for (let seq = 1; seq <= 10; seq += 1) await log().append(SESSION, epoch, chunk(seq, 1, size));
    expect(count(await log().read(SESSION, NONE, 1))).toBe(1);
    expect(count(await log().read(SESSION, 4 as EventSeq, size * 2.5))).toBe(3);
    expect(count(await log().read(SESSION, 10 as EventSeq, MIB))).toBe(0);
    expect(await seqs(log())).toEqual(range(1, 10));
  });

  it('shows a read what was appended before it was called', async () => {
    const epoch = await own(log());
    const appended = log().append(SESSION, epoch, chunk(1, 2));
    expect(count(await log().read(SESSION, NONE, MIB))).toBe(2);
    expect(await log().head(SESSION)).toBe(2);
    await appended;
  });

  it('stores an event of 32 MiB as it is', async () => {
    const epoch = await own(log());
    const message = Buffer.alloc(32 * MIB, 'x');
    message.write('begin');
    message.write('end', message.byteLength - 3);
    const appended = await log().append(SESSION, epoch, chunkOf(1 as EventSeq, [event(message), event('2')]));
    expect(appended).toMatchObject({ kind: 'appended', lastSeq: 2 });
    const [first] = (await log().read(SESSION, NONE, 1)).flatMap((found) => [...eventsOf(found)]);
    expect(first?.message.equals(message)).toBe(true);
    expect(await seqs(log(), SESSION, 1)).toEqual([2]);
  });

  it('truncates by whole chunks, and never uses a number again', async () => {
    const epoch = await own(log());
    for (const first of [1, 4, 7]) await log().append(SESSION, epoch, chunk(first, 3));
    await log().truncate(SESSION, 6 as EventSeq);
    expect(await seqs(log())).toEqual(range(4, 9));
    expect(await seqs(log(), SESSION, 5)).toEqual(range(6, 9));
    await log().truncate(SESSION, 100 as EventSeq);
    expect(await seqs(log())).toEqual([]);
    expect(await log().head(SESSION)).toBe(9);
    expect(await log().append(SESSION, epoch, chunk(1, 1))).toEqual({ kind: 'conflict', actualSeq: 9 });
    await log().append(SESSION, epoch, chunk(10, 1));
    expect(await seqs(log(), SESSION, 3)).toEqual([10]);
    await log().truncate('unknown' as SessionId, 5 as EventSeq);
  });

  it('truncates a log of thousands of chunks to the last one', async () => {
    const epoch = await own(log());
    await Promise.all(range(1, 2500).map((seq) => log().append(SESSION, epoch, chunk(seq, 1))));
    await log().truncate(SESSION, 2500 as EventSeq);
    expect(await seqs(log())).toEqual([2500]);
  });

  it('erases one log and its lease, and fences its owner for good', async () => {
    const epoch = await own(log());
    const other = await own(log(), OTHER);
    await log().append(SESSION, epoch, chunk(1, 3));
    await log().append(OTHER, other, chunk(1, 1));
    await log().erase(SESSION);
    await log().erase('unknown' as SessionId);
    expect(await log().head(SESSION)).toBe(0);
    expect(await log().append(SESSION, epoch, chunk(4, 1))).toEqual({ kind: 'fenced' });
    const again = await log().acquire(SESSION, 'another', MINUTE_MS);
    expect(again).toMatchObject({ kind: 'acquired', lastSeq: 0 });
    expect(await log().append(SESSION, epoch, chunk(1, 1))).toEqual({ kind: 'fenced' });
    expect(await seqs(log())).toEqual([]);
    expect(await seqs(log(), OTHER)).toEqual([1]);
  });

  it('keeps the log, its numbers and its epochs when it is opened again', async ({ skip }) => {
    if (!subject.persistent) skip('this driver forgets by design');
    const epoch = await own(log());
    await Promise.all([log().append(SESSION, epoch, chunk(1, 3)), log().append(SESSION, epoch, chunk(4, 3))]);
    await log().truncate(SESSION, 100 as EventSeq);
    const erased = await own(log(), OTHER);
    await log().append(OTHER, erased, chunk(1, 2));
    await log().erase(OTHER);
    await subject.reopen();
    expect(await log().acquire(SESSION, 'another', MINUTE_MS)).toMatchObject({ kind: 'held', owner: 'me' });
    expect(await log().append(SESSION, epoch, chunk(1, 1))).toEqual({ kind: 'conflict', actualSeq: 6 });
    expect(await log().acquire(SESSION, 'me', MINUTE_MS)).toEqual({ kind: 'acquired', epoch: epoch + 1, lastSeq: 6 });
    const renewed = (epoch + 1) as LeaseEpoch;
    expect(await log().append(SESSION, renewed, chunk(7, 2))).toMatchObject({ kind: 'appended', lastSeq: 8 });
    expect(await seqs(log())).toEqual([7, 8]);
    expect(await own(log(), OTHER)).toBeGreaterThan(erased);
    expect(await seqs(log(), OTHER)).toEqual([]);
  });

  it('has on disk what was called before an append, when the append resolves', async ({ skip }) => {
    if (!subject.persistent) skip('this driver forgets by design');
    const epoch = await own(log());
    void subject.store.sessions.putTurn({ sessionId: SESSION, idempotencyKey: 'k', promptSeq: 1 as EventSeq });
    await log().append(SESSION, epoch, chunk(1, 1));
    const store = await subject.reopen();
    expect(await store.sessions.findTurn(SESSION, 'k')).toEqual({
      sessionId: SESSION,
      idempotencyKey: 'k',
      promptSeq: 1,
    });
  });
}

async function own(log: EventLog, session = SESSION): Promise<LeaseEpoch> {
  const result = await log.acquire(session, 'me', MINUTE_MS);
  if (result.kind !== 'acquired') throw new Error(`the lease is held by ${result.owner}`);
  return result.epoch;
}

async function takeOver(log: EventLog, owner: string): Promise<LeaseEpoch> {
  for (;;) {
    const result = await log.acquire(SESSION, owner, MINUTE_MS);
    if (result.kind === 'acquired') return result.epoch;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Reads on from the last seq until nothing comes. */
async function readAll(log: EventLog, session = SESSION, after = 0): Promise<readonly EventChunk[]> {
  const all: EventChunk[] = [];
  let cursor = after;
  for (;;) {
    const found = await log.read(session, cursor as EventSeq, 64 * 1024);
    const last = found.at(-1);
    if (!last) return all;
    all.push(...found);
    cursor = last.firstSeq + last.count - 1;
  }
}

/** The seqs as the chunks number them, once each message is known to be the one that was appended under its seq. */
async function seqs(log: EventLog, session = SESSION, after = 0): Promise<readonly number[]> {
  const events = (await readAll(log, session, after)).flatMap((found) => [...eventsOf(found)]);
  for (const { seq, message } of events)
    expect(message.toString('utf8', 0, 40).trimEnd()).toBe(JSON.stringify(String(seq)));
  return events.map(({ seq }) => seq);
}

function chunk(first: number, events: number, size = 0): EventChunk {
  const messages = range(first, first + events - 1).map((seq) => event(String(seq), size));
  return chunkOf(first as EventSeq, messages);
}

function event(message: string | Buffer, size = 0): NewEvent {
  const bytes = typeof message === 'string' ? Buffer.from(JSON.stringify(message).padEnd(size)) : message;
  return { at: 1000, source: 'agent', kind: 'update', message: bytes };
}

function count(chunks: readonly EventChunk[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.count, 0);
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
