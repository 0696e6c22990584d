import {
  type ConnectionId,
  type EventSeq,
  EXTENSION,
  encodeNotification,
  isObject,
  type JsonRpcId,
  parseMessage,
  type SessionId,
} from '@reeve/protocol';
import { type EventChunk, eventsOf, type SessionEvent, sliceChunk } from '../events/event-chunk.ts';
import type { EventLog } from '../events/event-log.ts';
import { numbered, type Segment, segmentChunk } from '../events/event-run.ts';
import type { ClientPort, Role } from './client-port.ts';
import type { SessionSink } from './session-sink.ts';
import { shownUpdate } from './shown-update.ts';

/** How much is read from the log at a time for a client that catches up. */
const READ_BYTES = 1024 * 1024;
/** Messages outside the log that a resumable stream may be asked for again. */
const KEPT_CONTROLS = 64;

export interface AttachmentOptions {
  readonly sessionId: SessionId;
  /** The name by which the client calls the session, its id or its alias: its stream has that name. */
  readonly streamId: SessionId;
  readonly port: ClientPort;
  readonly role: Role;
  readonly log: EventLog;
  /** Delivery begins after this seq. */
  readonly after: EventSeq;
  /** What was until now is shown as history: without what ACP v2 says was only true for a moment. */
  readonly replays: boolean;
  /** Seq of the last event on disk, now. */
  readonly head: () => EventSeq;
  /** Above this many waiting bytes the client is served from the log instead of from memory. */
  readonly maxBacklogBytes: number;
  /** The log could not be read for this client: it is detached. */
  readonly onFailure: (error: Error) => void;
  /** The attachment of the same connection that this one replaces. */
  readonly before: Attachment | undefined;
  /** Seq of the last event that was numbered, now: what the client said until then is history. */
  readonly lastSeq: EventSeq;
}

interface Control {
  readonly after: EventSeq;
  readonly message: Uint8Array;
}

/**
 * One connection's view of one session: every event once and in order, and between the events what must come after one of them.
 *
 *   live ──(too much waits in the socket, or a gap)──▶ catching up: reads the log, as fast as the socket drains
 *     ▲                                                     │
 *     └──────────────(has reached the last seq)─────────────┘
 */
export class Attachment {
  readonly role: Role;
  readonly port: ClientPort;
  /** When the connection came to the session, in milliseconds since the epoch. */
  readonly since: number;
  readonly #options: AttachmentOptions;
  readonly #sink: SessionSink;
  /** What the client said itself up to here is history: it is shown that too. */
  readonly #echoUntil: EventSeq;
  /** Turns that ended after this seq are answered to the client that began them. */
  readonly #answerAfter: EventSeq;
  #cursor: EventSeq;
  /** Up to here the client wants to see nothing: only the ends of its own turns that it was not told yet are for it. */
  #hiddenUntil: EventSeq;
  #controls: Control[] = [];
  #sentControls: Control[] = [];
  #pumping = false;
  /** Bytes of the chunk that had no place in the queue. */
  #wanting = 0;
  /** The queue was drained for it: it has its place now, however large. */
  #drained = false;
  #rewinds = 0;
  #detached = false;
  /** Detaches itself when the client has everything up to here. */
  #finishAt: EventSeq | undefined;

