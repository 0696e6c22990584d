import type { EventSeq } from '@reeve/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkOf } from '../events/event-chunk.ts';
import { EventRun } from '../events/event-run.ts';
import { encodeSseEvent, sseCodec } from './sse-codec.ts';

function run(firstSeq: number, messages: readonly string[]): EventRun {
  const events = messages.map((text) => ({
    at: 0,
    source: 'agent' as const,
    kind: 'update' as const,
    message: Buffer.from(text),
  }));
  const chunk = chunkOf(firstSeq as EventSeq, events);
  return new EventRun(chunk.firstSeq, chunk.count, chunk.body, 0, chunk.body.byteLength);
}

describe('the SSE codec', () => {
  it('gives an event of the log its seq as id, and other messages none', () => {
    expect(encodeSseEvent(Buffer.from('{"a":1}'), 42 as EventSeq).toString()).toBe('id: 42\ndata: {"a":1}\n\n');
    expect(encodeSseEvent(Buffer.from('{"a":1}')).toString()).toBe('data: {"a":1}\n\n');
  });

  it('numbers the events of a run one after the other', () => {
    expect(run(9, ['{}', '[1]']).encode(sseCodec).toString()).toBe('id: 9\ndata: {}\n\nid: 10\ndata: [1]\n\n');
  });

  it('writes every seq that can be', () => {
    for (const seq of [0, 9, 10, 99, 100, 123_456_789, 4_294_967_296, Number.MAX_SAFE_INTEGER]) {
      expect(encodeSseEvent(Buffer.from('0'), seq as EventSeq).toString()).toBe(`id: ${seq}\ndata: 0\n\n`);
    }
  });

  it('keeps a message on one line however it was printed, and its value', () => {
    const texts = fc
      .tuple(fc.jsonValue(), fc.constantFrom(undefined, '\n', '\r\n\t', '\r'), fc.boolean())
      .map(([value, space, padded]) => {
        const printed = JSON.stringify(value, undefined, space === undefined ? undefined : 2);
        return (padded ? printed.padEnd(300, ' ') : printed).replaceAll('\n', space ?? '\n');
      });
    fc.assert(
      fc.property(
        fc.array(texts, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 1e12 }),
        (messages, first) => {
          const frames = run(first, messages).encode(sseCodec).toString();
          const events = frames.split('\n\n');
          expect(events.pop()).toBe('');
          expect(events).toHaveLength(messages.length);
          for (const [index, event] of events.entries()) {
            expect(event).not.toContain('\r');
            const [id, data, ...rest] = event.split('\n');
            expect(rest).toEqual([]);
            expect(id).toBe(`id: ${first + index}`);
            expect(JSON.parse((data ?? '').slice('data: '.length))).toEqual(JSON.parse(messages[index] ?? ''));
          }
        },
      ),
    );
  });
});
