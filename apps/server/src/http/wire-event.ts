import type { EventSeq } from '@reeve/protocol';
import { type EventChunk, eventsOf, lastSeqOf, type SessionEvent } from '../events/event-chunk.ts';
import type { EventChunkPage } from './control-port.ts';

/*
 * Events as JSON (`WireEvent`). The message of each is spliced in as the bytes that it is, on one line: nothing that an
 * agent said is parsed or printed anew. Its line breaks, which JSON allows between tokens only, become spaces.
 */

const COMMA = Buffer.from(',');
const CLOSE = Buffer.from('}');

/** The page of `GET /v1/sessions/{id}/events`: `{events, nextAfter, hasMore}`. `after`: where the reader stands. */
export function encodeEventPage({ chunks, hasMore }: EventChunkPage, after: EventSeq): Buffer {
  const parts: Buffer[] = [Buffer.from('{"events":[')];
  let nextAfter = after;
  for (const chunk of chunks) {
    for (const event of eventsOf(chunk)) {
      if (parts.length > 1) parts.push(COMMA);
      pushEvent(parts, event);
    }
    if (chunk.count > 0) nextAfter = lastSeqOf(chunk);
  }
  parts.push(Buffer.from(`],"nextAfter":${nextAfter},"hasMore":${hasMore}}`));
  return Buffer.concat(parts);
}

/** Server-sent events, each with its seq as id and its kind as event name. */
export function encodeEventStream(chunk: EventChunk): Buffer {
  const parts: Buffer[] = [];
  for (const event of eventsOf(chunk)) {
    parts.push(Buffer.from(`id: ${event.seq}\nevent: ${event.kind}\ndata: `));
    pushEvent(parts, event);
    parts.push(Buffer.from('\n\n'));
  }
  return Buffer.concat(parts);
}

function pushEvent(parts: Buffer[], { seq, at, source, kind, connection, message }: SessionEvent): void {
  const by = connection === undefined ? '' : `,"connection":${JSON.stringify(connection)}`;
  parts.push(Buffer.from(`{"seq":${seq},"at":${at},"source":"${source}","kind":"${kind}"${by},"message":`));
  parts.push(onOneLine(message), CLOSE);
}

function onOneLine(message: Buffer): Buffer {
  if (!message.includes(10) && !message.includes(13)) return message;
  return Buffer.from(message.map((byte) => (byte === 10 || byte === 13 ? 32 : byte)));
}
