import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import {
  CLIENT_HEADER,
  HEARTBEAT_HEADER,
  STREAM_PARAMETER,
  type StreamOpening,
  type StreamReceipt,
} from '@reeve/protocol';
import { type WebSocket, WebSocketServer } from 'ws';
import { chooseProtocol } from '../sockets/choose-protocol.ts';
import { type PeerPatience, watchPeer } from '../sockets/watch-peer.ts';
import type { App, AppBindings } from './app.ts';
import { rawAnswer, rawProblem, sayLast } from './raw-answer.ts';

export interface StreamSocketOptions {
  /** Answers `GET` of a stream with its body, or with why there is none. */
  readonly app: App;
  readonly patience: PeerPatience;
}

/** Event streams over WebSocket, as `STREAM_PARAMETER` of @reeve/protocol tells. */
export interface StreamSockets {
  /** Takes a handshake that the gate has let in: refuses it, or writes the stream until either end has enough. */
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer, bindings: AppBindings): Promise<void>;
}

/** What can be followed. */
const STREAMS = /^\/v1\/(?:events|sessions\/[^/]+\/events)$/;
/** A receipt is no longer. */
const MAX_RECEIPT_BYTES = 256;
const GOING_AWAY = 1001;
const WRONG_MESSAGE = 1008;

export function createStreamSockets({ app, patience }: StreamSocketOptions): StreamSockets {
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_RECEIPT_BYTES,
    handleProtocols: chooseProtocol,
  });
  return {
    async upgrade(request, socket, head, { authenticated }) {
      const asked = readHandshake(request);
      if (asked.kind === 'refused') return sayLast(socket, asked.answer);
      const gone = new AbortController();
      socket.once('close', () => gone.abort());
      const stream = await app.fetch(new Request(asked.url, { headers: asked.headers, signal: gone.signal }), {
        authenticated,
      });
      const heartbeatMs = Number(stream.headers.get(HEARTBEAT_HEADER));
      if (stream.status !== 200 || !stream.body || !heartbeatMs) {
        return sayLast(
          socket,
          rawAnswer(stream.status, stream.headers.get('content-type') ?? 'text/plain', await stream.text()),
        );
      }
      const { body } = stream;
      // The peer left, or its handshake is none: nobody will read.
      const letGo = (): void => void (body.locked || body.cancel());
      if (gone.signal.aborted) return letGo();
      gone.signal.addEventListener('abort', letGo, { once: true });
      server.handleUpgrade(request, socket, head, (webSocket) => {
        watchPeer(webSocket, socket, patience);
        // What a peer does wrong below its messages closes the socket, which ends the stream.
        webSocket.on('error', () => {});
        webSocket.send(JSON.stringify({ heartbeatMs } satisfies StreamOpening));
        const room = readReceipts(webSocket, asked.window);
        writeStream(webSocket, body, room).catch(() => webSocket.terminate());
      });
    },
  };
}

type Handshake =
  | { readonly kind: 'refused'; readonly answer: string }
  | { readonly kind: 'asked'; readonly url: URL; readonly headers: Headers; readonly window: number };

/** The request as it would be without a WebSocket. */
function readHandshake({ url: target = '/', method }: IncomingMessage): Handshake {
  const url = URL.parse(target, 'http://localhost');
  if (method !== 'GET' || !url || !STREAMS.test(url.pathname)) {
    const next = 'Open it on /acp, /v1/events or /v1/sessions/ID/events.';
    return refused(404, { name: 'not_found', detail: 'no WebSocket is served here', next });
  }
  const take = (name: string): string | undefined => {
    const value = url.searchParams.get(name);
    url.searchParams.delete(name);
    return value ?? undefined;
  };
  const window = take(STREAM_PARAMETER.window);
  if (window !== undefined && !/^[1-9]\d{0,14}$/.test(window)) {
    const next = 'Send the bytes that may be under way, or leave it out.';
    return refused(400, { name: 'invalid_params', detail: 'query: window must be a whole number above 0', next });
  }
  const headers = new Headers({ accept: 'text/event-stream' });
  const given = { [CLIENT_HEADER]: take(STREAM_PARAMETER.client), 'last-event-id': take(STREAM_PARAMETER.lastEventId) };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!/^[\x21-\x7e]{0,200}$/.test(value)) {
      const next = 'Send it as it came.';
      return refused(400, { name: 'invalid_params', detail: `query: ${name} has characters that no header has`, next });
    }
    headers.set(name, value);
  }
  return { kind: 'asked', url, headers, window: window === undefined ? Number.POSITIVE_INFINITY : Number(window) };
}

function refused(status: number, problem: Parameters<typeof rawProblem>[1]): Handshake {
  return { kind: 'refused', answer: rawProblem(status, problem) };
}

/** Settles once so many bytes may be written beside those that were not read yet, or the socket is closed. */
type RoomFor = (sentBytes: number) => Promise<void> | undefined;

/** Listens for receipts; anything else ends the socket. */
function readReceipts(webSocket: WebSocket, window: number): RoomFor {
  let read = 0;
  let waiting: { readonly sent: number; readonly go: () => void } | undefined;
  const look = (): void => {
    if (!waiting || (waiting.sent - read >= window && webSocket.readyState === webSocket.OPEN)) return;
    waiting.go();
    waiting = undefined;
  };
  webSocket.on('message', (data, isBinary) => {
    const told = isBinary ? undefined : parseReceipt(String(data));
    if (told === undefined) webSocket.close(WRONG_MESSAGE, 'a receipt is {"read": bytes}');
    else read = Math.max(read, told.read);
    look();
  });
  webSocket.on('close', look);
  return (sent) => {
    if (sent - read < window) return undefined;
    return new Promise((go) => {
      waiting = { sent, go };
      look();
    });
  };
}

function parseReceipt(text: string): StreamReceipt | undefined {
  try {
    const { read } = JSON.parse(text) as StreamReceipt;
    return Number.isSafeInteger(read) && read >= 0 ? { read } : undefined;
  } catch {
    return undefined;
  }
}

/** Reads on only when what was read before has left. */
async function writeStream(webSocket: WebSocket, body: ReadableStream<Uint8Array>, room: RoomFor): Promise<void> {
  const reader = body.getReader();
  let sent = 0;
  try {
    while (webSocket.readyState === webSocket.OPEN) {
      await room(sent);
      const { done, value } = await reader.read();
      if (done) break;
      sent += value.byteLength;
      // It is told an error where the socket is closed, which the loop finds out by itself.
      await new Promise<void>((left) => webSocket.send(value, { binary: true }, () => left()));
    }
  } finally {
    await reader.cancel();
    webSocket.close(GOING_AWAY);
  }
}
