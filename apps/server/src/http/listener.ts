import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { HEARTBEAT_HEADER, tokenOfProtocols } from '@reeve/protocol';
import { underCaller } from '../audit/trace-scope.ts';
import { withoutToken } from './access-token.ts';
import type { App } from './app.ts';
import { type GateRules, judgeRequest, type Verdict } from './gatekeeper.ts';
import { isAnyAddress } from './host-name.ts';
import { PROBLEM_TYPE, problem } from './problem.ts';
import { rawProblem, sayLast } from './raw-answer.ts';
import { SocketKeeper } from './socket-keeper.ts';
import type { StreamSockets } from './stream-sockets.ts';

export interface ListenerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** From the beginning of a request to the end of its body; how long an answer takes does not count. */
  readonly bodyMs: number;
  /** PEM texts: HTTP/2 and HTTP/1.1 over TLS. Absent: HTTP/1.1 in the clear. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined;
  readonly rules: GateRules;
  readonly acp: {
    handle(
      request: IncomingMessage | Http2ServerRequest,
      response: ServerResponse | Http2ServerResponse,
    ): Promise<void>;
  };
  /** A WebSocket handshake on the ACP path that the gate has let in. Whoever takes the socket closes it. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Every other handshake that the gate has let in. */
  readonly streams: StreamSockets;
  /** Serves every other path. */
  readonly app: App;
  /** An exception that nobody expected; the peer has been answered. */
  readonly onError?: (error: unknown) => void;
}

export interface Listener {
  /** Where a client on this machine reaches it, without a final slash. */
  readonly url: string;
  readonly port: number;
  /**
   * Takes no more connections, lets requests under way finish, and cuts what is left after `deadlineMs`. Streams and
   * WebSockets are their owners' to end before. Idempotent.
   */
  close(deadlineMs: number): Promise<void>;
}

const ACP_PATH = '/acp';
const MAX_HEADER_BYTES = 32 * 1024;
const HEADERS_TIMEOUT_MS = 15_000;
const KEEP_ALIVE_MS = 65_000;
const PREFLIGHT_MAX_AGE_S = '600';

/** Rejects if the port cannot be had. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const verdicts = new WeakMap<object, Verdict>();
  const serveApp = getRequestListener(
    (request, { incoming }) => {
      const verdict = verdicts.get(incoming);
      return options.app.fetch(request, { authenticated: verdict?.kind === 'pass' && verdict.authenticated });
    },
    { overrideGlobalObjects: false },
  );

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    sockets.serving(request, response);
    const verdict = judge(options.rules, request);
    if (verdict.kind === 'refuse') return refuse(response, verdict);
    if (verdict.origin !== undefined) allowOrigin(response, verdict.origin);
    if (verdict.kind === 'preflight') return answerPreflight(response, request);
    verdicts.set(request, verdict);
    request.url = withoutToken(request.url ?? '/');
    if (pathOf(request) === ACP_PATH) await options.acp.handle(request, response);
    else await serveApp(request, response);
  }

  const onRequest = (request: unknown, response: unknown): void => {
    const { traceparent } = (request as IncomingMessage).headers;
    underCaller(traceparent, () => serve(request as IncomingMessage, response as ServerResponse)).catch(
      (error: unknown) => {
        options.onError?.(error);
        (response as ServerResponse).destroy();
      },
    );
  };
  const server = makeServer(options, onRequest);
  const sockets = new SocketKeeper(server);

  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    sockets.handOver(socket);
    const verdict = judge(options.rules, request, tokenOffered(request));
    if (verdict.kind === 'refuse') return sayLast(socket, rawProblem(verdict.status, verdict));
    if (verdict.kind === 'preflight') return sayLast(socket, rawProblem(400, MALFORMED));
    request.url = withoutToken(request.url ?? '/');
    if (pathOf(request) === ACP_PATH) return options.upgrade(request, socket, head);
    const { traceparent } = request.headers;
    underCaller(traceparent, () => options.streams.upgrade(request, socket, head, verdict)).catch((error: unknown) => {
      options.onError?.(error);
      socket.destroy();
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const status = CLIENT_ERROR_STATUS.get(error.code ?? '') ?? 400;
    refuseMalformed(socket, sockets.owedTo(socket), status, error.code === 'ECONNRESET');
  });
  // What a peer does wrong below HTTP ends its own connection, and nothing else.
  for (const event of ['sessionError', 'tlsClientError']) server.on(event, () => undefined);

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      server.on('error', (error) => options.onError?.(error));
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls ? 'https' : 'http'}://${reachableHost(options.host)}:${port}`,
    port,
    close: (deadlineMs) => sockets.close(deadlineMs),
  };
}

function makeServer(
  { tls, bodyMs }: Pick<ListenerOptions, 'tls' | 'bodyMs'>,
  onRequest: (request: unknown, response: unknown) => void,
): Server | Http2SecureServer {
  const http = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: Math.min(HEADERS_TIMEOUT_MS, bodyMs),
    requestTimeout: bodyMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // A dead peer is noticed even while nothing is sent to it.
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    noDelay: true,
    // Any other upgrade (h2c, say) is an offer that a server may pass over (RFC 9110, section 7.8).
    shouldUpgradeCallback: (request: IncomingMessage) => request.headers.upgrade?.toLowerCase() === 'websocket',
  };
  if (!tls) return createServer(http, onRequest);
  const settings = { maxConcurrentStreams: 1024, maxHeaderListSize: MAX_HEADER_BYTES };
  const secure = { ...http, ...tls, allowHTTP1: true, handshakeTimeout: 10_000, settings };
  const server = createSecureServer(secure, onRequest);
  // The fallback to HTTP/1.1 reads these from the server and takes no options for them.
  const { headersTimeout, requestTimeout, keepAliveTimeout, shouldUpgradeCallback } = http;
  return Object.assign(server, { headersTimeout, requestTimeout, keepAliveTimeout, shouldUpgradeCallback });
}

/** As an `Authorization` header, for a handshake of a browser. */
function tokenOffered({ headers }: IncomingMessage): string | undefined {
  const token = tokenOfProtocols(headers['sec-websocket-protocol'] ?? '');
  return token === undefined ? undefined : `Bearer ${token}`;
}

