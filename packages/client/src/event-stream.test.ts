import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEventStream, type StreamEvent } from './event-stream.ts';

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function read(chunks: readonly Uint8Array[]): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of readEventStream(streamOf(chunks))) events.push(event);
  return events;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('an event stream', () => {
  it('gives id, name and data, and passes over comments', async () => {
    const events = await read([
      bytes(': hello\n\nid: 4\nevent: update\ndata: {"a":1}\n\ndata: x\ndata:y\n\ndata: unfinished'),
    ]);
    expect(events).toEqual([
      { id: '4', event: 'update', data: '{"a":1}' },
      { id: '4', event: 'message', data: 'x\ny' },
    ]);
  });

  it('is the same however it is cut, with any line ends', async () => {
    const text = 'id: 1\r\ndata: grüße\r\n\r\nid: 2\rdata: b\r\rdata: c\n\n';
    const whole = await read([bytes(text)]);
    expect(whole.map(({ data }) => data)).toEqual(['grüße', 'b', 'c']);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: bytes(text).length - 1 })), async (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes(text).length];
        const chunks = places.slice(1).map((end, index) => bytes(text).slice(places[index], end));
        expect(await read(chunks)).toEqual(whole);
      }),
    );
  });
});
