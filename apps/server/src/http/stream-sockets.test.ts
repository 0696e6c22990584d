import { once } from 'node:events';
import { connect } from 'node:net';
import { CLIENT_HEADER, type EventSeq, socketProtocols } from '@reeve/protocol';
import { describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { chunkOf } from '../events/event-chunk.ts';
import { createControlApi } from './control-api.ts';
import { eventStreamHeaders } from './event-stream.ts';
import { FakeControlPort } from './fake-control-port.ts';
import { startListenerRig, TOKEN } from './listener.rig.ts';
import { rawExchange } from './raw-exchange.ts';
import { createStreamSockets } from './stream-sockets.ts';

const update = (seq: number, message = '{}') =>
  chunkOf(seq as EventSeq, [{ at: 1, source: 'agent', kind: 'update', message: Buffer.from(message) }]);

interface Reader {
  readonly socket: WebSocket;
  /** Text messages, parsed. */
  readonly told: unknown[];
  /** The events as one text. */
  text(): string;
  bytes(): number;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

function read(url: string, target: string, origin?: string): Reader {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${target}`, origin === undefined ? {} : { origin });
  const told: unknown[] = [];
  const events: Buffer[] = [];
  socket.on('error', () => {});
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) events.push(data);
    else told.push(JSON.parse(data.toString()));
  });
  return {
    socket,
    told,
    text: () => Buffer.concat(events).toString(),
    bytes: () => Buffer.concat(events).length,
    closed: once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) })),
  };
}

/** Why there is no socket. */
async function refusal(url: string, target: string, origin?: string): Promise<{ status: number; body: unknown }> {
  const { socket } = read(url, target, origin);
  const [, response] = await once(socket, 'unexpected-response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, body: JSON.parse(text) };
}

const key = `access_token=${TOKEN}`;
const EVENTS = '/v1/sessions/s1/events';

describe('event streams over WebSocket', () => {
  it('give what the stream over HTTP gives, after a cursor, and how often something comes', async () => {
    await using rig = await startListenerRig();
    const { url } = rig.listener;
    const whole = read(url, `${EVENTS}?${key}`);
    await expect.poll(() => whole.text()).toContain('id: 3');
    expect(whole.told).toEqual([{ heartbeatMs: 1000 }]);
    const headers = { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream' };
    const plain = (await fetch(`${url}${EVENTS}`, { headers })).body?.getReader();
    let text = '';
    while (!text.includes('id: 3')) text += Buffer.from((await plain?.read())?.value ?? []).toString();
    await plain?.cancel();
    const events = (body: string): string[] => body.split('\n\n').filter((event) => event !== '' && event !== ':');
    expect(events(whole.text())).toEqual(events(text));
    const rest = read(url, `${EVENTS}?${key}&after=1&lastEventId=2`);
    await expect.poll(() => rest.text()).toContain('id: 3');
    expect(rest.text()).not.toContain('id: 2');
    rig.port.grow(update(4));
    await expect.poll(() => whole.text() + rest.text()).toContain('id: 4');
    expect(rig.onError).not.toHaveBeenCalled();
  });

  it('know who reads, and never show the token to whoever serves them', async () => {
    const app = createControlApi({
      port: new FakeControlPort(),
      version: '1',
      maxBodyBytes: 1024,
      heartbeatMs: 1000,
    });
    const asked = vi.fn(app.fetch);
    const streams = createStreamSockets({
      app: { fetch: asked },
      patience: { heartbeatMs: 1000, vanishedMs: 10_000 },
    });
    await using rig = await startListenerRig({ streams });
    const reader = read(rig.listener.url, `${EVENTS}?${key}&client=page/1.0&lastEventId=1&window=100&after=0`);
    await expect.poll(() => reader.text()).toContain('id: 3');
    const request = asked.mock.calls[0]?.[0] as Request;
    expect(request.url).toBe(`http://localhost${EVENTS}?after=0`);
    expect(request.headers.get(CLIENT_HEADER)).toBe('page/1.0');
    expect(request.headers.get('last-event-id')).toBe('1');
    expect(asked.mock.calls[0]?.[1]).toEqual({ authenticated: true });
    reader.socket.close();
  });

  it('take the token as a subprotocol, and never choose that one', async () => {
    await using rig = await startListenerRig();
    const address = `${rig.listener.url.replace('http', 'ws')}${EVENTS}`;
    const [ours = '', token = ''] = socketProtocols(TOKEN);
    for (const offered of [
      [ours, token],
      [token, ours],
    ]) {
      const socket = new WebSocket(address, offered);
      await once(socket, 'message');
      expect(socket.protocol).toBe('reeve');
      socket.terminate();
    }
    for (const offered of [[ours], [ours, 'reeve.token.00'], [ours, ...socketProtocols(`${TOKEN}x`).slice(1)]]) {
      const [, response] = await once(
        new WebSocket(address, offered).on('error', () => {}),
        'unexpected-response',
      );
      expect(response.statusCode).toBe(401);
      response.destroy();
    }
    // A client that reads no answer of ours fails: it would not know what is spoken.
    const alone = new WebSocket(address, [token]);
    await once(alone, 'error');
    expect(alone.protocol).toBe('');
  });

  it('are refused as they would be over HTTP, with why and what to do', async () => {
    await using rig = await startListenerRig();
    const { url } = rig.listener;
    expect(await refusal(url, EVENTS)).toMatchObject({ status: 401, body: { next: expect.any(String) } });
    expect(await refusal(url, `${EVENTS}?access_token=wrong`)).toMatchObject({ status: 401 });
    expect(await refusal(url, `${EVENTS}?${key}`, 'https://evil.example')).toMatchObject({ status: 403 });
    expect(await refusal(url, `/v1/sessions/nosuch/events?${key}`)).toMatchObject({ status: 404 });
    for (const path of ['/', '/v1/sessions', '/v1/sessions/s1', '/v1/sessions/s1/events/', '/v1/audit/export']) {
      expect(await refusal(url, `${path}?${key}`)).toMatchObject({
        status: 404,
        body: { detail: 'no WebSocket is served here', next: expect.stringContaining('/v1/events') },
      });
    }
    for (const bad of ['window=0', 'window=-1', 'window=1e3', 'window=', 'client=no%20name', 'client=a', 'after=x']) {
      expect(await refusal(url, `${EVENTS}?${key}&${bad}`)).toMatchObject({ status: 400 });
    }
    for (const bad of ['after=9', 'lastEventId=9', 'lastEventId=x', 'lastEventId=%0d%0ax:y', 'before=2']) {
      expect(await refusal(url, `${EVENTS}?${key}&${bad}`)).toMatchObject({ status: 400 });
    }
    expect(rig.port.followed).toEqual([]);
    expect(rig.onError).not.toHaveBeenCalled();
  });

  it('send no more than the window before it is told that something was read', async () => {
    await using rig = await startListenerRig();
    const reader = read(rig.listener.url, `${EVENTS}?${key}&window=1000`);
    await expect.poll(() => reader.text()).toContain('id: 3');
    for (let seq = 4; seq < 14; seq += 1) rig.port.grow(update(seq, JSON.stringify({ text: 'x'.repeat(300) })));
    await expect.poll(() => reader.bytes()).toBeGreaterThanOrEqual(1000);
    const held = reader.bytes();
    // Heartbeats would come within this time.
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(reader.bytes()).toBe(held);
    expect(held).toBeLessThan(1000 + 500);
    reader.socket.send(JSON.stringify({ read: held }));
    await expect.poll(() => reader.bytes()).toBeGreaterThanOrEqual(held + 1000);
    expect(reader.text()).not.toContain('id: 13');
    // An old receipt takes nothing back.
    reader.socket.send(JSON.stringify({ read: 0 }));
    reader.socket.send(JSON.stringify({ read: reader.bytes() + 5000 }));
    await expect.poll(() => reader.text()).toContain('id: 13');
    const seqs = [...reader.text().matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
    expect(seqs).toEqual(Array.from({ length: 13 }, (_, at) => at + 1));
  });

  it.each(['{', '{}', '{"read":-1}', '{"read":1.5}', '[]', 'null', Buffer.from('{"read":1}')])(
    'end for whoever sends anything but a receipt: %s',
    async (message) => {
      await using rig = await startListenerRig();
      const reader = read(rig.listener.url, `${EVENTS}?${key}&window=5`);
      await expect.poll(() => reader.told).toHaveLength(1);
      reader.socket.send(message);
      expect(await reader.closed).toEqual({ code: 1008, reason: 'a receipt is {"read": bytes}' });
      await expect.poll(() => rig.port.followed.every(({ signal }) => signal.aborted)).toBe(true);
    },
  );

  it('take a receipt of 256 bytes, and end at a longer message', async () => {
    await using rig = await startListenerRig();
    const reader = read(rig.listener.url, `${EVENTS}?${key}`);
    await expect.poll(() => reader.text()).toContain('id: 3');
    reader.socket.send('{"read":1}'.padEnd(256));
    rig.port.grow(update(4));
    await expect.poll(() => reader.text()).toContain('id: 4');
    reader.socket.send('{"read":1}'.padEnd(257));
    expect((await reader.closed).code).toBe(1009);
    await expect.poll(() => rig.port.followed[0]?.signal.aborted).toBe(true);
  });

  it('let go of the source when the reader leaves, also one that says nothing', async () => {
    const app = createControlApi({ port: new FakeControlPort(), version: '1', maxBodyBytes: 1024, heartbeatMs: 20 });
    const signals: AbortSignal[] = [];
    const streams = createStreamSockets({
      app: {
        fetch(request, bindings) {
          signals.push(request.signal);
          return app.fetch(request, bindings);
        },
      },
      patience: { heartbeatMs: 20, vanishedMs: 200 },
    });
    await using rig = await startListenerRig({ streams });
    const leaves = read(rig.listener.url, `${EVENTS}?${key}`);
    await expect.poll(() => leaves.told).toHaveLength(1);
    leaves.socket.close();
    await expect.poll(() => signals[0]?.aborted).toBe(true);
    const silent = read(rig.listener.url, `${EVENTS}?${key}`);
    await expect.poll(() => silent.told).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(signals[1]?.aborted).toBe(false);
    // It reads no ping any more, and answers none.
    silent.socket.pause();
    await expect.poll(() => signals[1]?.aborted, { timeout: 5000 }).toBe(true);
    silent.socket.terminate();
  });

  it('let go of the source where the handshake is none, or nobody is there any more', async () => {
    const cancelled = vi.fn();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const streams = createStreamSockets({
      app: {
        async fetch(request) {
          if (request.url.includes('slow')) await answered;
          return new Response(new ReadableStream({ cancel: cancelled }), { headers: eventStreamHeaders(1000) });
        },
      },
      patience: { heartbeatMs: 1000, vanishedMs: 10_000 },
    });
    await using rig = await startListenerRig({ streams });
    const asked = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    expect((await rawExchange(rig.listener.port, [asked(EVENTS)])).text).toMatch(/^HTTP\/1.1 400 /);
    await expect.poll(() => cancelled.mock.calls.length).toBe(1);
    const leaves = connect(rig.listener.port, '127.0.0.1');
    leaves.write(asked('/v1/sessions/slow/events'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    leaves.resetAndDestroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    answer();
    await expect.poll(() => cancelled.mock.calls.length).toBe(2);
    expect(rig.onError).not.toHaveBeenCalled();
  });

  it('end when the server stops, so that the reader comes back', async () => {
    const rig = await startListenerRig();
    const reader = read(rig.listener.url, `${EVENTS}?${key}`);
    await expect.poll(() => reader.told).toHaveLength(1);
    await rig[Symbol.asyncDispose]();
    expect((await reader.closed).code).toBe(1001);
  });
});
