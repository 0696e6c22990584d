import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

export interface PeerPatience {
  /** How often a peer is asked for a sign of life. */
  readonly heartbeatMs: number;
  /** One that was not heard of for this long is gone. */
  readonly vanishedMs: number;
}

/** A peer that does not read cannot answer a heartbeat: while something waits for it, it has this many times as long. */
const UNREAD_PATIENCE = 4;

/** Ends a WebSocket whose peer is gone without a word (RFC 6455, section 5.5.2), until it is closed. */
export function watchPeer(webSocket: WebSocket, socket: Duplex, { heartbeatMs, vanishedMs }: PeerPatience): void {
  let heardAt = Date.now();
  const hear = (): void => {
    heardAt = Date.now();
  };
  const heartbeat = setInterval(() => {
    const patience = socket.writableLength > 0 ? vanishedMs * UNREAD_PATIENCE : vanishedMs;
    if (Date.now() - heardAt > patience) webSocket.terminate();
    else webSocket.ping();
  }, heartbeatMs).unref();
  webSocket
    .on('message', hear)
    .on('pong', hear)
    .on('close', () => clearInterval(heartbeat));
}
