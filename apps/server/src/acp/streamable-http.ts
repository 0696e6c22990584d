import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { JsonRpcId, SessionId } from '@reeve/protocol';
import { HttpConnection, type HttpConnectionOptions } from './http-connection.ts';
import { type HttpRefusal, refuseRequest } from './http-refusal.ts';
import { onOneLine, sortPosted } from './posted-message.ts';
import { type BodyResult, type HttpRequest, readBody } from './read-body.ts';
import { agentOf, header, readStreamWish, refuseMediaType } from './request-headers.ts';
import type { HttpResponse } from './sse-stream.ts';
import type { AcceptConnection } from './transport.ts';

export interface StreamableHttpOptions {
  readonly accept: AcceptConnection;
  readonly limits: {
    readonly maxBodyBytes: number;
    readonly connectionQueueBytes: number;
    readonly maxSessionStreams: number;
  };
  readonly timeouts: Pick<HttpConnectionOptions, 'heartbeatMs' | 'connectionIdleMs' | 'releaseLingerMs'> & {
    /** From the beginning of a request to the end of its body. */
    readonly bodyMs: number;
  };
  /** An exception that nobody expected; the peer has been answered with 500. */
  readonly onError?: (error: unknown) => void;
}

/** ACP's streamable HTTP: POST, GET and DELETE on one path, over HTTP/1.1 and HTTP/2 alike. */
export interface StreamableHttp {
  /** Answers one request; resolves when that is done or its stream is open. Never rejects. */
  handle(request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse): Promise<void>;
  /** Ends every connection. */
  closeAll(reason: string): void;
  /** How many are open. */
  readonly connections: number;
}

/** What a route gives: the refusal to answer with, or nothing when it has answered. */
type Refused = HttpRefusal | undefined;

export function createStreamableHttp(options: StreamableHttpOptions): StreamableHttp {
  const { maxBodyBytes, connectionQueueBytes } = options.limits;
  /** By id, from the answer to `initialize` on. */
  const open = new Map<string, HttpConnection>();
  /** Those too whose `initialize` is not answered yet. */
  const all = new Set<HttpConnection>();

  function route(request: HttpRequest, response: HttpResponse): Refused | Promise<Refused> {
    if (request.method === 'POST') return post(request, response);
    if (request.method === 'GET') return get(request, response);
    if (request.method === 'DELETE') return end(request, response);
    return {
      name: 'invalid_request',
      status: 405,
      detail: `${request.method} is not part of ACP over HTTP`,
      next: 'Use POST to send a message, GET to open a stream, DELETE to end the connection.',
      headers: { allow: 'GET, POST, DELETE' },
    };
  }

  async function post(request: HttpRequest, response: HttpResponse): Promise<Refused> {
    const wrongType = refuseMediaType(request);
    if (wrongType) return wrongType;
    const connectionId = header(request, 'acp-connection-id');
    const connection = connectionId === undefined ? undefined : open.get(connectionId);
    if (connectionId !== undefined && !connection) return UNKNOWN_CONNECTION;
    const reading = readBody(request, maxBodyBytes, options.timeouts.bodyMs);
    const body = await (connection ? connection.presentDuring(reading) : reading);
    if (body.kind === 'aborted') return undefined;
    if (body.kind !== 'text') return refuseBody(body.kind, maxBodyBytes);
    const posted = sortPosted(body.text);
    if (posted.kind === 'refused') return posted.refusal;
    if (posted.kind === 'initialize') {
      return connection ? INITIALIZED_ALREADY : initialize(request, response, posted.id, onOneLine(body.text));
    }
    if (!connection) return MISSING_CONNECTION;
    const named = header(request, 'acp-session-id');
    if (posted.sessionId !== undefined && posted.sessionId !== named) {
      const what = named === undefined ? 'is missing' : 'is not the sessionId of the params';
      const next = 'Send the sessionId of the params in the header Acp-Session-Id.';
      return { name: 'invalid_request', detail: `Acp-Session-Id ${what}`, next };
    }
    // It may have ended while the body was on its way.
    if (!all.has(connection)) return UNKNOWN_CONNECTION;
    connection.receive(onOneLine(body.text), posted.sessionId as SessionId | undefined);
    response.writeHead(202).end();
    return undefined;
  }

  async function initialize(
    request: HttpRequest,
    response: HttpResponse,
    id: JsonRpcId,
    text: string,
  ): Promise<Refused> {
    let connectionId = '';
    const connection = new HttpConnection({
      ...options.timeouts,
      connectionQueueBytes,
      maxSessionStreams: options.limits.maxSessionStreams,
      onEnd: (ended) => {
        all.delete(ended);
        open.delete(connectionId);
      },
    });
    const remote = request.socket?.remoteAddress ?? '';
    const inbound = options.accept(connection, { agent: agentOf(request), remote });
    if (!inbound) return SERVER_FULL;
    connectionId = inbound.id;
    all.add(connection);
    const leave = (): void => connection.close('the client left before initialize was answered');
    response.once('close', leave);
    const answer = await connection.initialize(inbound, id, text);
    response.off('close', leave);
    if (!answer) return ENDED_TOO_SOON;
    if (all.has(connection)) open.set(connectionId, connection);
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': answer.byteLength,
      'acp-connection-id': connectionId,
    });
    response.end(answer);
    return undefined;
  }

  function get(request: HttpRequest, response: HttpResponse): Refused {
    const wish = readStreamWish(request);
    if (wish.kind === 'refused') return wish.refusal;
    const connection = open.get(header(request, 'acp-connection-id') ?? '');
    if (!connection) return refuseConnection(request);
    if (wish.kind === 'connection') connection.openStream(response);
    else if (!connection.openSessionStream(response, wish.sessionId, wish.after)) return TOO_MANY_STREAMS;
    return undefined;
  }

  function end(request: HttpRequest, response: HttpResponse): Refused {
    const connection = open.get(header(request, 'acp-connection-id') ?? '');
    if (!connection) return refuseConnection(request);
    connection.close('the client ended the connection');
    response.writeHead(202).end();
    return undefined;
  }

  async function handle(request: HttpRequest, response: HttpResponse): Promise<void> {
    // A peer that goes away in the middle is no failure of the server.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    try {
      const refusal = await route(request, response);
      if (refusal) refuseRequest(response, refusal);
    } catch (error) {
      refuseRequest(response, { name: 'internal_error', detail: 'the request could not be served' });
      options.onError?.(error);
    }
    // What was refused before its body was read: the rest is thrown away.
    if (!request.readableEnded) request.resume();
  }

  return {
    handle: (request, response) => handle(request as HttpRequest, response as HttpResponse),
    closeAll(reason) {
      for (const connection of [...all]) connection.close(reason);
    },
    get connections() {
      return all.size;
    },
  };
}

