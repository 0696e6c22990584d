import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { encodeError, parseMessage, type RpcMessage } from '@reeve/protocol';
import type { AgentChannel, ReplyChannel } from '../relay/agent-channel.ts';
import type { AgentPeer } from '../relay/agent-peer.ts';
import type { ServerRelay } from '../relay/server-relay.ts';
import { CODE } from '../wire/mcp-keys.ts';
import { beginStream, plainReply, streamReply, writeEvent } from './event-stream-reply.ts';

export interface HttpEndpointOptions {
  readonly relay: ServerRelay;
  readonly secret: string;
  readonly maxBodyBytes: number;
  /** Streams of GET. */
  readonly maxStreams: number;
}

export interface HttpEndpoint extends Disposable {
  serve(request: IncomingMessage, response: ServerResponse): void;
  /** Writes a comment on each open stream. */
  comment(): void;
}

/** Messages that wait for the agent to open a stream for them; older ones are dropped. */
const MAX_WAITING = 64;
const LINE_ENDS = /[\r\n]/;

/** Streamable HTTP for one server of one session (MCP, transports). All requests are of one agent, whatever connections they come on. */
export function createHttpEndpoint({ relay, secret, maxBodyBytes, maxStreams }: HttpEndpointOptions): HttpEndpoint {
  const streams = new Set<ServerResponse>();
  const replies = new Set<ServerResponse>();
  const waiting: Buffer[] = [];
  let peer: AgentPeer | undefined;

  const channel: AgentChannel = {
    send(raw) {
      const [stream] = streams.size > 0 ? streams : replies;
      if (stream) return writeEvent(stream, raw);
      waiting.push(raw);
      if (waiting.length > MAX_WAITING) waiting.shift();
    },
    get unreadBytes() {
      let bytes = 0;
      for (const response of streams) bytes += response.writableLength;
      for (const response of replies) bytes += response.writableLength;
      return bytes;
    },
    close() {
      for (const response of [...streams, ...replies]) response.destroy();
    },
  };

  function track(response: ServerResponse, among: Set<ServerResponse>): void {
    among.add(response);
    response.on('drain', () => relay.drained());
    response.once('close', () => {
      among.delete(response);
      relay.drained();
    });
  }

  function listen(response: ServerResponse): void {
    if (streams.size >= maxStreams) return void response.writeHead(503).end();
    beginStream(response);
    response.flushHeaders();
    track(response, streams);
    for (const raw of waiting.splice(0)) writeEvent(response, raw);
  }

  async function post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBody(request, maxBodyBytes);
    if (text === undefined) {
      return refuse(
        response,
        413,
        CODE.invalidRequest,
        `over the limit of ${maxBodyBytes} bytes (limits.mcpMessageBytes)`,
      );
    }
    const message = parseMessage(text);
    if (message.kind === 'not-json') return refuse(response, 400, CODE.parse, 'no JSON');
    if (message.kind === 'invalid') return refuse(response, 400, CODE.invalidRequest, 'no single JSON-RPC 2.0 message');
    peer ??= relay.connect(channel);
    if (!peer) return refuse(response, 503, CODE.internal, 'too many connections (limits.mcpConnections)');
    const raw = Buffer.from(LINE_ENDS.test(text) ? JSON.stringify(JSON.parse(text)) : text);
    deliver(peer, message, raw, request, response);
  }

  function deliver(
    to: AgentPeer,
    message: RpcMessage,
    raw: Buffer,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    if (message.kind !== 'request') {
      to.receive(message, raw, NO_REPLY);
      return void response.writeHead(202).end();
    }
    const streaming = request.headers.accept === undefined || /text\/event-stream|\*\/\*/.test(request.headers.accept);
    if (streaming) track(response, replies);
    const reply = streaming ? streamReply(response) : plainReply(response);
    const exchange = to.receive(message, raw, reply);
    response.once('close', () => exchange?.leave());
  }

  return {
    serve(request, response) {
      if (!mayEnter(request, secret)) return void response.writeHead(403).end();
      if (request.method === 'GET') return listen(response);
      if (request.method !== 'POST') return void response.writeHead(405, { Allow: 'GET, POST' }).end();
      post(request, response).catch(() => response.destroy());
    },
    comment() {
      for (const response of [...streams, ...replies]) response.write(': \n\n');
    },
    [Symbol.dispose]() {
      peer?.gone();
      channel.close();
    },
  };
}

const NO_REPLY: ReplyChannel = { send: () => {}, answer: () => {} };

/** The secret is what counts; pages of a browser and names that somebody else resolves are kept out besides. */
function mayEnter({ headers }: IncomingMessage, secret: string): boolean {
  if (headers.origin !== undefined) return false;
  if (!/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(headers.host ?? '')) return false;
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(headers.authorization ?? ''), hash(`Bearer ${secret}`));
}

function refuse(response: ServerResponse, status: number, code: number, message: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(encodeError(null, { code, message }));
}

/** Undefined for more than the limit; the rest is read and dropped. */
async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= maxBytes) chunks.push(chunk);
  }
  return length <= maxBytes ? Buffer.concat(chunks).toString() : undefined;
}
