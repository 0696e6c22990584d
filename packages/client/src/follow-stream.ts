import { answeredInTime } from './answered-in-time.ts';
import { backOffMs, pause } from './back-off.ts';
import { CallError, isRefusal } from './call-error.ts';
import { readEventStream, type StreamEvent } from './event-stream.ts';
import type { OpenStream } from './http-caller.ts';
import { silenceOf } from './silence.ts';

export interface ReconnectOptions {
  /** Ends the iteration quietly. */
  readonly signal?: AbortSignal;
  /** How long to go on trying when the server does not answer. */
  readonly giveUpMs?: number;
  /**
   * A stream on which nothing came for so long, not even a heartbeat, is taken for lost; three heartbeats unless told, as the server says how
   * often it has one.
   */
  readonly silenceMs?: number;
  /** The server was lost, and is tried for the `attempt`th time. */
  readonly onLost?: (error: CallError, attempt: number) => void;
  /** The server answers, the first time too. */
  readonly onConnected?: () => void;
}

/** The longest that a server may take to begin a stream, ms: it does so at once, but over a line from before the sleep of a machine. */
const OPEN_MS = 15_000;

/** A stream that can be opened again where it broke off. */
export interface ResumableStream<T> {
  /** What it is a stream of, for people. */
  readonly what: string;
  /** Opened after the last message that `read` was given; ends with `signal`, as long as it lasts. */
  open(signal: AbortSignal): Promise<OpenStream>;
  /** Nothing came for too long. Nobody is told that the server is there again before this is done. Never rejects. */
  onSilence?(): Promise<void>;
  /** Undefined for what is to be passed over. */
  read(message: StreamEvent): T | undefined;
}

/**
 * What a stream gives, opened again with a growing pause whenever it ends. Ends when `signal` aborts; rejects when the server refuses
 * (401, 404, …), or stays away for `giveUpMs`.
 */
export async function* followStream<T>(
  { what, open, read, onSilence }: ResumableStream<T>,
  { signal, giveUpMs = Number.POSITIVE_INFINITY, silenceMs, onLost, onConnected }: ReconnectOptions,
): AsyncGenerator<T> {
  let attempt = 0;
  let lostSince: number | undefined;
  let sweeping: Promise<void> | undefined;
  let patienceMs = silenceMs ?? silenceOf(undefined);
  while (!signal?.aborted) {
    let lost = new CallError({
      code: 'connection_lost',
      message: `the stream of ${what} ended`,
      next: 'Wait: it is tried again.',
    });
    try {
      const stream = await answeredInTime(open, signal, Math.min(patienceMs, OPEN_MS));
      patienceMs = silenceMs ?? silenceOf(stream.heartbeatMs);
      await sweeping;
      sweeping = undefined;
      lostSince = undefined;
      onConnected?.();
      for await (const message of readEventStream(stream.body, patienceMs)) {
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
      if (lost.code === 'connection_lost') sweeping = onSilence?.();
    }
    if (signal?.aborted) return;
    attempt += 1;
    onLost?.(lost, attempt);
    await pause(backOffMs(attempt - 1), signal);
  }
}
