import type { EventSeq, SessionId } from '@reeve/protocol';
import { type EventChunk, lastSeqOf } from './event-chunk.ts';
import type { EventLog } from './event-log.ts';

/**
 * Wakes readers when a log has grown, or the session has changed otherwise. A wake-up carries no data: the log is what they read, so a
 * lost or doubled wake-up costs nothing but time.
 */
export class EventFeed {
  readonly #waiting = new Map<SessionId, Set<() => void>>();
  #listener: ((session: SessionId) => void) | undefined;

  /** Calls back for every session that something happened to; one listener at a time, undefined ends it. */
  listen(listener: ((session: SessionId) => void) | undefined): void {
    this.#listener = listener;
  }

  /** Everybody who waits for this session looks into the log again. */
  wake(session: SessionId): void {
    this.#listener?.(session);
    const waiting = this.#waiting.get(session);
    if (!waiting) return;
    this.#waiting.delete(session);
    for (const resolve of waiting) resolve();
  }

  /** Resolves at the next wake-up, or when `signal` aborts. */
  next(session: SessionId, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const waiting = this.#waiting.get(session) ?? new Set();
      this.#waiting.set(session, waiting);
      const done = (): void => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const abort = (): void => {
        this.#waiting.get(session)?.delete(done);
        if (this.#waiting.get(session)?.size === 0) this.#waiting.delete(session);
        resolve();
      };
      waiting.add(done);
      signal.addEventListener('abort', abort, { once: true });
    });
  }
}

/** Stored events after `afterSeq`, then live ones, chunk by chunk, until `signal` aborts. A slow reader holds nobody. */
export async function* followEvents(
  log: EventLog,
  feed: EventFeed,
  session: SessionId,
  afterSeq: EventSeq,
  signal: AbortSignal,
  maxBytes = 256 * 1024,
): AsyncGenerator<EventChunk, void, void> {
  let cursor = afterSeq;
  while (!signal.aborted) {
    let chunks = await log.read(session, cursor, maxBytes);
    if (chunks.length === 0) {
      // Wait first, then look once more: an event that came between the two is not slept through.
      const grown = feed.next(session, signal);
      chunks = await log.read(session, cursor, maxBytes);
      if (chunks.length === 0) await grown;
    }
    for (const chunk of chunks) {
      if (signal.aborted) return;
      yield chunk;
      cursor = lastSeqOf(chunk);
    }
  }
}
