import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionBudget } from './connection-budget.ts';
import type { EgressReason, EgressRefusal } from './egress-decision.ts';
import type { EgressLimits } from './egress-limits.ts';
import { type Forwarding, forwardRequest, forwardUpgrade, refuse } from './forward-request.ts';
import { joinSockets } from './join-sockets.ts';
import type { Outbound } from './outbound.ts';
import { parseAbsoluteForm, parseAuthority } from './request-target.ts';

export interface EgressProxyParts {
  readonly outbound: Outbound;
  readonly budget: ConnectionBudget;
  readonly limits: EgressLimits;
}

const notForProxy: Readonly<Record<'origin-form' | 'other-scheme' | 'malformed', string>> = {
  'origin-form': 'This is the proxy of the sandbox, and no server: use it as HTTP_PROXY and HTTPS_PROXY.',
  'other-scheme': 'This proxy forwards http only: ask for anything else with CONNECT.',
  malformed:
    'No host and port can be read from this request: write a name, or an address in its usual form, and a port from 1 to 65535.',
};

const otherCoding = 'This proxy forwards bodies that are measured or chunked: send it without another transfer coding.';

/** Requests of one connection that may wait for their answers; hardly any client sends a second one before the first has its. */
const maxPipelined = 16;
const listenersPerRequest = 2;

/**
 * An HTTP proxy that speaks CONNECT, for any protocol, and absolute-form, for plain HTTP. What the request line names
 * decides; a Host header does not. The caller lets it listen and closes it; `budget` holds its connections.
 */
export function createEgressProxy({ outbound, budget, limits }: EgressProxyParts): Server {
  const server = createServer({
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: 0, // A body may take as long as it likes; it holds one connection of this child's own.
    keepAliveTimeout: limits.idleTimeoutMs,
    connectionsCheckingInterval: Math.min(5_000, limits.headersTimeoutMs),
    requireHostHeader: false,
    noDelay: true,
    // Anything else that is offered in passing (h2c) is declined by forwarding the request without it.
    shouldUpgradeCallback: ({ method, headers }) => method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket',
  });
  server.maxHeadersCount = 0;
  server.on('connection', (socket) => {
    socket.setMaxListeners(listenersPerRequest * maxPipelined + 10);
    budget.admit(socket);
  });
  const unanswered = new WeakMap<Socket, number>();
  server.on('request', (incoming, response) => {
    const { socket } = incoming;
    const count = (unanswered.get(socket) ?? 0) + 1;
    unanswered.set(socket, count);
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    if (count > maxPipelined) socket.destroy();
    else guarded(socket, onRequest(incoming, response));
  });
  server.on('upgrade', (incoming, socket, head) => takeOver(onUpgrade, incoming, socket as Socket, head));
  server.on('connect', (incoming, socket, head) => takeOver(onConnect, incoming, socket as Socket, head));
  return server;

  function takeOver(handle: TakeOver, incoming: IncomingMessage, client: Socket, head: Buffer): void {
    hold(client, head);
    // Answers to earlier requests would get in between.
    if ((unanswered.get(client) ?? 0) > 0) client.destroy();
    else guarded(client, handle(incoming, client));
  }

  async function onRequest(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const opened = await openPlain(incoming);
    if (opened.kind === 'refused') refuse(response, opened.status, opened.message);
    else if (response.destroyed) opened.upstream.destroy();
    else forwardRequest(opened, response);
  }

  async function onUpgrade(incoming: IncomingMessage, client: Socket): Promise<void> {
    const opened = await openPlain(incoming);
    if (opened.kind === 'refused') refuseRaw(client, opened.status, opened.message);
    else if (client.destroyed) opened.upstream.destroy();
    else forwardUpgrade(opened, client);
  }

  async function onConnect(incoming: IncomingMessage, client: Socket): Promise<void> {
    const target = parseAuthority(incoming.url ?? '');
    if (target === undefined) {
      outbound.deny('malformed');
      return refuseRaw(client, 400, notForProxy.malformed);
    }
    const opened = await outbound.open(target, client);
    if (opened.kind === 'refused') return refuseRaw(client, statusOf(opened), opened.message);
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    joinSockets(client, opened.socket, limits.halfOpenTimeoutMs);
  }

  async function openPlain(incoming: IncomingMessage): Promise<Forwarding | RefusedRequest> {
    const form = parseAbsoluteForm(incoming.url ?? '');
    const coding = incoming.headers['transfer-encoding']?.toLowerCase() ?? 'chunked';
    if (form.kind !== 'target' || coding !== 'chunked') {
      outbound.deny('malformed');
      const message = form.kind === 'target' ? otherCoding : notForProxy[form.kind];
      return { kind: 'refused', status: 400, message };
    }
    const opened = await outbound.open(form.target, incoming.socket);
    if (opened.kind === 'refused') return { kind: 'refused', status: statusOf(opened), message: opened.message };
    return { kind: 'forwarding', incoming, target: form.target, path: form.path, upstream: opened.socket, limits };
  }
}

type TakeOver = (incoming: IncomingMessage, client: Socket) => Promise<void>;

/** Whatever goes wrong with one connection ends that connection. */
function guarded(socket: Socket, work: Promise<void>): void {
  work.catch(() => socket.destroy());
}

interface RefusedRequest {
  readonly kind: 'refused';
  readonly status: number;
  readonly message: string;
}

const statusOfReason: Partial<Readonly<Record<EgressReason, number>>> = {
  'not-declared': 403,
  'special-address': 403,
  'too-many-connections': 503,
  timeout: 504,
};

function statusOf({ reason }: EgressRefusal): number {
  return statusOfReason[reason] ?? 502;
}

/**
 * The HTTP server has let go of this socket; until it is joined or refused nobody else listens for its errors. What was
 * read too far is put back at once: nothing can be, once the end has been read.
 */
function hold(client: Socket, head: Buffer): void {
  client.on('error', () => client.destroy());
  if (head.length > 0) client.unshift(head);
}

const statusText: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

function refuseRaw(client: Socket, status: number, message: string): void {
  const body = Buffer.from(`${message}\n`);
  const head = [
    `HTTP/1.1 ${status} ${statusText[status]}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  client.write(`${head.join('\r\n')}\r\n\r\n`);
  client.end(body);
  client.resume();
  client.once('finish', () => client.destroySoon());
}
