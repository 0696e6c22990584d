import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket as PeerSocket, WebSocketServer } from 'ws';
import pkg from '../package.json' with { type: 'json' };
import type { AcpNotification } from './acp-options.ts';
import { CallError } from './call-error.ts';
import { connectReeve } from './connect-reeve.ts';
import { LEAVE_UNANSWERED } from './incoming-requests.ts';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listen(
  onHttp: (request: IncomingMessage, response: ServerResponse) => void,
  onMessage: (message: Message, socket: PeerSocket) => void = () => {},
): Promise<string> {
  const server = createServer(onHttp);
  const sockets = new WebSocketServer({ server, path: '/acp' });
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => onMessage(JSON.parse(String(data)), socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function answer(socket: PeerSocket, id: number | undefined, result: unknown): void {
  socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

function update(socket: PeerSocket, seq: number): void {
  const params = {
    sessionId: 's',
    update: { sessionUpdate: 'never_heard_of', seq },
    _meta: { 'sandboxagent.dev': { seq } },
  };
  socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params }));
}

const ours = (message: Message): Record<string, unknown> =>
  ((message.params?._meta as Record<string, unknown> | undefined)?.['sandboxagent.dev'] ?? {}) as Record<
    string,
    unknown
  >;

describe('the control API', () => {
  it('sends the token and turns a problem document into an error with its next step', async () => {
    const url = await listen((request, response) => {
      response.writeHead(409, { 'content-type': 'application/problem+json' });
      response.end(
        JSON.stringify({
          title: request.headers.authorization,
          status: 409,
          code: 'already_resolved',
          next: 'Nothing.',
        }),
      );
    });
    const failed = connectReeve({ url, token: 't' }).requests.answer('r', { reply: 'once' });
    await expect(failed).rejects.toMatchObject({
      code: 'already_resolved',
      status: 409,
      next: 'Nothing.',
      message: 'Bearer t',
    });
  });

  it('says who calls: this SDK, or the program that uses it', async () => {
    const names: unknown[] = [];
    const introduced: unknown[] = [];
    const url = await listen(
      (request, response) => {
        names.push(request.headers['reeve-client']);
        response.end('{}');
      },
      ({ id, params }, socket) => {
        introduced.push(params?.clientInfo);
        answer(socket, id, { protocolVersion: 1 });
      },
    );
    await connectReeve({ url }).health();
    const client = { name: 'ci', version: '7' };
    const named = connectReeve({ url, client });
    await named.health();
    await using _ = await named.openAcp();
    expect(names).toEqual([`reeve-sdk/${pkg.version}`, 'ci/7']);
    expect(introduced).toEqual([client]);
    expect(() => connectReeve({ url, client: { name: 'two words', version: '1' } })).toThrow('client');
  });

  it('says when nobody answers', async () => {
    const lost = connectReeve({ url: 'http://127.0.0.1:1' });
    await expect(lost.health()).rejects.toMatchObject({ code: 'unreachable' });
    await expect(lost.openAcp()).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('says when the token is refused, for a WebSocket too', async () => {
    const url = await listen((_, response) => response.writeHead(401).end());
    await expect(connectReeve({ url: `${url}/sub/` }).openAcp()).rejects.toMatchObject({
      code: 'authentication_required',
    });
  });

  it('follows a session over broken streams, each event once', async () => {
    const asked: (string | undefined)[] = [];
    const url = await listen((request, response) => {
      const after = Number(request.headers['last-event-id']);
      asked.push(request.url);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let seq = Math.max(1, after); seq <= after + 2; seq += 1) {
        response.write(`id: ${seq}\nevent: update\ndata: ${JSON.stringify({ seq, kind: 'update' })}\n\n`);
      }
      setTimeout(() => response.destroy(), 20);
    });
    const stop = new AbortController();
    const seen: number[] = [];
    for await (const event of connectReeve({ url }).followEvents('a/b', { signal: stop.signal })) {
      seen.push(event.seq);
      if (seen.length === 6) stop.abort();
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
    expect(asked).toEqual([0, 2, 4].map((after) => `/v1/sessions/a%2Fb/events?after=${after}`));
  });
});

describe('an ACP connection', () => {
  it('sends mcpServers, relays unknown updates, and says what the agent said when it fails', async () => {
    const url = await listen(
      () => {},
      (message, socket) => {
        if (message.method === 'initialize') answer(socket, message.id, { protocolVersion: 1 });
        if (message.method === 'session/new') {
          answer(socket, message.id, { sessionId: 's', odd: message.params?.mcpServers });
          update(socket, 1);
        }
        if (message.method === 'session/set_mode') {
          const error = { code: -32602, message: 'no', data: { path: 'modeId' } };
          socket.send(JSON.stringify({ jsonrpc: '2.0', id: message.id, error }));
        }
      },
    );
    const seen: AcpNotification[] = [];
    await using acp = await connectReeve({ url }).openAcp({ onUpdate: (notification) => seen.push(notification) });
    expect(await acp.newSession({ cwd: '/' })).toEqual({ sessionId: 's', odd: [] });
    await expect(acp.setMode('s', 'x')).rejects.toMatchObject({
      code: 'invalid_params',
      rpcCode: -32602,
      data: { path: 'modeId' },
    });
    expect(seen).toMatchObject([{ sessionId: 's', seq: 1, params: { update: { sessionUpdate: 'never_heard_of' } } }]);
  });

  it('resumes after the last update seen, and asks for the running prompt by its key', async () => {
    const prompts: unknown[] = [];
    const resumed: unknown[] = [];
    const url = await listen(
      () => {},
      (message, socket) => {
        if (message.method === 'initialize') answer(socket, message.id, {});
        if (message.method === 'session/new') answer(socket, message.id, { sessionId: 's' });
        if (message.method === 'session/resume') {
          resumed.push(ours(message).after);
          for (const seq of [2, 3, 4]) update(socket, seq);
          answer(socket, message.id, {});
        }
        if (message.method === 'session/prompt') {
          prompts.push(ours(message).idempotencyKey);
          for (const seq of [1, 2, 3]) update(socket, seq);
          if (prompts.length === 1) setTimeout(() => socket.terminate(), 20);
          else answer(socket, message.id, { stopReason: 'end_turn' });
        }
      },
    );
    const seen: (number | undefined)[] = [];
    const states: string[] = [];
    await using acp = await connectReeve({ url }).openAcp({
      onUpdate: ({ seq }) => seen.push(seq),
      onState: ({ kind }) => states.push(kind),
    });
    await acp.newSession({ cwd: '/' });
    expect(await acp.prompt('s', 'hi')).toEqual({ stopReason: 'end_turn' });
    expect(prompts).toHaveLength(2);
    expect(prompts[0]).toBe(prompts[1]);
    expect(resumed).toEqual([3]);
    expect(seen).toEqual([1, 2, 3, 4]);
    expect(states).toEqual(['connected', 'reconnecting', 'connected']);
  });

  it('is opened again when nobody answers any more, as after the sleep of a machine, and goes on', async () => {
    let opened = 0;
    const asked: (string | undefined)[] = [];
    const url = await listen(
      () => {},
      (message, socket) => {
        if (message.method === 'initialize') {
          opened += 1;
          answer(socket, message.id, {});
        }
        // The first one dies without a word to either end.
        else if (opened > 1) answer(socket, message.id, { opened });
        else asked.push(message.method);
      },
    );
    const states: string[] = [];
    const lines: string[] = [];
    await using acp = await connectReeve({ url }).openAcp({
      silenceMs: 150,
      onState: ({ kind }) => states.push(kind),
      onLine: (line) => lines.push(line),
    });
    expect(await acp.request('something', {})).toEqual({ opened: 2 });
    await expect.poll(() => states).toEqual(['connected', 'reconnecting', 'connected']);
    expect(asked).toEqual(['something', '_sandboxagent/ping', '_sandboxagent/ping']);
    // It stays while it is answered, and nobody is shown what only asks.
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(opened).toBe(2);
    expect(lines.join()).not.toContain('alive');
  });

  it('never repeats session/new', async () => {
    let opened = 0;
    const url = await listen(
      () => {},
      (message, socket) => {
        if (message.method === 'initialize') answer(socket, message.id, {});
        if (message.method === 'session/new') {
          opened += 1;
          socket.terminate();
        }
      },
    );
    await using acp = await connectReeve({ url }).openAcp();
    await expect(acp.newSession({ cwd: '/' })).rejects.toMatchObject({ code: 'connection_lost' });
    expect(opened).toBe(1);
  });

  it('answers, leaves open, or withdraws when somebody else was first', async () => {
    const answers: Message[] = [];
    const { promise: told, resolve: tell } = Promise.withResolvers<void>();
    const url = await listen(
      () => {},
      (message, socket) => {
        if (message.method === 'initialize') answer(socket, message.id, {});
        else answers.push(message);
        if (message.method !== 'start') return;
        for (const id of [1, 2, 3]) {
          const params = { sessionId: 's', id, _meta: { 'sandboxagent.dev': { requestId: `r${id}` } } };
          socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'session/request_permission', params }));
        }
        const resolved = { sessionId: 's', requestId: 'r2', by: 'somebody' };
        socket.send(
          JSON.stringify({ jsonrpc: '2.0', method: '_sandboxagent/session/request_resolved', params: resolved }),
        );
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: 'q', method: 'unheard/of', params: {} }));
      },
    );
    await using acp = await connectReeve({ url }).openAcp({
      async onRequest({ method, requestId, signal }) {
        if (method === 'unheard/of') throw new CallError({ code: 'x', message: 'no', rpcCode: -32601 });
        if (requestId === 'r1') return { outcome: 'x' };
        if (requestId === 'r3') return LEAVE_UNANSWERED;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        tell();
        return { outcome: 'too late' };
      },
    });
    acp.notify('start', {});
    await told;
    await expect.poll(() => answers.length).toBe(3);
    expect(answers.slice(1)).toMatchObject([
      { id: 1, result: { outcome: 'x' } },
      { id: 'q', error: { code: -32601 } },
    ]);
  });
});