  constructor(options: AttachmentOptions) {
    this.#options = options;
    this.role = options.role;
    this.port = options.port;
    this.since = options.before?.since ?? Date.now();
    this.#sink = options.port.sink(options.streamId);
    const { after, before } = options;
    const answered = before ? Math.max(before.#answerAfter, before.#cursor) : options.head();
    this.#answerAfter = answered as EventSeq;
    this.#cursor = before ? (Math.min(after, answered) as EventSeq) : after;
    this.#hiddenUntil = after;
    this.#echoUntil = options.lastSeq;
    this.#controls = before ? before.#handOver(options.streamId) : [];
    this.#catchUp();
  }

  get connectionId(): ConnectionId {
    return this.port.id;
  }

  get detached(): boolean {
    return this.#detached;
  }

  /** A chunk has reached the disk. `segments` are shared by all who look on. */
  onDurable(chunk: EventChunk, segments: readonly Segment[]): void {
    if (this.#detached || this.#pumping) return;
    if (
      chunk.firstSeq !== this.#cursor + 1 ||
      this.#cursor < this.#hiddenUntil ||
      !this.#hasPlace(chunk.body.byteLength)
    )
      return this.#catchUp();
    this.#deliver(segments);
  }

  /** Sends a message as soon as the client has every event up to `after`. */
  sendAfter(after: EventSeq, message: Uint8Array): void {
    if (this.#detached) return;
    let place = this.#controls.length;
    while (place > 0 && (this.#controls[place - 1] as Control).after > after) place -= 1;
    this.#controls.splice(place, 0, { after, message });
    if (this.#pumping) return;
    if (this.#sink.backlogBytes === Number.POSITIVE_INFINITY) this.#catchUp();
    else this.#sendDueControls();
  }

  /** The client came back to its stream and has everything up to `seq`: what follows is sent again. */
  rewind(seq: EventSeq): void {
    this.#cursor = Math.min(seq, this.#options.head()) as EventSeq;
    this.#hiddenUntil = Math.min(seq, this.#hiddenUntil) as EventSeq;
    const again = this.#sentControls.filter((control) => control.after >= seq);
    this.#sentControls = [];
    this.#controls = [...again, ...this.#controls];
    this.#rewinds += 1;
    this.#catchUp();
  }

  /** Nothing more is sent. Idempotent. */
  detach(): void {
    if (this.#detached) return;
    this.#detached = true;
    this.port.release(this.#options.streamId);
    this.#controls = [];
    this.#sentControls = [];
  }

  /** The session has ended: the client gets what is on disk, then the attachment detaches itself. */
  finish(): void {
    this.#finishAt = this.#options.head();
    if (!this.#pumping && this.#cursor >= this.#finishAt) this.detach();
    else this.#catchUp();
  }

  /** The log has failed: what waits for events that will never be on disk is answered by `errorFor`, then nothing more is sent. */
  fail(errorFor: (id: JsonRpcId) => Uint8Array): void {
    if (this.#detached) return;
    for (const { message } of this.#controls) {
      const parsed = parseMessage(Buffer.from(message).toString());
      if (parsed.kind === 'result' || parsed.kind === 'error') this.#sink.send(errorFor(parsed.id));
    }
    this.#controls = [];
  }

  /** Sends at once, whatever the client has seen. Only after the log has failed. */
  sendNow(message: Uint8Array): void {
    if (!this.#detached) this.#sink.send(message);
  }

  /** Gives up its place, and its stream unless the one that follows speaks on the same. */
  #handOver(streamId: SessionId): Control[] {
    const controls = this.#controls;
    if (streamId === this.#options.streamId) this.#detached = true;
    else this.detach();
    return controls;
  }

  #catchUp(): void {
    if (this.#pumping || this.#detached) return;
    this.#pumping = true;
    this.#pump().catch((error: unknown) => {
      this.#pumping = false;
      if (this.#detached) return;
      this.detach();
      this.#options.onFailure(error instanceof Error ? error : new Error(String(error)));
    });
  }

  async #pump(): Promise<void> {
    while (!this.#detached && !(await this.#step()));
  }

  /** True when the client has everything: it is live from that very moment on, so nothing is awaited between the look at the head and that. */
  async #step(): Promise<boolean> {
    const { log, sessionId, head } = this.#options;
    if (this.port.gone) {
      this.detach();
      return true;
    }
    if (!this.#drained && !this.#hasPlace(this.#wanting)) {
      await this.#sink.drained();
      this.#drained = this.#sink.backlogBytes !== Number.POSITIVE_INFINITY;
      return false;
    }
    this.#sendDueControls();
    if (this.#cursor >= (this.#finishAt ?? head())) {
      this.#pumping = false;
      if (this.#finishAt !== undefined) this.detach();
      return true;
    }
    const rewinds = this.#rewinds;
    const chunks = await log.read(sessionId, this.#cursor, READ_BYTES);
    if (rewinds !== this.#rewinds) return false;
    if (chunks.length === 0)
      throw new Error(`events after ${this.#cursor} are gone from the log of session ${sessionId}`);
    for (const chunk of chunks) {
      if (this.#detached) break;
      this.#wanting = chunk.body.byteLength;
      if (!this.#drained && !this.#hasPlace(this.#wanting)) break;
      this.#drained = false;
      this.#wanting = 0;
      const shown = this.#cursor < this.#hiddenUntil ? this.#passHidden(chunk) : chunk;
      if (shown.count > 0) this.#deliver(segmentChunk(shown));
    }
    return false;
  }

  /** Whether so much more may wait for the client. What is larger than the bound itself waits alone. */
  #hasPlace(bytes: number): boolean {
    const { backlogBytes } = this.#sink;
    return backlogBytes === 0 || backlogBytes + bytes <= this.#options.maxBacklogBytes;
  }

  /** Goes over what is hidden of a chunk; gives the rest. */
  #passHidden(chunk: EventChunk): EventChunk {
    for (const event of eventsOf(sliceChunk(chunk, this.#cursor, this.#hiddenUntil - this.#cursor))) {
      const own = event.kind === 'turn_end' && event.connection === this.port.id;
      if (own && event.seq > this.#answerAfter) this.#sink.send(event.message, event.seq);
      this.#cursor = event.seq;
    }
    this.#sendDueControls();
    return sliceChunk(chunk, this.#cursor);
  }

  #deliver(segments: readonly Segment[]): void {
    for (const segment of segments) {
      if (segment.kind === 'run') {
        this.#sink.sendRun(this.port.features.seq ? segment.run.withSeq() : segment.run);
        this.#cursor = segment.run.lastSeq;
      } else {
        this.#deliverEvent(segment.event, segment.varies);
        this.#cursor = segment.event.seq;
      }
      if (this.#controls.length > 0) this.#sendDueControls();
    }
  }

  #deliverEvent(event: SessionEvent, varies: boolean): void {
    const own = event.connection === this.port.id;
    if (event.kind === 'update' && !(own && event.seq > this.#echoUntil)) {
      const past = this.#options.replays && event.seq <= this.#echoUntil;
      const shown = varies ? shownUpdate(event, this.port.profile, past) : event.message;
      if (shown) this.#sink.send(this.port.features.seq ? numbered(shown, event.seq) : shown, event.seq);
    } else if (event.kind === 'turn_end') {
      if (own && event.seq > this.#answerAfter) this.#sink.send(event.message, event.seq);
      else if (this.port.features.turnEnded) this.#sink.send(turnEnded(this.#options.sessionId, event), event.seq);
    }
  }

  #sendDueControls(): void {
    while (this.#controls.length > 0 && (this.#controls[0] as Control).after <= this.#cursor) {
      const control = this.#controls.shift() as Control;
      this.#sink.send(control.message);
      if (!this.#sink.resumable) continue;
      this.#sentControls.push(control);
      if (this.#sentControls.length > KEPT_CONTROLS) this.#sentControls.shift();
    }
  }
}

function turnEnded(sessionId: SessionId, event: SessionEvent): Buffer {
  const response = parseMessage(event.message.toString());
  const outcome =
    response.kind === 'error'
      ? { error: response.error }
      : {
          stopReason: response.kind === 'result' && isObject(response.result) ? response.result.stopReason : undefined,
        };
  return Buffer.from(encodeNotification(EXTENSION.turnEnded, { sessionId, seq: event.seq, ...outcome }));
}