const MISSING_CONNECTION: HttpRefusal = {
  name: 'invalid_request',
  detail: 'Acp-Connection-Id is missing',
  next: 'Begin with a POST of initialize, and send the Acp-Connection-Id of its answer with every request.',
};
const UNKNOWN_CONNECTION: HttpRefusal = {
  name: 'not_found',
  detail:
    'there is no such connection, or it has ended: one without a stream is ended after timeouts.httpConnectionIdleMs',
  next: 'Begin a new connection with initialize, then load or resume the session.',
};
const INITIALIZED_ALREADY: HttpRefusal = {
  name: 'invalid_request',
  detail: 'this connection is initialized already',
  next: 'Send initialize without Acp-Connection-Id to begin another connection.',
};
const SERVER_FULL: HttpRefusal = {
  name: 'overloaded',
  detail: 'the server has as many connections as it takes (limits.maxConnections)',
  headers: { 'retry-after': '5' },
};
const ENDED_TOO_SOON: HttpRefusal = {
  name: 'overloaded',
  detail: 'the connection ended before initialize was answered',
};
const TOO_MANY_STREAMS: HttpRefusal = {
  name: 'overloaded',
  status: 429,
  detail: 'this connection has as many session streams as it may have (limits.maxSessionStreams)',
  next: 'Close streams of sessions that are not needed, or use a second connection.',
};

function refuseConnection(request: HttpRequest): HttpRefusal {
  return header(request, 'acp-connection-id') === undefined ? MISSING_CONNECTION : UNKNOWN_CONNECTION;
}

function refuseBody(kind: Exclude<BodyResult['kind'], 'text' | 'aborted'>, maxBytes: number): HttpRefusal {
  if (kind === 'not-utf8') return { name: 'parse_error', detail: 'the body is not UTF-8' };
  // What is still to come of the body would be taken for the next request.
  const headers = { connection: 'close' };
  if (kind === 'too-slow') {
    const detail = 'the body did not arrive in time (timeouts.bodyMs)';
    return { name: 'invalid_request', status: 408, detail, next: 'Send the request again.', headers };
  }
  const detail = `the body is longer than ${maxBytes} bytes (limits.maxBodyBytes)`;
  return { name: 'message_too_large', detail, next: `Send at most ${maxBytes} bytes at once.`, headers };
}
