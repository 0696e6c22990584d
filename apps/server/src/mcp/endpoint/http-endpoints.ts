import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerRelay } from '../relay/server-relay.ts';
import { createHttpEndpoint, type HttpEndpoint } from './http-endpoint.ts';

export interface HttpEndpointsOptions {
  readonly maxBodyBytes: number;
  readonly maxStreams: number;
  /** Requests of one endpoint that are not answered. */
  readonly maxRequests: number;
}

/** An endpoint that a session uses; dispose of it ends its streams, and its address is unknown from then on. */
export interface AddedEndpoint extends Disposable {
  readonly url: string;
  readonly secret: string;
  /** `127.0.0.1:PORT`. */
  readonly host: string;
}

/** Between two comments on a stream that is silent; the least patient agent gives up after a minute. */
const COMMENT_EVERY_MS = 5000;

/**
 * Streamable HTTP for agents that start no programs, on one loopback listener of a free port that is opened by the first endpoint. Each
 * endpoint has a path and a secret of its own, for as long as it lives. There is no session id, nothing to log in to, and nothing else.
 */
export class HttpEndpoints implements AsyncDisposable {
  readonly #options: HttpEndpointsOptions;
  readonly #endpoints = new Map<string, HttpEndpoint>();
  #listening: Promise<{ readonly server: Server; readonly host: string }> | undefined;
  #comments: NodeJS.Timeout | undefined;

  constructor(options: HttpEndpointsOptions) {
    this.#options = options;
  }

  async add(relay: ServerRelay): Promise<AddedEndpoint> {
    this.#listening ??= this.#listen();
    const { server, host } = await this.#listening;
    const path = `/mcp/${randomBytes(12).toString('hex')}`;
    const secret = randomBytes(32).toString('base64url');
    const endpoint = createHttpEndpoint({ relay, secret, ...this.#options });
    this.#endpoints.set(path, endpoint);
    this.#bound(server);
    return {
      url: `http://${host}${path}`,
      secret,
      host,
      [Symbol.dispose]: () => {
        this.#endpoints.delete(path);
        this.#bound(server);
        endpoint[Symbol.dispose]();
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#comments);
    for (const endpoint of this.#endpoints.values()) endpoint[Symbol.dispose]();
    this.#endpoints.clear();
    const listening = await this.#listening?.catch(() => undefined);
    if (!listening) return;
    listening.server.closeAllConnections();
    await new Promise((resolve) => listening.server.close(resolve));
  }

  async #listen(): Promise<{ readonly server: Server; readonly host: string }> {
    const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => this.#serve(request, response));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    this.#comments = setInterval(() => {
      for (const endpoint of this.#endpoints.values()) endpoint.comment();
    }, COMMENT_EVERY_MS);
    this.#comments.unref();
    return { server, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  /** Descriptors are the whole server's: a program that connects without end gets as many as all agents may need. */
  #bound(server: Server): void {
    const { maxStreams, maxRequests } = this.#options;
    server.maxConnections = Math.max(1, this.#endpoints.size) * (maxStreams + maxRequests);
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    response.on('error', () => {});
    const [path = ''] = (request.url ?? '').split('?');
    const endpoint = this.#endpoints.get(path);
    if (endpoint) return endpoint.serve(request, response);
    // At once, so that a client that looks for a place to log in goes on without.
    response.writeHead(404).end();
  }
}
