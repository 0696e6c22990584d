import { type ClientName, STREAM_PARAMETER } from '@reeve/protocol';
import type { CallOptions, HttpCaller, OpenStream } from './http-caller.ts';
import { openSocketStream, WINDOW_BYTES } from './socket-stream.ts';
import { socketUrl } from './socket-url.ts';
import { sweepConnections } from './sweep-connections.ts';

/** What carries the event streams of a server. */
export type StreamCarrier = 'websocket' | 'http';

export interface EventStreams {
  /** Opens one after the event with the id `last`. Rejects with a `CallError`, or when `signal` aborts. */
  open(
    path: string,
    query: NonNullable<CallOptions['query']>,
    last: string | undefined,
    signal: AbortSignal,
  ): Promise<OpenStream>;
  /** Nothing came over one for too long: other connections are most likely as dead, and so are the calls that wait on them. Never rejects. */
  onSilence(): Promise<void>;
}

export interface SocketStreamSettings {
  readonly base: URL;
  readonly token: () => string | undefined;
  readonly client: ClientName;
  readonly WebSocket: typeof WebSocket;
}

/** A browser has six HTTP connections to one server for all its tabs, each of which a stream would hold one of. */
export function usualCarrier(): StreamCarrier {
  return 'document' in globalThis || 'WorkerGlobalScope' in globalThis ? 'websocket' : 'http';
}

export function httpStreams(http: HttpCaller): EventStreams {
  return { open: http.stream, onSilence: async () => http.giveUp() };
}

/** Over WebSocket; over HTTP where the server can be reached, but no WebSocket gets through what stands before it. */
export function socketStreams(http: HttpCaller, settings: SocketStreamSettings): EventStreams {
  const { base, token, client, WebSocket: Socket } = settings;
  const open: EventStreams['open'] = async (path, query, last, signal) => {
    const bySocket = async (): Promise<OpenStream | undefined> => {
      const parameters = {
        ...query,
        [STREAM_PARAMETER.lastEventId]: last,
        [STREAM_PARAMETER.client]: `${client.name}/${client.version}`,
        [STREAM_PARAMETER.window]: WINDOW_BYTES,
      };
      const url = socketUrl(base, path, parameters);
      const stream = await openSocketStream({ url, token: token(), WebSocket: Socket }, signal);
      signal.throwIfAborted();
      return stream;
    };
    const stream = await bySocket();
    if (stream) return stream;
    // A browser does not say why. Whoever refused says it here.
    const plain = await http.stream(path, query, last, signal);
    // The server may have come back in between.
    const again = await bySocket();
    if (!again) return plain;
    await plain.body.cancel();
    return again;
  };
  return {
    open,
    onSilence() {
      http.giveUp();
      return sweepConnections(http);
    },
  };
}
