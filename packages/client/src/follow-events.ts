import type { EventPage, WireEvent } from '@reeve/protocol';
import type { EventStreams } from './event-streams.ts';
import { followStream, type ReconnectOptions } from './follow-stream.ts';
import type { HttpCaller } from './http-caller.ts';

/** `giveUpMs`: 60 s unless told. */
export interface FollowOptions extends ReconnectOptions {
  /** Seq after which to begin; 0, the default, is the whole history. */
  readonly after?: number;
  /** Without `after`: reads the last so many events as one page, which `onTail` is given, and begins after them. */
  readonly tail?: number;
  readonly onTail?: (page: EventPage) => void;
}

/**
 * The events of a session after a cursor, then those that come, each once and in order. A stream that breaks is opened
 * again after the last event seen. Ends when `signal` aborts; rejects when the server refuses (401, 404, …) or stays away.
 */
export function followEvents(
  http: HttpCaller,
  streams: EventStreams,
  sessionId: string,
  options: FollowOptions = {},
): AsyncGenerator<WireEvent> {
  const { tail, onTail, giveUpMs = 60_000 } = options;
  const path = `/v1/sessions/${encodeURIComponent(sessionId)}/events`;
  let after = options.after ?? (tail === undefined ? 0 : undefined);
  return followStream<WireEvent>(
    {
      what: 'events',
      async open(signal) {
        if (after === undefined) {
          const query = { before: Number.MAX_SAFE_INTEGER, limit: tail };
          const page = (await http.call('GET', path, { query, signal })) as EventPage;
          after = page.events.at(-1)?.seq ?? 0;
          onTail?.(page);
        }
        return streams.open(path, { after }, String(after), signal);
      },
      read({ data }) {
        const event = asEvent(data);
        if (!event || event.seq <= (after ?? 0)) return undefined;
        after = event.seq;
        return event;
      },
    },
    { ...options, giveUpMs },
  );
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
