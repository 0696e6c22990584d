import type { EventPage, WireEvent } from '@reeve/protocol';
import { backOffMs, pause } from './back-off.ts';
import { CallError } from './call-error.ts';
import { readEventStream } from './event-stream.ts';
import { isRefusal } from './follow-changes.ts';
import type { HttpCaller } from './http-caller.ts';

export interface FollowOptions {
  /** Seq after which to begin; 0, the default, is the whole history. */
  readonly after?: number;
  /** Without `after`: reads the last so many events as one page, which `onTail` is given, and begins after them. */
  readonly tail?: number;
  readonly onTail?: (page: EventPage) => void;
  /** Ends the iteration quietly. */
  readonly signal?: AbortSignal;
  /** How long to go on trying when the server does not answer; 60 s unless told. */
  readonly giveUpMs?: number;
  /** The server was lost, and is tried for the `attempt`th time. */
  readonly onLost?: (error: CallError, attempt: number) => void;
  /** The server answers, the first time too. */
  readonly onConnected?: () => void;
}

/**
 * The events of a session after a cursor, then those that come, each once and in order. A stream that breaks is opened
 * again after the last event seen. Ends when `signal` aborts; rejects when the server refuses (401, 404, …) or stays away.
 */
export async function* followEvents(
  http: HttpCaller,
  sessionId: string,
  options: FollowOptions = {},
): AsyncGenerator<WireEvent> {
  const { signal, giveUpMs = 60_000 } = options;
  const path = `/v1/sessions/${encodeURIComponent(sessionId)}/events`;
  let after = options.after ?? (options.tail === undefined ? 0 : undefined);
  let attempt = 0;
  let lastHeard = Date.now();
  while (!signal?.aborted) {
    let lost = new CallError({
      code: 'connection_lost',
      message: 'the stream of events ended',
      next: 'Wait: it is tried again.',
    });
    try {
      if (after === undefined) {
        const query = { before: Number.MAX_SAFE_INTEGER, limit: options.tail };
        const page = (await http.call('GET', path, { query, signal })) as EventPage;
        after = page.events.at(-1)?.seq ?? 0;
        options.onTail?.(page);
      }
      const body = await http.stream(path, { after }, String(after), signal);
      lastHeard = Date.now();
      options.onConnected?.();
      for await (const { data } of readEventStream(body)) {
        attempt = 0;
        lastHeard = Date.now();
        const event = asEvent(data);
        if (!event || event.seq <= after) continue;
        after = event.seq;
        yield event;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof CallError && isRefusal(error)) throw error;
      if (Date.now() - lastHeard > giveUpMs) throw error;
      lost = CallError.of(error);
    }
    if (signal?.aborted) return;
    attempt += 1;
    options.onLost?.(lost, attempt);
    await pause(backOffMs(attempt - 1), signal);
  }
}

function asEvent(data: string): WireEvent | undefined {
  try {
    const event: unknown = JSON.parse(data);
    if (typeof event !== 'object' || event === null) return undefined;
    return typeof (event as WireEvent).seq === 'number' ? (event as WireEvent) : undefined;
  } catch {
    return undefined;
  }
}
