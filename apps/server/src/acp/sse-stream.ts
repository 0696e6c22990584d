import type { ServerResponse } from 'node:http';
import { SSE_HEARTBEAT } from './sse-codec.ts';

/** Of HTTP/1.1, or of HTTP/2 by Node's compatible API, which offers the same. */
export type HttpResponse = ServerResponse;

/** What an ended stream still has on its way may take this long; then its socket is given up. */
const END_GRACE_MS = 30_000;

/**
 * One open `text/event-stream` response. What is written in one tick leaves in one write. Its headers are sent at once.
 * Heartbeats come only while nothing else is on its way, so that a reader who has stopped costs no more for them.
 */
export class SseStream {
  readonly #response: HttpResponse;
  readonly #onProgress: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  #gathered: Buffer[] = [];
  #backlogBytes = 0;
  #state: 'open' | 'ending' | 'closed' = 'open';

  /**
   * `onProgress`: the socket has taken bytes. `onClose`: once, when the stream can carry nothing more, whoever ended it;
   * not called for `end`.
   */
  constructor(
    response: HttpResponse,
    options: { readonly heartbeatMs: number; readonly onProgress: () => void; readonly onClose: () => void },
  ) {
    this.#response = response;
    this.#onProgress = options.onProgress;
    response.on('error', () => response.destroy());
    response.once('close', () => {
      clearInterval(this.#heartbeat);
      const wasOpen = this.#state === 'open';
      this.#state = 'closed';
      this.#gathered = [];
      this.#backlogBytes = 0;
      if (wasOpen) options.onClose();
    });
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
    this.#heartbeat = setInterval(() => {
      if (this.#backlogBytes === 0) this.write(SSE_HEARTBEAT);
    }, options.heartbeatMs);
    this.#heartbeat.unref();
  }

  /** Bytes written and not yet taken by the socket. */
  get backlogBytes(): number {
    return this.#backlogBytes;
  }

  /** Whole events. Nothing is sent once the stream has ended. */
  write(frames: Buffer): void {
    if (this.#state !== 'open') return;
    this.#backlogBytes += frames.byteLength;
    this.#gathered.push(frames);
    if (this.#gathered.length === 1) queueMicrotask(() => this.#flush());
  }

  /** Ends the response behind what was written. Idempotent. */
  end(): void {
    if (this.#state !== 'open') return;
    this.#flush();
    this.#state = 'ending';
    clearInterval(this.#heartbeat);
    this.#response.end();
    const giveUp = setTimeout(() => this.#response.destroy(), END_GRACE_MS);
    giveUp.unref();
    this.#response.once('close', () => clearTimeout(giveUp));
  }

  #flush(): void {
    if (this.#state !== 'open' || this.#gathered.length === 0) return;
    const frames = this.#gathered;
    this.#gathered = [];
    const block = frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames);
    const taken = (): void => {
      if (this.#state === 'closed') return;
      this.#backlogBytes -= block.byteLength;
      this.#onProgress();
    };
    this.#response.write(block, taken);
  }
}
