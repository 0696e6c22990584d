import type { ConnectionId, EventKind, EventSeq, EventSource } from '@reeve/protocol';

/**
 * A run of consecutive events of one session as one block of bytes: the unit that is written, read and delivered.
 *
 * Layout of one record, little-endian: u32 message length · u8 source · u8 kind · u16 connection length ·
 * f64 milliseconds since the epoch · connection (ASCII) · message (the raw JSON text, UTF-8).
 */
export interface EventChunk {
  readonly firstSeq: EventSeq;
  readonly count: number;
  readonly body: Buffer;
}

export interface NewEvent {
  readonly at: number;
  readonly source: EventSource;
  readonly kind: EventKind;
  readonly connection?: ConnectionId | undefined;
  /** Raw JSON text of one message. */
  readonly message: Uint8Array;
  /** An update that not every client is shown alike. */
  readonly varies?: boolean;
}

export interface SessionEvent extends NewEvent {
  readonly seq: EventSeq;
  /** A view into the chunk's body: copy it if it must outlive the chunk. */
  readonly message: Buffer;
}

const HEADER_BYTES = 16;
const INITIAL_BYTES = 1024;
const POOLED_BYTES = 4096;
const MAX_EXPECTED_BYTES = 512 * 1024;
const SOURCES: readonly EventSource[] = ['agent', 'client', 'reeve'];
const KINDS: readonly EventKind[] = ['update', 'prompt', 'turn_end', 'request', 'response', 'command', 'note'];
const SOURCE_CODE = codes(SOURCES);
const KIND_CODE = codes(KINDS);
/** The code of `update`, for the relay's fast path. */
export const UPDATE_CODE = 0;
/** The code of an update that varies; for readers it is an `update`. */
export const VARYING_CODE = 7;

export function lastSeqOf(chunk: EventChunk): EventSeq {
  return (chunk.firstSeq + chunk.count - 1) as EventSeq;
}

/** Gathers events until somebody takes them as a chunk. The memory of a large chunk stands alone, so that it can be moved to a worker. */
export class ChunkBuilder {
  #buffer: Buffer | undefined;
  #used = 0;
  #count = 0;
  /** A flood's chunks are alike: the next buffer begins at the size of the last one. */
  #expectedBytes = INITIAL_BYTES;

  get byteLength(): number {
    return this.#used;
  }

  get count(): number {
    return this.#count;
  }

  add(event: NewEvent): void {
    const connection = event.connection ?? '';
    const message = event.message;
    const size = HEADER_BYTES + connection.length + message.byteLength;
    const buffer = this.#reserve(size);
    let at = this.#used;
    buffer.writeUInt32LE(message.byteLength, at);
    buffer[at + 4] = SOURCE_CODE[event.source];
    buffer[at + 5] = event.varies === true ? VARYING_CODE : KIND_CODE[event.kind];
    buffer.writeUInt16LE(connection.length, at + 6);
    buffer.writeDoubleLE(event.at, at + 8);
    at += HEADER_BYTES;
    if (connection.length > 0) at += buffer.write(connection, at, 'latin1');
    buffer.set(message, at);
    this.#used += size;
    this.#count += 1;
  }

  /** Everything gathered so far, numbered from `firstSeq`; the builder is empty again. */
  take(firstSeq: EventSeq): EventChunk {
    const body = (this.#buffer ?? Buffer.allocUnsafeSlow(0)).subarray(0, this.#used);
    const chunk = { firstSeq, count: this.#count, body };
    this.#expectedBytes = Math.min(Math.max(this.#used, INITIAL_BYTES), MAX_EXPECTED_BYTES);
    this.#buffer = undefined;
    this.#used = 0;
    this.#count = 0;
    return chunk;
  }

  #reserve(size: number): Buffer {
    const needed = this.#used + size;
    const current = this.#buffer;
    if (current && current.byteLength >= needed) return current;
    const room = Math.max(needed, current ? current.byteLength * 2 : this.#expectedBytes);
    // A lone event lives in memory that many share: memory of its own would keep the garbage collector busy.
    const grown = room < POOLED_BYTES ? Buffer.allocUnsafe(room) : Buffer.allocUnsafeSlow(room);
    if (current) current.copy(grown, 0, 0, this.#used);
    this.#buffer = grown;
    return grown;
  }
}

export function chunkOf(firstSeq: EventSeq, events: readonly NewEvent[]): EventChunk {
  const builder = new ChunkBuilder();
  for (const event of events) builder.add(event);
  return builder.take(firstSeq);
}

/** One record's place, for readers that want no objects: `next` is where the following record begins. */
export interface RecordView {
  kindCode: number;
  messageStart: number;
  messageEnd: number;
  next: number;
}

/** Reads the record at `offset` into `into`: the hot path's reader, which allocates nothing. */
export function readRecord(body: Buffer, offset: number, into: RecordView): void {
  const messageLength = body.readUInt32LE(offset);
  const start = offset + HEADER_BYTES + body.readUInt16LE(offset + 6);
  into.kindCode = body[offset + 5] as number;
  into.messageStart = start;
  into.messageEnd = start + messageLength;
  into.next = into.messageEnd;
}

/** The event whose record begins at `offset`. */
export function eventAt(chunk: EventChunk, offset: number, seq: EventSeq): SessionEvent {
  const { body } = chunk;
  const connectionLength = body.readUInt16LE(offset + 6);
  const start = offset + HEADER_BYTES + connectionLength;
  return {
    seq,
    at: body.readDoubleLE(offset + 8),
    source: SOURCES[body[offset + 4] as number] ?? 'reeve',
    kind: kindAt(body, offset),
    connection:
      connectionLength > 0
        ? (body.toString('latin1', offset + HEADER_BYTES, offset + HEADER_BYTES + connectionLength) as ConnectionId)
        : undefined,
    message: body.subarray(start, start + body.readUInt32LE(offset)),
  };
}

function kindAt(body: Buffer, offset: number): EventKind {
  const code = body[offset + 5] as number;
  return code === VARYING_CODE ? 'update' : (KINDS[code] ?? 'note');
}

export function* eventsOf(chunk: EventChunk): Generator<SessionEvent> {
  let offset = 0;
  for (let index = 0; index < chunk.count; index += 1) {
    const event = eventAt(chunk, offset, (chunk.firstSeq + index) as EventSeq);
    yield event;
    offset = event.message.byteOffset - chunk.body.byteOffset + event.message.byteLength;
  }
}

/** The part of a chunk that lies after `afterSeq` and holds at most `maxEvents`; no copy. */
export function sliceChunk(chunk: EventChunk, afterSeq: number, maxEvents = Number.POSITIVE_INFINITY): EventChunk {
  const skip = Math.max(0, afterSeq - chunk.firstSeq + 1);
  const count = Math.max(0, Math.min(chunk.count - skip, maxEvents));
  if (skip === 0 && count === chunk.count) return chunk;
  const view: RecordView = { kindCode: 0, messageStart: 0, messageEnd: 0, next: 0 };
  let start = 0;
  for (let index = 0; index < skip && index < chunk.count; index += 1) {
    readRecord(chunk.body, start, view);
    start = view.next;
  }
  let end = start;
  for (let index = 0; index < count; index += 1) {
    readRecord(chunk.body, end, view);
    end = view.next;
  }
  return { firstSeq: (chunk.firstSeq + skip) as EventSeq, count, body: chunk.body.subarray(start, end) };
}

function codes<T extends string>(names: readonly T[]): Record<T, number> {
  return Object.fromEntries(names.map((name, code) => [name, code])) as Record<T, number>;
}
