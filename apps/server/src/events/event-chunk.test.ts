import type { ConnectionId, EventSeq } from '@reeve/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ChunkBuilder,
  chunkOf,
  eventsOf,
  lastSeqOf,
  type NewEvent,
  readRecord,
  sliceChunk,
  UPDATE_CODE,
} from './event-chunk.ts';

const newEvent: fc.Arbitrary<NewEvent> = fc.record({
  at: fc.double({ noNaN: true, min: 0, max: 1e15 }),
  source: fc.constantFrom('agent', 'client', 'reeve'),
  kind: fc.constantFrom('update', 'prompt', 'turn_end', 'request', 'response', 'command', 'note'),
  connection: fc.option(
    fc.stringMatching(/^[\x20-\x7e]{1,40}$/).map((id) => id as ConnectionId),
    { nil: undefined },
  ),
  message: fc.uint8Array({ maxLength: 300 }),
});
const newEvents = fc.array(newEvent, { maxLength: 40 });
const seq = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER - 100 }).map((value) => value as EventSeq);

describe('a chunk', () => {
  it('gives back every event that was put in, numbered from its first seq', () => {
    fc.assert(
      fc.property(seq, newEvents, (firstSeq, events) => {
        const chunk = chunkOf(firstSeq, events);
        expect(chunk).toMatchObject({ firstSeq, count: events.length });
        expect(lastSeqOf(chunk)).toBe(firstSeq + events.length - 1);
        expect(plain([...eventsOf(chunk)])).toEqual(
          plain(events.map((event, index) => ({ seq: firstSeq + index, ...event }))),
        );
      }),
    );
  });

  it('read record by record has the same places and kinds, and ends with its body', () => {
    fc.assert(
      fc.property(newEvents, (events) => {
        const { body } = chunkOf(1 as EventSeq, events);
        const view = { kindCode: -1, messageStart: 0, messageEnd: 0, next: 0 };
        for (const event of events) {
          readRecord(body, view.next, view);
          expect(view.kindCode === UPDATE_CODE).toBe(event.kind === 'update');
          expect(body.subarray(view.messageStart, view.messageEnd)).toEqual(Buffer.from(event.message));
        }
        expect(view.next).toBe(body.byteLength);
      }),
    );
  });

  it('cut anywhere is the same events in a view of the same memory', () => {
    fc.assert(
      fc.property(
        newEvents,
        fc.integer({ min: -3, max: 45 }),
        fc.option(fc.integer({ min: 0, max: 45 }), { nil: undefined }),
        (events, skip, max) => {
          const firstSeq = 100;
          const chunk = chunkOf(firstSeq as EventSeq, events);
          const cut = sliceChunk(chunk, firstSeq - 1 + skip, max);
          const kept = [...eventsOf(chunk)].slice(Math.max(0, skip)).slice(0, max);
          expect(cut.count).toBe(kept.length);
          expect(plain([...eventsOf(cut)])).toEqual(plain(kept));
          if (kept.length > 0) expect(cut.firstSeq).toBe(kept[0]?.seq);
          expect(cut.body.buffer).toBe(chunk.body.buffer);
        },
      ),
    );
  });

  it('joined with the next one by its bytes is the chunk of both', () => {
    fc.assert(
      fc.property(newEvents, newEvents, (first, second) => {
        const one = chunkOf(1 as EventSeq, first);
        const two = chunkOf((1 + first.length) as EventSeq, second);
        expect(Buffer.concat([one.body, two.body])).toEqual(chunkOf(1 as EventSeq, [...first, ...second]).body);
      }),
    );
  });
});

describe('a chunk builder', () => {
  it('counts what it holds, and is empty after each take', () => {
    fc.assert(
      fc.property(fc.array(newEvents, { maxLength: 5 }), (batches) => {
        const builder = new ChunkBuilder();
        let next = 1;
        for (const events of batches) {
          for (const event of events) builder.add(event);
          expect(builder.count).toBe(events.length);
          const { byteLength } = builder;
          const chunk = builder.take(next as EventSeq);
          expect(chunk.body.byteLength).toBe(byteLength);
          expect(chunk.body).toEqual(chunkOf(next as EventSeq, events).body);
          expect({ count: builder.count, byteLength: builder.byteLength }).toEqual({ count: 0, byteLength: 0 });
          next += events.length;
        }
      }),
    );
  });

  it('gives each large chunk memory of its own, which can be moved away', () => {
    const builder = new ChunkBuilder();
    const event: NewEvent = { at: 1, source: 'agent', kind: 'update', message: Buffer.from(`"${'x'.repeat(8192)}"`) };
    builder.add(event);
    const first = builder.take(1 as EventSeq);
    builder.add(event);
    const second = builder.take(2 as EventSeq);
    structuredClone(first.body, { transfer: [first.body.buffer as ArrayBuffer] });
    expect(first.body.byteLength).toBe(0);
    expect([...eventsOf(second)].map(({ message }) => message.toString())).toEqual([event.message.toString()]);
  });
});

/** Messages as text of their bytes: a Buffer and a Uint8Array with the same bytes are the same message. */
function plain(events: readonly (NewEvent & { readonly seq: number })[]): readonly unknown[] {
  return events.map(({ message, ...rest }) => ({ ...rest, message: Buffer.from(message).toString('hex') }));
}
