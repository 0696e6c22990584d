import type { EventSeq, LeaseEpoch, SessionId } from '@reeve/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryEventLog } from '../store/memory/memory-event-log.ts';
import { type EventChunk, eventsOf, lastSeqOf } from './event-chunk.ts';
import type { EventLog } from './event-log.ts';
import { Journal } from './journal.ts';

const SESSION = 's' as SessionId;

async function openJournal(wrap: (log: EventLog) => EventLog = (log) => log) {
  const log = createMemoryEventLog(() => {});
  const lease = await log.acquire(SESSION, 'test', 60_000);
  if (lease.kind !== 'acquired') throw new Error('held');
  const durable: EventChunk[] = [];
  const failures: Error[] = [];
  const journal = new Journal({
    log: wrap(log),
    session: SESSION,
    epoch: lease.epoch,
    lastSeq: lease.lastSeq,
    onDurable: (chunk) => durable.push(chunk),
    onFailure: (error) => failures.push(error),
  });
  const append = (text: string, patient = false): EventSeq =>
    journal.append({ at: 0, source: 'agent', kind: 'update', message: Buffer.from(text) }, patient);
  return { log, journal, durable, failures, append, epoch: lease.epoch };
}

const textsOf = (chunks: readonly EventChunk[]): string[] =>
  chunks.flatMap((chunk) => [...eventsOf(chunk)].map(({ message }) => message.toString()));

describe('the journal', () => {
  it('writes what comes together at once, and tells of it in order', async () => {
    const { journal, durable, append, log } = await openJournal();
    expect(['a', 'b', 'c'].map((text) => append(text))).toEqual([1, 2, 3]);
    expect(journal.assignedSeq).toBe(3);
    expect(journal.durableSeq).toBe(0);
    expect(journal.backlogBytes).toBeGreaterThan(0);
    await journal.durable();
    expect(durable).toHaveLength(1);
    expect(journal.backlogBytes).toBe(0);
    expect(textsOf(await log.read(SESSION, 0 as EventSeq, 1e6))).toEqual(['a', 'b', 'c']);
  });

  it('closes a chunk at its size, so that reading it back is cheap', async () => {
    const { journal, durable, append } = await openJournal();
    for (let index = 0; index < 100; index += 1) append('x'.repeat(20_000));
    await journal.durable();
    expect(durable.length).toBeGreaterThan(5);
    for (const chunk of durable) expect(chunk.body.byteLength).toBeLessThan(300 * 1024);
    expect(lastSeqOf(durable.at(-1) as EventChunk)).toBe(100);
  });

  it('writes an event that nobody waits for soon, again and again', async () => {
    const { journal, durable, append } = await openJournal();
    for (let round = 1; round <= 5; round += 1) {
      append(`patient ${round}`, true);
      await expect.poll(() => journal.durableSeq, { interval: 2 }).toBe(2 * round - 1);
      // An impatient one while a write is on its way, and a patient one behind it.
      append('impatient');
      await expect.poll(() => journal.durableSeq, { interval: 2 }).toBe(2 * round);
    }
    expect(textsOf(durable)).toHaveLength(10);
  });

  it('writes a patient event that came while a write was on its way, and the patient one after that', async () => {
    const onTheWay: (() => void)[] = [];
    const { journal, append } = await openJournal((log) => ({
      ...log,
      append: async (...args) => {
        await new Promise<void>((resolve) => onTheWay.push(resolve));
        return log.append(...args);
      },
    }));
    const writing = () => expect.poll(() => onTheWay.length).toBe(1);
    const written = async (seq: number): Promise<void> => {
      await writing();
      onTheWay.shift()?.();
      await expect.poll(() => journal.durableSeq).toBe(seq);
    };
    append('first');
    await writing();
    append('second', true);
    await written(1);
    await written(2);
    append('third', true);
    await written(3);
  });

  it('tells when the backlog has gone down, also when the log failed', async () => {
    const { journal, append } = await openJournal();
    append('x'.repeat(1000));
    let low = 0;
    journal.whenBacklogBelow(10, () => {
      low += 1;
    });
    await journal.durable();
    expect(low).toBe(1);
    const broken = await openJournal((log) => ({ ...log, append: () => Promise.reject(new Error('disk full')) }));
    broken.append('x');
    broken.journal.whenBacklogBelow(0, () => {
      low += 1;
    });
    await expect(broken.journal.durable()).rejects.toThrow('disk full');
    expect(low).toBe(2);
  });

  it.each<[string, (log: EventLog) => EventLog, RegExp]>([
    ['rejects', (log) => ({ ...log, append: () => Promise.reject(new Error('disk full')) }), /disk full/],
    ['is fenced', (log) => ({ ...log, append: async () => ({ kind: 'fenced' }) }), /another server/],
    [
      'is ahead',
      (log) => ({ ...log, append: async () => ({ kind: 'conflict', actualSeq: 9 as EventSeq }) }),
      /its last seq is 9/,
    ],
  ])('fails once when the log %s: nothing more is written, and nobody waits for ever', async (_how, wrap, said) => {
    const { journal, failures, durable, append } = await openJournal(wrap);
    append('a');
    const waits = [journal.durable(), journal.durable(1 as EventSeq)];
    for (const wait of await Promise.allSettled(waits)) expect(wait.status).toBe('rejected');
    expect(failures).toHaveLength(1);
    expect(failures[0]?.message).toMatch(said);
    expect(() => append('b')).toThrow(said);
    await expect(journal.durable()).rejects.toThrow(said);
    expect(durable).toEqual([]);
  });

  it('is fenced by the owner that took the log over', async () => {
    const { log, journal, failures, append, epoch } = await openJournal();
    append('mine');
    await journal.durable();
    await log.release(SESSION, epoch);
    const next = await log.acquire(SESSION, 'other', 1000);
    expect(next).toMatchObject({ kind: 'acquired', epoch: (epoch + 1) as LeaseEpoch, lastSeq: 1 });
    append('too late');
    await expect(journal.durable()).rejects.toThrow(/another server/);
    expect(failures).toHaveLength(1);
    expect(await log.head(SESSION)).toBe(1);
  });

  it('stores everything once and in order, whatever is waited for in between', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('append' as const), size: fc.nat(3000), patient: fc.boolean() }),
      fc.record({ do: fc.constant('burst' as const), size: fc.integer({ min: 50_000, max: 200_000 }) }),
      fc.record({ do: fc.constant('durable' as const) }),
      fc.record({ do: fc.constant('rest' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { log, journal, durable, append } = await openJournal();
        const written: string[] = [];
        for (const it of steps) {
          if (it.do === 'durable') await journal.durable();
          else if (it.do === 'rest') await new Promise((resolve) => setImmediate(resolve));
          else {
            const text = `${written.length}:`.padEnd(it.size, '.');
            expect(append(text, it.do === 'append' && it.patient)).toBe(written.push(text));
          }
        }
        await journal.durable();
        expect(textsOf(durable)).toEqual(written);
        expect(journal.durableSeq).toBe(written.length);
        expect(await log.head(SESSION)).toBe(written.length);
        expect(journal.backlogBytes).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});
