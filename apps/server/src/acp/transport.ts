import type { SessionId } from '@reeve/protocol';
import type { SessionSink } from '../sessions/session-sink.ts';

/** One way of carrying ACP messages to one client: WebSocket or streamable HTTP. */
export interface Transport {
  readonly kind: 'websocket' | 'http';
  /** A message that belongs to no session's order: answers to `initialize`, `session/new`, `session/list`, errors. */
  send(message: Uint8Array): void;
  /** The outlet of one session; the same object for the same session as long as the connection lives. */
  sink(sessionId: SessionId): SessionSink;
  /** The client left the session: what the transport holds for it may go. */
  release(sessionId: SessionId): void;
  /** Ends the connection; `reason` is shown to the peer where the transport can. Idempotent. */
  close(reason: string): void;
}

/** What a transport sees of the connection that it carries. */
export interface InboundConnection {
  readonly id: string;
  /** Takes one message, as text, in the order of arrival. Never throws; bad input is answered through the transport. */
  receive(text: string): void;
  /** A session stream was opened again by a client that has everything up to `after` (SSE `Last-Event-ID`). */
  resumeStream(sessionId: SessionId, after: number): void;
  /** The peer is gone: every session is left, running turns go on. Idempotent. */
  vanish(reason: string): void;
}

/** Makes the connection for a transport that a peer has opened. `agent`: from the URL. Undefined when the server is full. */
export type AcceptConnection = (
  transport: Transport,
  peer: { readonly agent: string | undefined; readonly remote: string },
) => InboundConnection | undefined;
