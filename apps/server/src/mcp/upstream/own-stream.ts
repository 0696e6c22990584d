import { setTimeout as delay } from 'node:timers/promises';
import type { Fetch } from './bounded-fetch.ts';

/** Servers that say nothing on their own stream before there is something are not waited for longer. */
const OPENS_MS = 250;

/** The stream on which a server asks on its own (MCP 2025-11-25, streamable HTTP, listening for messages). */
export interface OwnStream {
  readonly fetch: Fetch;
  /** Resolves when it is open, when the server has refused it, or when that takes too long. */
  opened(): Promise<void>;
}

/** Looks at the requests of the transport, which opens the stream by itself, by GET, after `notifications/initialized`. */
export function watchOwnStream(fetch: Fetch): OwnStream {
  const answered = Promise.withResolvers<void>();
  return {
    fetch(url, init) {
      const response = fetch(url, init);
      if (init?.method === 'GET')
        response.then(
          () => answered.resolve(),
          () => answered.resolve(),
        );
      return response;
    },
    opened: () => Promise.race([answered.promise, delay(OPENS_MS, undefined, { ref: false })]),
  };
}
