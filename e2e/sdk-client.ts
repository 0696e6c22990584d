import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, type Writable, Writable as WritableStreamOf } from 'node:stream';
import { fileURLToPath } from 'node:url';
import {
  type ClientApp,
  type ClientCapabilities,
  type ClientConnection,
  type ClientContext,
  client,
  type InitializeResponse,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type Stream,
} from '@agentclientprotocol/sdk';
import { createHttpStream } from '@agentclientprotocol/sdk/experimental/http-client';
import { createWebSocketStream, type WebSocketConstructor } from '@agentclientprotocol/sdk/experimental/ws-client';
import { WebSocket } from 'ws';

/** The ways a client reaches Reeve. `stdio` is `reeve acp`, as an editor starts it. */
export type ClientTransport = 'websocket' | 'http' | 'stdio';

export const CLIENT_TRANSPORTS: readonly ClientTransport[] = ['websocket', 'http', 'stdio'];

/** Gives the answer, or nothing: then the request stays open for somebody else. */
export type PermissionHandler = (
  request: RequestPermissionRequest,
) => RequestPermissionResponse | Promise<RequestPermissionResponse> | undefined;

export interface SdkClientOptions {
  readonly transport: ClientTransport;
  /** The default agent when absent. */
  readonly agent?: string;
  readonly name?: string;
  readonly capabilities?: ClientCapabilities;
  readonly onPermission?: PermissionHandler;
  /** Registers further handlers, such as those of files and terminals. */
  readonly configure?: (app: ClientApp) => void;
  readonly fetch?: typeof globalThis.fetch;
  /** PEM text of a certificate that a WebSocket over TLS trusts. */
  readonly certificate?: string;
}

/** The client of the ACP SDK, as it is, initialized against a Reeve. Disposing closes the connection. */
export interface SdkClient extends AsyncDisposable {
  readonly agent: ClientContext;
  readonly initialized: InitializeResponse;
  /** Every update so far, oldest first. Live. */
  readonly updates: readonly SessionNotification[];
  readonly asked: readonly RequestPermissionRequest[];
  onUpdate(listen: (update: SessionNotification) => void): void;
  onPermission(handler: PermissionHandler): void;
  /** Is gone without a goodbye, where the transport knows one. */
  drop(): Promise<void>;
}

export interface ReeveAddress {
  readonly url: string;
  readonly token: string;
}

export async function connectSdkClient(reeve: ReeveAddress, options: SdkClientOptions): Promise<SdkClient> {
  const updates: SessionNotification[] = [];
  const asked: RequestPermissionRequest[] = [];
  let listen = (_update: SessionNotification): void => {};
  let onPermission: PermissionHandler = options.onPermission ?? (() => undefined);
  const name = options.name ?? `sdk-${options.transport}`;
  const app = client({ name })
    .onNotification('session/update', ({ params }) => {
      updates.push(params);
      listen(params);
    })
    .onRequest('session/request_permission', ({ params, signal }) => {
      asked.push(params);
      return onPermission(params) ?? untilAborted(signal);
    });
  options.configure?.(app);
  const carrier = openCarrier(reeve, options);
  const connection: ClientConnection = app.connect(carrier.stream);
  try {
    const initialized = await connection.agent.request('initialize', {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name, version: '1.0.0' },
      clientCapabilities: options.capabilities ?? {},
    });
    return {
      agent: connection.agent,
      initialized,
      updates,
      asked,
      onUpdate: (next) => {
        listen = next;
      },
      onPermission: (next) => {
        onPermission = next;
      },
      drop: () => carrier.cut(connection),
      [Symbol.asyncDispose]: async () => {
        connection.close();
        await carrier.close();
      },
    };
  } catch (error) {
    connection.close(error);
    await carrier.close();
    throw error;
  }
}

/** What `session/update` says as text of the agent, joined. */
export function agentText(updates: readonly SessionNotification[], sessionId?: string): string {
  return updates
    .flatMap(({ sessionId: of, update }) =>
      (sessionId === undefined || of === sessionId) &&
      update.sessionUpdate === 'agent_message_chunk' &&
      update.content.type === 'text'
        ? [update.content.text]
        : [],
    )
    .join('');
}

/** The answer that chooses the first option of that kind. */
export function choose(request: RequestPermissionRequest, kind: string): RequestPermissionResponse {
  const option = request.options.find((offered) => offered.kind === kind);
  if (!option) throw new Error(`${kind} is not offered: ${JSON.stringify(request.options)}`);
  return { outcome: { outcome: 'selected', optionId: option.optionId } };
}

export interface Carrier {
  readonly stream: Stream;
  close(): Promise<void>;
  cut(connection: ClientConnection): Promise<void>;
}

export function openCarrier(reeve: ReeveAddress, options: SdkClientOptions): Carrier {
  const query = options.agent === undefined ? '' : `?agent=${encodeURIComponent(options.agent)}`;
  const headers = { authorization: `Bearer ${reeve.token}` };
  switch (options.transport) {
    case 'websocket': {
      let socket: WebSocket | undefined;
      class HeldWebSocket extends WebSocket {
        constructor(address: string, protocols: string[], init: object) {
          super(address, protocols, { ...init, ...(options.certificate ? { ca: options.certificate } : {}) });
          socket = this;
        }
      }
      const url = `${reeve.url.replace(/^http/, 'ws')}/acp${query}`;
      // The SDK's constructor type knows fewer options than the library has.
      const Socket = HeldWebSocket as unknown as WebSocketConstructor;
      return {
        stream: createWebSocketStream(url, { headers, WebSocket: Socket }),
        close: async () => {},
        cut: async () => {
          const closed = socket && once(socket, 'close');
          socket?.terminate();
          await closed;
        },
      };
    }
    case 'http': {
      const custom = options.fetch ? { fetch: options.fetch } : {};
      return {
        stream: createHttpStream(`${reeve.url}/acp${query}`, { headers, ...custom }),
        close: async () => {},
        cut: async (connection) => connection.close(),
      };
    }
    case 'stdio': {
      const child = startBridge(reeve, options.agent);
      return {
        stream: ndJsonStream(
          WritableStreamOf.toWeb(child.stdin),
          Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
        ),
        close: () => endBridge(child, 'SIGTERM'),
        cut: () => endBridge(child, 'SIGKILL'),
      };
    }
  }
}

type Bridge = ChildProcessByStdio<Writable, Readable, null>;

const cli = fileURLToPath(new URL('../apps/cli/bin/reeve.js', import.meta.url));

/** `reeve acp` towards a server that runs. */
export function startBridge(reeve: ReeveAddress, agent?: string): Bridge {
  const wanted = agent === undefined ? [] : ['--agent', agent];
  const { PATH = '/usr/bin:/bin' } = process.env;
  return spawn(process.execPath, [cli, 'acp', '--url', reeve.url, ...wanted], {
    env: { PATH, REEVE_TOKEN: reeve.token },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

async function endBridge(child: Bridge, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

/** A request of the agent that this client leaves to others. */
function untilAborted(signal: AbortSignal): Promise<RequestPermissionResponse> {
  const { promise, resolve } = Promise.withResolvers<RequestPermissionResponse>();
  signal.addEventListener('abort', () => resolve({ outcome: { outcome: 'cancelled' } }), { once: true });
  return promise;
}
