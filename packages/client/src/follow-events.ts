import type { WireEvent } from '@reeve/protocol';
import { backOffMs, pause } from './back-off.ts';
import { CallError } from './call-error.ts';
import { readEventStream } from './event-stream.ts';
import type { HttpCaller } from './http-caller.ts';

export interface FollowOptions {
  /** Seq after which to begin; 0, the default, is the whole history. */
  readonly after?: number;
  /** Ends the iteration quietly. */
  readonly signal?: AbortSignal;
  /** How long to go on trying when the server does not answer; 60 s unless told. */
  readonly giveUpMs?: number;
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
  let after = options.after ?? 0;
  let attempt = 0;
  let lastHeard = Date.now();
  while (!signal?.aborted) {
    try {
      const response = await http.open('GET', path, {
        query: { after },
        headers: { accept: 'text/event-stream', 'last-event-id': String(after) },
        signal,
      });
      if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
        throw new CallError({ code: 'not_reeve', message: 'the server sent no event stream', status: 406 });
      }
      for await (const { data } of readEventStream(response.body)) {
        attempt = 0;
        lastHeard = Date.now();
        const event = asEvent(data);
        if (!event || event.seq <= after) continue;
        after = event.seq;
        yield event;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof CallError && error.status !== undefined && error.status < 500) throw error;
      if (Date.now() - lastHeard > giveUpMs) throw error;
    }
    await pause(backOffMs(attempt), signal);
    attempt += 1;
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
