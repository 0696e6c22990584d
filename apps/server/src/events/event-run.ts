import { type EventSeq, META_KEY, setMember } from '@reeve/protocol';
import {
  ChunkBuilder,
  type EventChunk,
  eventAt,
  type RecordView,
  readRecord,
  type SessionEvent,
  UPDATE_CODE,
  VARYING_CODE,
} from './event-chunk.ts';

/**
 * How one transport frames a message. Codecs are singletons: a run remembers what each one made of it,
 * so that an event is framed once for any number of clients.
 */
export interface FrameCodec {
  /** Upper bound of the bytes that frame a message of `messageBytes`. */
  frameBytes(messageBytes: number): number;
  /** Writes the frame of `source[start..end)` into `into` at `offset`; gives the offset after it. */
  write(into: Buffer, offset: number, source: Buffer, start: number, end: number, seq: EventSeq): number;
}

/** Consecutive updates that every attached client gets alike. */
export class EventRun {
  readonly firstSeq: EventSeq;
  readonly count: number;
  readonly #body: Buffer;
  readonly #start: number;
  readonly #end: number;
  readonly #encoded = new Map<FrameCodec, Buffer>();
  #numbered: EventRun | undefined;

  constructor(firstSeq: EventSeq, count: number, body: Buffer, start: number, end: number) {
    this.firstSeq = firstSeq;
    this.count = count;
    this.#body = body;
    this.#start = start;
    this.#end = end;
  }

  get lastSeq(): EventSeq {
    return (this.firstSeq + this.count - 1) as EventSeq;
  }

  /** All frames of the run in one buffer. */
  encode(codec: FrameCodec): Buffer {
    const known = this.#encoded.get(codec);
    if (known) return known;
    const view: RecordView = { kindCode: 0, messageStart: 0, messageEnd: 0, next: 0 };
    let size = 0;
    for (let offset = this.#start; offset < this.#end; offset = view.next) {
      readRecord(this.#body, offset, view);
      size += codec.frameBytes(view.messageEnd - view.messageStart);
    }
    const frames = Buffer.allocUnsafe(size);
    let written = 0;
    let seq = this.firstSeq as number;
    for (let offset = this.#start; offset < this.#end; offset = view.next) {
      readRecord(this.#body, offset, view);
      written = codec.write(frames, written, this.#body, view.messageStart, view.messageEnd, seq as EventSeq);
      seq += 1;
    }
    const result = written === size ? frames : frames.subarray(0, written);
    this.#encoded.set(codec, result);
    return result;
  }

  /** The same run with each event's seq spliced into its `_meta`, for clients that asked for it. */
  withSeq(): EventRun {
    if (this.#numbered) return this.#numbered;
    const builder = new ChunkBuilder();
    const view: RecordView = { kindCode: 0, messageStart: 0, messageEnd: 0, next: 0 };
    let seq = this.firstSeq as number;
    for (let offset = this.#start; offset < this.#end; offset = view.next) {
      readRecord(this.#body, offset, view);
      const message = numbered(this.#body.subarray(view.messageStart, view.messageEnd), seq as EventSeq);
      builder.add({ at: 0, source: 'agent', kind: 'update', message });
      seq += 1;
    }
    const { body } = builder.take(this.firstSeq);
    this.#numbered = new EventRun(this.firstSeq, this.count, body, 0, body.byteLength);
    return this.#numbered;
  }
}

/** A notification with its seq in `params._meta`. */
export function numbered(message: Buffer, seq: EventSeq): Buffer {
  return setMember(message, ['params', '_meta', META_KEY, 'seq'], String(seq));
}

/** What a chunk means for delivery: runs for everybody, and single events that depend on who is looking. */
export type Segment =
  | { readonly kind: 'run'; readonly run: EventRun }
  | { readonly kind: 'event'; readonly event: SessionEvent; readonly varies: boolean };

/**
 * Cuts a chunk into runs of plain updates and single events. An update that carries a connection is a single event: it is
 * what that client said, and is not echoed to it; so is one that varies.
 */
export function segmentChunk(chunk: EventChunk): readonly Segment[] {
  const segments: Segment[] = [];
  const { body } = chunk;
  const view: RecordView = { kindCode: 0, messageStart: 0, messageEnd: 0, next: 0 };
  let runStart = 0;
  let runFirst = 0;
  const closeRun = (index: number, end: number): void => {
    if (index === runFirst) return;
    const firstSeq = (chunk.firstSeq + runFirst) as EventSeq;
    segments.push({ kind: 'run', run: new EventRun(firstSeq, index - runFirst, body, runStart, end) });
  };
  let offset = 0;
  for (let index = 0; index < chunk.count; index += 1) {
    readRecord(body, offset, view);
    const plain = view.kindCode === UPDATE_CODE && body[offset + 6] === 0 && body[offset + 7] === 0;
    if (!plain) {
      closeRun(index, offset);
      const event = eventAt(chunk, offset, (chunk.firstSeq + index) as EventSeq);
      segments.push({ kind: 'event', event, varies: view.kindCode === VARYING_CODE });
      runFirst = index + 1;
      runStart = view.next;
    }
    offset = view.next;
  }
  closeRun(chunk.count, offset);
  return segments;
}
