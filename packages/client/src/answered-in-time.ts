import { lostInSilence } from './silence.ts';

/** The longest that a page waits for something that it reads, ms. */
const ANSWER_MS = 30_000;

/**
 * What `read` gives. Rejects, and aborts the signal that `read` was given, when `signal` aborts or no answer came in `answerMs`: over a
 * connection from before the sleep of a machine none ever comes.
 */
export async function answeredInTime<T>(
  read: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
  answerMs = ANSWER_MS,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(lostInSilence(answerMs)), answerMs);
  try {
    return await read(signal ? AbortSignal.any([signal, late.signal]) : late.signal);
  } finally {
    clearTimeout(timer);
  }
}
