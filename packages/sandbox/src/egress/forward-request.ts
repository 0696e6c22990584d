import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { Target } from './allow-list.ts';
import type { EgressLimits } from './egress-limits.ts';
import { requestHeaders, responseHeaders } from './forwarded-headers.ts';
import { formatEndpoint } from './host.ts';
import { joinSockets } from './join-sockets.ts';

/** One request in absolute-form, and the connection that was opened for it alone. */
export interface Forwarding {
  readonly kind: 'forwarding';
  readonly incoming: IncomingMessage;
  readonly target: Target;
  /** Path and query. */
  readonly path: string;
  readonly upstream: Socket;
  readonly limits: EgressLimits;
}

/** Forwards a request and its answer, each byte of the bodies as it comes. An upstream that breaks off is a 502, or a cut answer. */
export function forwardRequest(forwarding: Forwarding, response: ServerResponse): void {
  const { incoming } = forwarding;
  const outgoing = start(forwarding, requestHeaders(incoming, hostHeader(forwarding.target)));
  let answered = false;
  outgoing.once('response', (answer) => {
    answered = true;
    try {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, responseHeaders(answer.rawHeaders));
    } catch {
      outgoing.destroy();
      refuse(response, 502, 'The server sent an answer that is not valid HTTP.');
      return;
    }
    response.flushHeaders();
    pipeline(answer, response, () => outgoing.destroy());
  });
  outgoing.on('error', () => {
    // What is left of the request has nowhere to go, but an answer that came early is still on its way.
    incoming.unpipe(outgoing);
    incoming.resume();
  });
  // Not the response's own 'close': one that waits behind another has none when their connection breaks off.
  const { socket } = incoming;
  const drop = () => outgoing.destroy();
  socket.once('close', drop);
  outgoing.once('close', () => {
    socket.off('close', drop);
    if (!answered) refuse(response, 502, 'The server closed the connection, or sent what is not valid HTTP.');
  });
  incoming.pipe(outgoing);
}

/** Forwards a request to change protocols; `client` is the connection it came on, past its headers. */
export function forwardUpgrade(forwarding: Forwarding, client: Socket): void {
  const { incoming, limits } = forwarding;
  const outgoing = start(forwarding, [
    ...requestHeaders(incoming, hostHeader(forwarding.target)),
    ...['Connection', 'Upgrade', 'Upgrade', incoming.headers.upgrade ?? ''],
  ]);
  let answered = false;
  outgoing.once('upgrade', (answer, upstream, first) => {
    answered = true;
    const changed = ['Connection', 'Upgrade', 'Upgrade', answer.headers.upgrade ?? ''];
    client.write(messageHead(answer, [...responseHeaders(answer.rawHeaders), ...changed]), 'latin1');
    if (first.length > 0) upstream.unshift(first);
    joinSockets(client, upstream, limits.halfOpenTimeoutMs);
  });
  outgoing.once('response', (answer) => {
    answered = true;
    const kept = responseHeaders(answer.rawHeaders);
    client.write(messageHead(answer, [...kept, 'Connection', 'close']), 'latin1');
    pipeline(answer, client, () => {
      outgoing.destroy();
      client.destroySoon();
    });
  });
  outgoing.on('error', () => {});
  outgoing.once('close', () => {
    if (!answered) client.destroy();
  });
  client.once('close', () => outgoing.destroy());
  outgoing.end();
}

/** Ends a request with one line of text. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' });
  response.end(`${message}\n`);
}

function start({ incoming, path, upstream, limits }: Forwarding, headers: readonly string[]) {
  const outgoing = request({
    createConnection: () => upstream,
    method: incoming.method ?? 'GET',
    path,
    headers,
    setHost: false,
    maxHeaderSize: limits.maxHeaderBytes,
  });
  outgoing.maxHeadersCount = 0;
  return outgoing;
}

/** As an origin expects it: without the port if that is the scheme's own. */
function hostHeader({ host, port }: Target): string {
  const endpoint = formatEndpoint(host.text, port);
  return port === 80 ? endpoint.slice(0, -':80'.length) : endpoint;
}

function messageHead({ statusCode, statusMessage }: IncomingMessage, headers: readonly string[]): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let index = 0; index + 1 < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