function judge(rules: GateRules, request: IncomingMessage, offered?: string): Verdict {
  const { headers } = request;
  const authority = headers[':authority'];
  return judgeRequest(rules, {
    method: request.method ?? '',
    url: request.url ?? '',
    host: typeof authority === 'string' ? authority : headers.host,
    origin: headers.origin,
    authorization: headers.authorization ?? offered,
    accept: headers.accept,
    requestMethod: headers['access-control-request-method'],
  });
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '').split('?', 1)[0] ?? '';
}

function refuse(response: ServerResponse, verdict: Verdict & { kind: 'refuse' }): void {
  const { status, name, detail, next } = verdict;
  response.writeHead(status, {
    'content-type': PROBLEM_TYPE,
    ...(status === 401 ? { 'www-authenticate': 'Bearer realm="reeve"' } : {}),
  });
  response.end(JSON.stringify(problem(name, { detail, status, next })));
}

function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', `Acp-Connection-Id, ${HEARTBEAT_HEADER}`);
  response.setHeader('vary', 'Origin');
}

/** Which methods and headers a page of an allowed origin may use (Fetch, "CORS protocol"). */
function answerPreflight(response: ServerResponse, request: IncomingMessage): void {
  const asked = request.headers['access-control-request-headers'];
  response.writeHead(204, {
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-max-age': PREFLIGHT_MAX_AGE_S,
    ...(asked === undefined ? {} : { 'access-control-allow-headers': asked }),
  });
  response.end();
}

const CLIENT_ERROR_STATUS: ReadonlyMap<string, number> = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
]);

const MALFORMED = {
  name: 'invalid_request',
  detail: 'the request cannot be read as HTTP',
  next: 'Send a well-formed HTTP/1.1 request with small headers.',
} as const;

/**
 * Answers bytes that are no HTTP. What the socket owes for requests before them is answered first; in the middle of an
 * answer a refusal would be garbage, so there the socket is cut.
 */
function refuseMalformed(socket: Socket, owed: readonly ServerResponse[], status: number, isReset: boolean): void {
  const last = owed.at(-1);
  if (isReset || !socket.writable || owed.some(({ headersSent }) => headersSent)) socket.destroy();
  else if (last?.req.complete) last.once('close', () => socket.destroySoon());
  else if (owed.length > 1) socket.destroy();
  else sayLast(socket, rawProblem(status, MALFORMED));
}

function reachableHost(host: string): string {
  if (isAnyAddress(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
