import type { CallError } from './call-error.ts';
import { lostInSilence, MOST_MS } from './silence.ts';

/** The longest that a page waits for something that it reads, ms. */
const ANSWER_MS = 30_000;

/**
 * What `read` gives. Rejects, and aborts the signal that `read` was given, when `signal` aborts or no answer came in `answerMs`: over a
 * connection from before the sleep of a machine none ever comes. @param late what it rejects with then
 */
export async function answeredInTime<T>(
  read: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
  answerMs = ANSWER_MS,
  late: () => CallError = () => lostInSilence(answerMs),
): Promise<T> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(late()), Math.min(answerMs, MOST_MS));
  try {
    return await read(signal ? AbortSignal.any([signal, stop.signal]) : stop.signal);
  } catch (error) {
    // A body that is cut off has lost the reason in some browsers.
    throw stop.signal.aborted && !signal?.aborted ? stop.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}
