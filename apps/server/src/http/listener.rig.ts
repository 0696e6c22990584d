import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { vi } from 'vitest';
import { createControlApi } from './control-api.ts';
import { FakeControlPort } from './fake-control-port.ts';
import { type Listener, type ListenerOptions, startListener } from './listener.ts';
import { createStreamSockets } from './stream-sockets.ts';

export const TOKEN = 'a-token-that-is-long-enough';
export const AUTH = { authorization: `Bearer ${TOKEN}` };

export interface ListenerRig extends AsyncDisposable {
  readonly listener: Listener;
  readonly port: FakeControlPort;
  readonly upgraded: { request: IncomingMessage; socket: Duplex }[];
  readonly onError: ReturnType<typeof vi.fn>;
}

/** A listener on a free port with the control API; its ACP path answers with the request's URL. */
export async function startListenerRig(options: Partial<ListenerOptions> = {}): Promise<ListenerRig> {
  const port = new FakeControlPort();
  const onError = vi.fn();
  const upgraded: ListenerRig['upgraded'] = [];
  const stopping = new AbortController();
  const app = createControlApi({
    port,
    version: '1.2.3',
    maxBodyBytes: 1024 * 1024,
    heartbeatMs: 1000,
    stopping: stopping.signal,
    onError,
  });
  const listener = await startListener({
    host: '127.0.0.1',
    port: 0,
    rules: {
      token: TOKEN,
      boundHost: '127.0.0.1',
      allowedHosts: [],
      allowedOrigins: ['https://console.example.org'],
      openPaths: ['/v1/health'],
    },
    acp: {
      async handle(request, response) {
        (response as ServerResponse).writeHead(200, { 'content-type': 'text/plain' }).end(`acp ${request.url}`);
      },
    },
    upgrade: (request, socket) => {
      upgraded.push({ request, socket });
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    },
    bodyMs: 120_000,
    streams: createStreamSockets({ app, patience: { heartbeatMs: 1000, vanishedMs: 10_000 } }),
    app,
    onError,
    ...options,
  });
  const dispose = async (): Promise<void> => {
    stopping.abort();
    await listener.close(0);
  };
  return { listener, port, upgraded, onError, [Symbol.asyncDispose]: dispose };
}
