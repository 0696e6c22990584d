import { lostInSilence } from './silence.ts';

/** One event of a `text/event-stream` (WHATWG HTML, "Server-sent events"). */
export interface StreamEvent {
  /** The last `id:` seen so far, of this event or one before it. */
  readonly id: string;
  /** `message` when the stream gives none. */
  readonly event: string;
  readonly data: string;
}

/**
 * Reads the events of a stream until it ends. Comments, unknown fields and an unfinished last event are passed over.
 * @param silenceMs rejects when not a byte came for so long: a peer that is gone without a word, as after the sleep of a machine, ends nothing
 */
export async function* readEventStream(
  body: ReadableStream<Uint8Array>,
  silenceMs?: number,
): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let id = '';
  let event = '';
  let data: string[] = [];
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await heard(reader.read(), silenceMs);
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      // A lone CR at the end may be the first half of CRLF: it waits for what follows.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') {
          if (data.length > 0) yield { id, event: event || 'message', data: data.join('\n') };
          event = '';
          data = [];
          continue;
        }
        const colon = line.indexOf(':');
        const field = colon === -1 ? line : line.slice(0, colon);
        const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
        if (field === 'data') data.push(value);
        else if (field === 'event') event = value;
        else if (field === 'id' && !value.includes('\0')) id = value;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function heard<T>(reading: Promise<T>, silenceMs: number | undefined): Promise<T> {
  if (silenceMs === undefined) return reading;
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(lostInSilence(silenceMs)), silenceMs);
  try {
    return await Promise.race([reading, silence]);
  } finally {
    clearTimeout(timer);
  }
}
