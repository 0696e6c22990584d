import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EventSeq, SessionId } from '@reeve/protocol';
import { expect } from 'vitest';
import { chunkOf, type EventChunk } from '../events/event-chunk.ts';
import { segmentChunk } from '../events/event-run.ts';
import { createStreamableHttp, type StreamableHttp } from './streamable-http.ts';
import type { InboundConnection, Transport } from './transport.ts';

export const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: 1 },
});
export const SESSION = 'session-1' as SessionId;

/** A connection that answers `initialize`, and does with everything else what the test says. */
export class FakeConnection implements InboundConnection {
  readonly id: string = randomUUID();
  readonly received: string[] = [];
  readonly resumed: [SessionId, number][] = [];
  readonly vanished: string[] = [];
  readonly transport: Transport;
  readonly agent: string | undefined;
  onMessage: (text: string) => void = () => undefined;
  onResume: (sessionId: SessionId, after: number) => void = () => undefined;

  constructor(transport: Transport, agent: string | undefined) {
    this.transport = transport;
    this.agent = agent;
  }

  receive(text: string): void {
    this.received.push(text);
    const { id, method } = JSON.parse(text) as { id: unknown; method: unknown };
    if (method === 'initialize') {
      this.say({ jsonrpc: '2.0', id: 'another', result: {} });
      this.say({ jsonrpc: '2.0', id, result: { protocolVersion: 1, agentCapabilities: {} } });
    }
    this.onMessage(text);
  }

  say(message: object): void {
    this.transport.send(Buffer.from(JSON.stringify(message)));
  }

  resumeStream(sessionId: SessionId, after: number): void {
    this.resumed.push([sessionId, after]);
    this.onResume(sessionId, after);
  }

  vanish(reason: string): void {
    this.vanished.push(reason);
  }
}

/** A server on a free port, and the connections that clients began. */
export interface Rig extends AsyncDisposable {
  readonly url: string;
  readonly http: StreamableHttp;
  readonly connections: FakeConnection[];
}

export interface RigOptions {
  readonly queueBytes?: number;
  readonly heartbeatMs?: number;
  readonly idleMs?: number;
  readonly full?: boolean;
  readonly maxSessionStreams?: number;
  readonly bodyMs?: number;
  readonly onConnection?: (connection: FakeConnection) => void;
}

export async function startRig(options: RigOptions = {}): Promise<Rig> {
  const connections: FakeConnection[] = [];
  const http = createStreamableHttp({
    accept: (transport, peer) => {
      if (options.full) return undefined;
      const connection = new FakeConnection(transport, peer.agent);
      connections.push(connection);
      options.onConnection?.(connection);
      return connection;
    },
    limits: {
      maxBodyBytes: 64 * 1024,
      connectionQueueBytes: options.queueBytes ?? 1024 * 1024,
      maxSessionStreams: options.maxSessionStreams ?? 16,
    },
    timeouts: {
      heartbeatMs: options.heartbeatMs ?? 10_000,
      connectionIdleMs: options.idleMs ?? 10_000,
      releaseLingerMs: 1000,
      bodyMs: options.bodyMs ?? 10_000,
    },
  });
  const server = createServer((request, response) => void http.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/acp`;
  const dispose = async (): Promise<void> => {
    http.closeAll('the test is over');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, http, connections, [Symbol.asyncDispose]: dispose };
}

export function post(url: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
}

export async function initialize(rig: Rig): Promise<{ connection: FakeConnection; headers: Record<string, string> }> {
  const response = await post(rig.url, INITIALIZE);
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  const connection = rig.connections.at(-1) as FakeConnection;
  return { connection, headers: { 'acp-connection-id': connection.id } };
}

/** An open stream, read as text. */
export class StreamReader {
  text = '';
  ended = false;
  readonly response: Response;
  readonly #abort: AbortController;

  constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    void this.#read();
  }

  /** The data of every whole event so far. */
  get events(): { id: string | undefined; data: string }[] {
    return this.text
      .split('\n\n')
      .slice(0, -1)
      .filter((event) => !event.startsWith(':'))
      .map((event) => ({
        id: /^id: (.*)$/m.exec(event)?.[1],
        data: /^data: (.*)$/m.exec(event)?.[1] ?? '',
      }));
  }

  async until(condition: (reader: StreamReader) => boolean): Promise<this> {
    await expect.poll(() => condition(this), { interval: 5 }).toBe(true);
    return this;
  }

  drop(): void {
    this.#abort.abort();
  }

  async #read(): Promise<void> {
    try {
      const decoder = new TextDecoder();
      for await (const chunk of this.response.body ?? []) this.text += decoder.decode(chunk, { stream: true });
    } catch {
      // Dropped by the test.
    }
    this.ended = true;
  }
}

export async function openStream(url: string, headers: Record<string, string>): Promise<StreamReader> {
  const abort = new AbortController();
  const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: abort.signal });
  expect(response.status).toBe(200);
  return new StreamReader(response, abort);
}

export function updates(count: number, text: (index: number) => string = (index) => `{"n":${index}}`): EventChunk {
  const events = Array.from({ length: count }, (_, index) => ({
    at: 0,
    source: 'agent' as const,
    kind: 'update' as const,
    message: Buffer.from(text(index + 1)),
  }));
  return chunkOf(1 as EventSeq, events);
}

export function deliver(connection: FakeConnection, chunk: EventChunk): void {
  const sink = connection.transport.sink(SESSION);
  for (const segment of segmentChunk(chunk)) {
    if (segment.kind === 'run') sink.sendRun(segment.run);
    else sink.send(segment.event.message, segment.event.seq);
  }
}
