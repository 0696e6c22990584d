import { HEARTBEAT_HEADER } from '@reeve/protocol';

const HEARTBEAT = Buffer.from(':\n\n');

export interface EventStreamOptions {
  /** Called once, when the reader is there; gives whole events. */
  readonly follow: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
  readonly heartbeatMs: number;
  /** The reader is gone, or the server stops: the stream ends. */
  readonly signal: AbortSignal;
  /** The source failed; the stream ends, and the reader may come back with its cursor. */
  readonly onError: (error: unknown) => void;
}

/** What stands before such a body; the reader takes a silence of several heartbeats for the loss of the line. */
export function eventStreamHeaders(heartbeatMs: number): Record<string, string> {
  return {
    'content-type': 'text/event-stream',
    'x-accel-buffering': 'no',
    [HEARTBEAT_HEADER]: String(heartbeatMs),
  };
}

/** A body of server-sent events that reads on only as fast as it is read. Heartbeats while there is nothing to send. */
export function eventStreamBody(options: EventStreamOptions): ReadableStream<Uint8Array> {
  const ended = new AbortController();
  const signal = AbortSignal.any([options.signal, ended.signal]);
  const chunks = options.follow(signal)[Symbol.asyncIterator]();
  let heartbeat: NodeJS.Timeout | undefined;
  const end = (): void => {
    clearInterval(heartbeat);
    ended.abort();
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(HEARTBEAT);
      heartbeat = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(HEARTBEAT);
      }, options.heartbeatMs);
      heartbeat.unref();
    },
    async pull(controller) {
      try {
        const next = await chunks.next();
        if (!next.done) return controller.enqueue(next.value);
      } catch (error) {
        if (!signal.aborted) options.onError(error);
      }
      if (ended.signal.aborted) return;
      end();
      controller.close();
    },
    async cancel() {
      end();
      await chunks.return?.();
    },
  });
}
