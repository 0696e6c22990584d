import type { EventSeq } from '@reeve/protocol';
import type { EventRun } from '../events/event-run.ts';
import type { SessionSink } from '../sessions/session-sink.ts';
import { encodeSseEvent, sseCodec } from './sse-codec.ts';
import { type HttpResponse, SseStream } from './sse-stream.ts';

/** At or below this backlog a writer may go on. */
const LOW_WATER_BYTES = 64 * 1024;

export interface OutletOptions {
  readonly heartbeatMs: number;
  /** What may wait here for a stream to open. One message always may, however long. */
  readonly maxParkedBytes: number;
  /** The same bound for what an open stream has not taken; absent where writers look at `backlogBytes` themselves. */
  readonly maxBacklogBytes?: number;
  /** A bound was exceeded: the client must begin anew. */
  readonly onOverflow: () => void;
  /** A stream was opened (+1) or has ended (-1). */
  readonly onStreams: (change: 1 | -1) => void;
}

interface Parked {
  readonly frames: Buffer;
  readonly isEvent: boolean;
}

/**
 * What is sent down one kind of stream of a connection: its own, or that of one session. Streams come and go; the outlet
 * stays. At most one stream is open: a newer one takes over, for its client may be back before its old socket is known dead.
 */
export class StreamOutlet implements SessionSink {
  readonly resumable = true;
  readonly #options: OutletOptions;
  #stream: SseStream | undefined;
  #parked: Parked[] = [];
  #parkedBytes = 0;
  #waiters: (() => void)[] = [];
  #closed = false;

  constructor(options: OutletOptions) {
    this.#options = options;
  }

  get backlogBytes(): number {
    return this.#stream ? this.#stream.backlogBytes : Number.POSITIVE_INFINITY;
  }

  get isOpen(): boolean {
    return this.#stream !== undefined;
  }

  drained(): Promise<void> {
    if (this.#closed || this.backlogBytes <= LOW_WATER_BYTES) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  send(message: Uint8Array, seq?: EventSeq): void {
    this.#write(encodeSseEvent(message, seq), seq !== undefined);
  }

  sendRun(run: EventRun): void {
    this.#write(run.encode(sseCodec), true);
  }

  /**
   * Makes `response` the stream. What waited goes first. With `resume`, events that waited are dropped instead: `resume`
   * is called for whoever sends them again from the log, before any writer that waits for the stream goes on.
   */
  open(response: HttpResponse, resume?: () => void): void {
    const former = this.#stream;
    const stream: SseStream = new SseStream(response, {
      heartbeatMs: this.#options.heartbeatMs,
      onProgress: () => this.#wake(),
      onClose: () => {
        if (this.#stream === stream) this.#stream = undefined;
        this.#options.onStreams(-1);
      },
    });
    this.#stream = stream;
    this.#options.onStreams(1);
    if (former) this.#end(former);
    const parked = this.#parked;
    this.#parked = [];
    this.#parkedBytes = 0;
    for (const { frames, isEvent } of parked) if (!(resume && isEvent)) stream.write(frames);
    resume?.();
    this.#wake();
  }

  /** Ends the stream behind what was written, and lets writers go. Nothing is kept afterwards. Idempotent. */
  close(): void {
    this.#closed = true;
    const stream = this.#stream;
    this.#stream = undefined;
    this.#parked = [];
    this.#parkedBytes = 0;
    if (stream) this.#end(stream);
    this.#wake();
  }

  #write(frames: Buffer, isEvent: boolean): void {
    if (this.#closed) return;
    const stream = this.#stream;
    if (stream) {
      if (stream.backlogBytes >= (this.#options.maxBacklogBytes ?? Number.POSITIVE_INFINITY))
        this.#options.onOverflow();
      else stream.write(frames);
    } else if (this.#parkedBytes >= this.#options.maxParkedBytes) this.#options.onOverflow();
    else {
      this.#parked.push({ frames, isEvent });
      this.#parkedBytes += frames.byteLength;
    }
  }

  #end(stream: SseStream): void {
    stream.end();
    this.#options.onStreams(-1);
  }

  #wake(): void {
    if (this.#waiters.length === 0 || (!this.#closed && this.backlogBytes > LOW_WATER_BYTES)) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }
}
