import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { EventSeq, SessionId } from '@reeve/protocol';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import type { EventRun } from '../events/event-run.ts';
import type { SessionSink } from '../sessions/session-sink.ts';
import { chooseProtocol } from '../sockets/choose-protocol.ts';
import { type PeerPatience, watchPeer } from '../sockets/watch-peer.ts';
import type { AcceptConnection, InboundConnection, Transport } from './transport.ts';
import { webSocketCodec, webSocketFrame } from './websocket-codec.ts';

export interface WebSocketOptions extends PeerPatience {
  readonly accept: AcceptConnection;
  /** A client frame over this closes the connection with 1009. */
  readonly maxFrameBytes: number;
  /** A client that has this much to read is not listened to until it has read: its answers would only pile up. */
  readonly maxUnreadBytes: number;
}

export interface WebSocketAcp {
  /** Takes over an upgrade that was let in (host, origin, token are checked before). */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, agent: string | undefined): void;
  closeAll(reason: string): void;
}

const GOING_AWAY = 1001;
const TOO_BIG = 1009;
const TRY_AGAIN_LATER = 1013;

/** `ws` closes a connection for its peer's mistakes without a word; where one of our settings decides, it is named. */
class ExplainedWebSocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    super.close(code, reason ?? (code === TOO_BIG ? 'a message over the limit (limits.maxFrameBytes)' : undefined));
  }
}

/** ACP over WebSocket: one text or binary frame is one message. */
export function createWebSocketAcp(options: WebSocketOptions): WebSocketAcp {
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: options.maxFrameBytes,
    handleProtocols: chooseProtocol,
    WebSocket: ExplainedWebSocket,
  });
  const open = new Set<WebSocketTransport>();
  return {
    upgrade(request, socket, head, agent) {
      server.handleUpgrade(request, socket, head, (webSocket) => {
        const transport = new WebSocketTransport(webSocket, socket, options, () => open.delete(transport));
        open.add(transport);
        transport.begin(options.accept(transport, { agent, remote: request.socket.remoteAddress ?? 'unknown' }));
      });
    },
    closeAll(reason) {
      for (const transport of open) transport.close(reason);
    },
  };
}

/**
 * One client over WebSocket. The `ws` library reads frames and does the control frames; what we send is framed by us and
 * written to the socket itself, many messages at a time. Both write whole frames in one go, so they never mix.
 */
class WebSocketTransport implements Transport {
  readonly kind = 'websocket';
  readonly #webSocket: WebSocket;
  readonly #socket: Duplex;
  readonly #sink: SessionSink;
  readonly #onGone: () => void;
  #connection: InboundConnection | undefined;
  #gone = false;
  #drainWaiters: (() => void)[] = [];
  #corked = false;

  constructor(webSocket: WebSocket, socket: Duplex, options: WebSocketOptions, onGone: () => void) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#onGone = onGone;
    this.#sink = this.#createSink();
    webSocket.on('message', (data) => {
      this.#connection?.receive(textOf(data));
      if (this.#socket.writableLength > options.maxUnreadBytes) webSocket.pause();
    });
    // A protocol error of the peer: `ws` closes the connection, `close` follows.
    webSocket.on('error', () => {});
    webSocket.on('close', () => this.#end('closed'));
    socket.on('drain', () => this.#drained());
    watchPeer(webSocket, socket, options);
  }

  begin(connection: InboundConnection | undefined): void {
    this.#connection = connection;
    if (!connection)
      this.#webSocket.close(TRY_AGAIN_LATER, 'the server has as many connections as it takes (limits.maxConnections)');
  }

  send(message: Uint8Array): void {
    this.#write(webSocketFrame(message));
  }

  sink(_sessionId: SessionId): SessionSink {
    return this.#sink;
  }

  release(_sessionId: SessionId): void {
    // Nothing is held per session.
  }

  close(reason: string): void {
    this.#webSocket.close(GOING_AWAY, Buffer.from(reason).subarray(0, 120));
  }

  /** All sessions share the one socket. */
  #createSink(): SessionSink {
    const backlog = (): number => (this.#gone ? Number.POSITIVE_INFINITY : this.#socket.writableLength);
    return {
      get backlogBytes() {
        return backlog();
      },
      resumable: false,
      drained: () => this.#whenDrained(),
      send: (message: Uint8Array, _seq?: EventSeq) => this.send(message),
      sendRun: (run: EventRun) => this.#write(run.encode(webSocketCodec)),
    };
  }

  /** Everything that is sent in one tick leaves in one write. */
  #write(frames: Buffer): void {
    // Nothing may follow a close frame (RFC 6455, section 5.5.1).
    if (this.#gone || !this.#socket.writable || this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    if (!this.#corked) {
      this.#corked = true;
      this.#socket.cork();
      process.nextTick(() => {
        this.#corked = false;
        this.#socket.uncork();
      });
    }
    this.#socket.write(frames);
  }

  #whenDrained(): Promise<void> {
    if (this.#gone) return Promise.resolve();
    // A socket that will not say `drain` is asked again later, never in a loop that lets nobody else run.
    if (!this.#socket.writableNeedDrain) return new Promise((resolve) => setImmediate(resolve));
    return new Promise((resolve) => this.#drainWaiters.push(resolve));
  }

  #drained(): void {
    if (this.#webSocket.isPaused) this.#webSocket.resume();
    for (const resolve of this.#drainWaiters.splice(0)) resolve();
  }

  #end(reason: string): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#connection?.vanish(reason);
    this.#drained();
    this.#onGone();
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return data instanceof ArrayBuffer ? Buffer.from(data).toString() : data.toString();
}
