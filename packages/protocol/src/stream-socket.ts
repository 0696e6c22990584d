/**
 * An event stream over a WebSocket, for browsers: of one server they hold six HTTP connections for all their tabs, and hundreds of WebSockets. Its
 * address is that of the stream. Binary messages are whole events as `text/event-stream` has them (WHATWG HTML, "Server-sent events");
 * text messages are JSON about the stream: first `StreamOpening` from the server, then any number of `StreamReceipt` to it.
 */

/** Parameters of its address, where a browser can set no header. */
export const STREAM_PARAMETER = {
  /** As `Last-Event-ID`. */
  lastEventId: 'lastEventId',
  /** As `Reeve-Client`. */
  client: 'client',
  /** Bytes of events that may be under way before a receipt is waited for; without it none is. */
  window: 'window',
} as const;

export interface StreamOpening {
  /** Something comes at least so often, ms. */
  readonly heartbeatMs: number;
}

export interface StreamReceipt {
  /** Bytes of events that were read, since the beginning. */
  readonly read: number;
}
