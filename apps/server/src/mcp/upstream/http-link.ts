import { setTimeout as delay } from 'node:timers/promises';
import type { Transport } from '@modelcontextprotocol/client';
import { classifyMessage, encodeError, type JsonObject, type JsonRpcId } from '@reeve/protocol';
import type { ServerTransport } from '../../boundary/declared-server.ts';
import { CODE, STATELESS_VERSION } from '../wire/mcp-keys.ts';
import { createBoundedFetch, type Fetch } from './bounded-fetch.ts';
import { readHttpFailure } from './http-failure.ts';
import { watchOwnStream } from './own-stream.ts';
import type { LinkListener, UpstreamLink } from './upstream-link.ts';

export interface HttpLinkOptions {
  readonly transport: Extract<ServerTransport, { kind: 'http' | 'sse' }>;
  readonly maxMessageBytes: number;
  /** The longest pause before a stream that broke is opened again. */
  readonly backoffMs: number;
}

export type HttpLinkResult =
  | { readonly kind: 'opened'; readonly link: UpstreamLink }
  | { readonly kind: 'failed'; readonly reason: string };

/** How long a server has to take note of the end of its session. */
const GOODBYE_MS = 1000;

interface Wire {
  readonly wire: Transport;
  /** Tells the server that its session is over, where it has sessions. */
  terminate(): Promise<unknown>;
}

type SdkMessage = Parameters<Transport['send']>[0];

/** Contacts a server by URL: streamable HTTP, or HTTP with SSE of 2024-11-05. */
export async function openHttpLink(listener: LinkListener, options: HttpLinkOptions): Promise<HttpLinkResult> {
  let reading: PromiseWithResolvers<void> | undefined;
  const { maxMessageBytes, transport } = options;
  const ownStream = watchOwnStream(createBoundedFetch({ maxMessageBytes, mayRead: () => reading?.promise }));
  const { wire, terminate } = await createWire(options, ownStream.fetch);
  const ending = Promise.withResolvers<string>();
  const requests = new Map<JsonRpcId, AbortController>();
  let over = false;
  let stateless = false;
  let isOpen = false;
  let hopeless = false;
  let unread = 0;
  let held: Promise<void> | undefined;

  const receive = (sent: JsonObject): void => {
    const message = classifyMessage(sent);
    if (over) return;
    if (message.kind === 'not-json' || message.kind === 'invalid') return listener.onNoise('no JSON-RPC 2.0 message');
    if (message.kind === 'result' || message.kind === 'error') requests.delete(message.id);
    listener.onMessage(message, Buffer.from(JSON.stringify(sent)));
  };
  const end = (reason: string): void => {
    over = true;
    ending.resolve(reason);
  };
  wire.onmessage = (message) => receive(message as unknown as JsonObject);
  wire.onclose = () => end('the connection to the server was closed');
  wire.onerror = (error) => {
    // What else fails is told by the request that fails. With SSE the stream is the session.
    if (options.transport.kind === 'sse' && 'event' in error) end('the stream of the server broke off');
  };
  try {
    await wire.start();
  } catch (error) {
    await wire.close().catch(() => {});
    return { kind: 'failed', reason: readHttpFailure(error, undefined, false).reason };
  }

  /** Answers a request that will not be answered. */
  const fail = (id: JsonRpcId, reason: string): void => {
    if (requests.delete(id))
      receive(JSON.parse(encodeError(id, { code: CODE.internal, message: reason })) as JsonObject);
  };
  const failed = (id: JsonRpcId | undefined, error: unknown): void => {
    const { lost, reason, status, answer } = readHttpFailure(error, id, wire.sessionId !== undefined);
    if (!isOpen && (status === 401 || status === 403)) hopeless = true;
    if (lost || hopeless) return end(reason);
    if (answer) return receive({ jsonrpc: '2.0', ...answer, kind: undefined });
    if (id !== undefined) fail(id, reason);
  };

  /** What a server asks on its own before its stream for that is open would be lost, and a call that waits for it would not end. */
  const send: UpstreamLink['send'] = (raw, headers) => {
    if (held) return void held.then(() => deliver(raw, headers));
    const { method } = deliver(raw, headers);
    if (method !== 'notifications/initialized' || transport.kind === 'sse') return;
    held = ownStream.opened().then(() => {
      held = undefined;
    });
  };

  const deliver = (raw: Buffer, headers?: () => Readonly<Record<string, string>>): JsonObject => {
    const sent = JSON.parse(raw.toString()) as JsonObject;
    if (over) return sent;
    const id = 'method' in sent && sent.id !== undefined ? (sent.id as JsonRpcId) : undefined;
    const abort = new AbortController();
    if (id !== undefined) requests.set(id, abort);
    unread += raw.length;
    wire
      .send(sent as unknown as SdkMessage, {
        requestSignal: abort.signal,
        headers: headers?.() ?? {},
        onRequestStreamEnd: () => {
          if (id !== undefined) fail(id, 'the server ended its answer before it was complete');
        },
      })
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !over) failed(id, error);
      })
      .finally(() => {
        unread -= raw.length;
      });
    return sent;
  };

  const link: UpstreamLink = {
    send,
    cancel(id, raw) {
      const request = requests.get(id);
      requests.delete(id);
      // The end of its stream is the end of a request in 2026-07-28; older servers are told.
      if (stateless) request?.abort();
      else send(raw);
    },
    agreed(version) {
      isOpen = true;
      stateless = version >= STATELESS_VERSION;
      if (!stateless) wire.setProtocolVersion?.(version);
    },
    get unreadBytes() {
      return unread;
    },
    pause() {
      reading ??= Promise.withResolvers();
    },
    resume() {
      reading?.resolve();
      reading = undefined;
    },
    get hopeless() {
      return hopeless;
    },
    ended: ending.promise,
    async [Symbol.asyncDispose]() {
      over = true;
      reading?.resolve();
      await terminate();
      await wire.close().catch(() => {});
      end('the session has ended');
    },
  };
  return { kind: 'opened', link };
}

/** The SDK is loaded by the first server that needs it. */
async function createWire({ transport, backoffMs }: HttpLinkOptions, fetch: Fetch): Promise<Wire> {
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const url = new URL(transport.url);
  const headers = new Headers(transport.headers);
  if (url.username !== '' && !headers.has('authorization')) {
    const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.set('authorization', `Basic ${Buffer.from(login).toString('base64')}`);
  }
  url.username = '';
  url.password = '';
  const requestInit = { headers: Object.fromEntries(headers) };
  if (transport.kind === 'sse') {
    return { wire: new SSEClientTransport(url, { requestInit, fetch }) as Transport, terminate: async () => {} };
  }
  const wire = new StreamableHTTPClientTransport(url, {
    requestInit,
    fetch,
    reconnectionOptions: {
      initialReconnectionDelay: 1000,
      reconnectionDelayGrowFactor: 2,
      maxReconnectionDelay: backoffMs,
      maxRetries: Number.MAX_SAFE_INTEGER,
    },
  });
  const terminate = () =>
    Promise.race([wire.terminateSession().catch(() => {}), delay(GOODBYE_MS, undefined, { ref: false })]);
  return { wire: wire as Transport, terminate };
}
