import type { IncomingMessage } from 'node:http';

/** Names and values in turn, as they came: `IncomingMessage.rawHeaders`. */
export type RawHeaders = readonly string[];

/** Of this connection only (RFC 9110, 7.6.1), or addressed to the proxy. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * What of a request goes on: `host` stands for every Host that came, framing is stated anew, and without a body of its
 * own the request says so. `Expect` was answered by the proxy.
 */
export function requestHeaders({ rawHeaders, headers, method = 'GET' }: IncomingMessage, host: string): string[] {
  const kept = endToEnd(rawHeaders, (name) => name !== 'host' && name !== 'expect');
  if (headers['transfer-encoding'] !== undefined) return ['Host', host, ...kept, 'Transfer-Encoding', 'chunked'];
  const bodyExpected = ['POST', 'PUT', 'PATCH'].includes(method);
  if (headers['content-length'] === undefined && bodyExpected) return ['Host', host, ...kept, 'Content-Length', '0'];
  return ['Host', host, ...kept];
}

/** What of an answer goes on; its framing is stated anew. */
export function responseHeaders(raw: RawHeaders): string[] {
  return endToEnd(raw, () => true);
}

function endToEnd(raw: RawHeaders, keeps: (name: string) => boolean): string[] {
  const pairs: (readonly [name: string, value: string])[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) pairs.push([raw[index] as string, raw[index + 1] as string]);
  const named = new Set(
    pairs
      .filter(([name]) => name.toLowerCase() === 'connection')
      .flatMap(([, value]) => value.split(',').map((option) => option.trim().toLowerCase())),
  );
  // Framing must survive whatever Connection names: without it two ends would disagree where a message stops.
  named.delete('content-length');
  return pairs
    .filter(([name]) => {
      const lower = name.toLowerCase();
      return !hopByHop.has(lower) && !named.has(lower) && keeps(lower);
    })
    .flat();
}
