import { connect, constants, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import { Readable } from 'node:stream';

/** `fetch` over one HTTP/2 connection, as far as a client of ACP needs it: text bodies, streams, aborts. */
export interface Http2Fetch {
  readonly fetch: typeof globalThis.fetch;
  close(): void;
}

/** Node's own fetch speaks HTTP/1.1 only. `certificate`: PEM text of what is trusted. */
export function createHttp2Fetch(origin: string, certificate: string): Http2Fetch {
  const session = connect(origin, { ca: certificate });
  session.on('error', () => undefined);

  const fetchOverHttp2 = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const { method = 'GET', body, signal } = init;
    const headers: OutgoingHttpHeaders = { ':method': method, ':path': `${pathname}${search}` };
    for (const [name, value] of new Headers(init.headers)) headers[name] = value;
    signal?.throwIfAborted();
    const stream = session.request(headers, { endStream: body === undefined || body === null });
    signal?.addEventListener('abort', () => stream.close(constants.NGHTTP2_CANCEL), { once: true });
    if (typeof body === 'string') stream.end(body);
    const { promise, resolve, reject } = Promise.withResolvers<IncomingHttpHeaders>();
    stream.once('response', resolve);
    stream.once('error', reject);
    stream.once('close', () => reject(signal?.reason ?? new Error('the stream closed before a response')));
    const answer = await promise;
    stream.on('error', () => undefined);
    const status = Number(answer[':status']);
    const answered = new Headers();
    for (const [name, value] of Object.entries(answer)) {
      if (!name.startsWith(':') && value !== undefined) answered.set(name, String(value));
    }
    const hasBody = status !== 204 && method !== 'HEAD';
    const stillOpen = hasBody ? (Readable.toWeb(stream) as ReadableStream<Uint8Array>) : null;
    return new Response(stillOpen, { status, headers: answered });
  };
  return { fetch: fetchOverHttp2, close: () => session.destroy() };
}
