import type { EventSeq } from '@reeve/protocol';
import type { FrameCodec } from '../events/event-run.ts';

/*
 * Server-sent events (WHATWG HTML, section 9.2.6). A message is one `data:` line: its raw JSON text, in which every line
 * break is turned into a space. JSON allows line breaks between tokens only, so the value stays what it was.
 */

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const ZERO = 48;
const ID = Buffer.from('id: ');
const DATA = Buffer.from('data: ');
const MAX_SEQ_DIGITS = 16;
/** "id: " seq "\n" "data: " message "\n\n" */
const MAX_OVERHEAD_BYTES = ID.length + MAX_SEQ_DIGITS + 1 + DATA.length + 2;
/** Below this a loop over the bytes is faster than two native searches. */
const SHORT_MESSAGE_BYTES = 192;

/** A comment: keeps proxies from closing a silent stream, and tells a dead socket. */
export const SSE_HEARTBEAT: Buffer = Buffer.from(':\n\n');

/** Frames events of the log, each with its seq as the event's id. */
export const sseCodec: FrameCodec = {
  frameBytes: (messageBytes) => messageBytes + MAX_OVERHEAD_BYTES,
  write(into, offset, source, start, end, seq) {
    let at = offset + ID.copy(into, offset);
    at = writeDecimal(into, at, seq);
    into[at] = LINE_FEED;
    return writeData(into, at + 1, source, start, end);
  },
};

/** One message as an event; with an id only where it stands for an event of the log. */
export function encodeSseEvent(message: Uint8Array, seq?: EventSeq): Buffer {
  const source = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  const into = Buffer.allocUnsafe(message.byteLength + MAX_OVERHEAD_BYTES);
  const end =
    seq === undefined
      ? writeData(into, 0, source, 0, source.length)
      : sseCodec.write(into, 0, source, 0, source.length, seq);
  return into.subarray(0, end);
}

function writeData(into: Buffer, offset: number, source: Buffer, start: number, end: number): number {
  const messageStart = offset + DATA.copy(into, offset);
  const messageEnd = messageStart + source.copy(into, messageStart, start, end);
  joinLines(into, messageStart, messageEnd);
  into[messageEnd] = LINE_FEED;
  into[messageEnd + 1] = LINE_FEED;
  return messageEnd + 2;
}

function writeDecimal(into: Buffer, offset: number, value: number): number {
  let end = offset + 1;
  for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) end += 1;
  let rest = value;
  for (let at = end - 1; at >= offset; at -= 1) {
    const tens = Math.floor(rest / 10);
    into[at] = ZERO + (rest - tens * 10);
    rest = tens;
  }
  return end;
}

function joinLines(bytes: Buffer, start: number, end: number): void {
  if (end - start < SHORT_MESSAGE_BYTES) {
    for (let at = start; at < end; at += 1) {
      const byte = bytes[at];
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) bytes[at] = SPACE;
    }
    return;
  }
  // Searched within the message only: what lies behind it in the buffer is not written yet.
  const message = bytes.subarray(start, end);
  for (const lineBreak of [LINE_FEED, CARRIAGE_RETURN]) {
    for (let at = message.indexOf(lineBreak); at >= 0; at = message.indexOf(lineBreak, at + 1)) message[at] = SPACE;
  }
}
