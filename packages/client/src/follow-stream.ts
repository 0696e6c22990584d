import { backOffMs, pause } from './back-off.ts';
import { CallError, isRefusal } from './call-error.ts';
import { readEventStream, type StreamEvent } from './event-stream.ts';

export interface ReconnectOptions {
  /** Ends the iteration quietly. */
  readonly signal?: AbortSignal;
  /** How long to go on trying when the server does not answer. */
  readonly giveUpMs?: number;
  /**
   * A stream on which nothing came for so long, not even a heartbeat, is taken for lost; 45 s unless told, three heartbeats of a server whose
   * `timeouts.heartbeatMs` is not set.
   */
  readonly silenceMs?: number;
  /** The server was lost, and is tried for the `attempt`th time. */
  readonly onLost?: (error: CallError, attempt: number) => void;
  /** The server answers, the first time too. */
  readonly onConnected?: () => void;
}

const SILENCE_MS = 45_000;

/** A stream that can be opened again where it broke off. */
export interface ResumableStream<T> {
  /** What it is a stream of, for people. */
  readonly what: string;
  /** Opened after the last message that `read` was given. */
  open(): Promise<ReadableStream<Uint8Array>>;
  /** Undefined for what is to be passed over. */
  read(message: StreamEvent): T | undefined;
}

/**
 * What a stream gives, opened again with a growing pause whenever it ends. Ends when `signal` aborts; rejects when the server refuses
 * (401, 404, …), or stays away for `giveUpMs`.
 */
export async function* followStream<T>(
  { what, open, read }: ResumableStream<T>,
  { signal, giveUpMs = Number.POSITIVE_INFINITY, silenceMs = SILENCE_MS, onLost, onConnected }: ReconnectOptions,
): AsyncGenerator<T> {
  let attempt = 0;
  let lostSince: number | undefined;
  while (!signal?.aborted) {
    let lost = new CallError({
      code: 'connection_lost',
      message: `the stream of ${what} ended`,
      next: 'Wait: it is tried again.',
    });
    try {
      const body = await open();
      lostSince = undefined;
      onConnected?.();
      for await (const message of readEventStream(body, silenceMs)) {
        attempt = 0;
        const given = read(message);
        if (given !== undefined) yield given;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof CallError && isRefusal(error)) throw error;
      lostSince ??= Date.now();
      if (Date.now() - lostSince > giveUpMs) throw error;
      lost = CallError.of(error);
    }
    if (signal?.aborted) return;
    attempt += 1;
    onLost?.(lost, attempt);
    await pause(backOffMs(attempt - 1), signal);
  }
}
