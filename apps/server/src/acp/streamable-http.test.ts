import { createConnection } from 'node:net';
import { createHttpStream } from '@agentclientprotocol/sdk/experimental/http-client';
import type { EventSeq } from '@reeve/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sliceChunk } from '../events/event-chunk.ts';
import {
  deliver,
  INITIALIZE,
  initialize,
  openStream,
  post,
  SESSION,
  startRig,
  updates,
} from './streamable-http.rig.ts';

describe('streamable HTTP', () => {
  it('answers initialize in the response, with the id of the connection', async () => {
    await using rig = await startRig();
    const response = await post(`${rig.url}?agent=claude`, INITIALIZE);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('acp-connection-id')).toBe(rig.connections[0]?.id);
    expect(await response.json()).toMatchObject({ id: 1, result: { protocolVersion: 1 } });
    expect(rig.connections[0]?.agent).toBe('claude');
    expect(rig.http.connections).toBe(1);
  });

  it('accepts messages in order, and answers on the stream of the connection', async () => {
    await using rig = await startRig();
    const { connection, headers } = await initialize(rig);
    const message = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'session/list', params: {} }, undefined, 2);
    const response = await post(rig.url, message, headers);
    expect(response.status).toBe(202);
    expect(await response.text()).toBe('');
    expect(connection.received[1]).not.toContain('\n');
    expect(JSON.parse(connection.received[1] ?? '')).toEqual(JSON.parse(message));
    connection.say({ jsonrpc: '2.0', id: 2, result: { sessions: [] } });
    const stream = await openStream(rig.url, headers);
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.response.headers.get('cache-control')).toBe('no-cache');
    expect(stream.response.headers.get('x-accel-buffering')).toBe('no');
    await stream.until(({ events }) => events.length === 2);
    expect(stream.events.map(({ data }) => (JSON.parse(data) as { id: unknown }).id)).toEqual(['another', 2]);
    expect(stream.events.every(({ id }) => id === undefined)).toBe(true);
  });

  it('keeps what belongs to a session on the stream of that session', async () => {
    await using rig = await startRig();
    const { connection, headers } = await initialize(rig);
    const sink = connection.transport.sink(SESSION);
    expect(connection.transport.sink(SESSION)).toBe(sink);
    expect(sink.backlogBytes).toBe(Number.POSITIVE_INFINITY);
    let isOpen = false;
    const waiting = sink.drained().then(() => {
      isOpen = true;
    });
    const main = await openStream(rig.url, headers);
    expect(isOpen).toBe(false);
    const stream = await openStream(rig.url, { ...headers, 'acp-session-id': SESSION });
    await waiting;
    expect(sink.backlogBytes).toBe(0);
    deliver(connection, updates(3));
    sink.send(Buffer.from('{"id":7,"result":{}}'), 4 as EventSeq);
    sink.send(Buffer.from('{"note":true}'));
    await stream.until(({ events }) => events.length === 5);
    expect(stream.events.map(({ id }) => id)).toEqual(['1', '2', '3', '4', undefined]);
    expect(main.events).toHaveLength(1);
  });

  it('ends the connection on DELETE', async () => {
    await using rig = await startRig();
    const { connection, headers } = await initialize(rig);
    const stream = await openStream(rig.url, headers);
    const response = await fetch(rig.url, { method: 'DELETE', headers });
    expect(response.status).toBe(202);
    await stream.until(({ ended }) => ended);
    expect(connection.vanished).toEqual(['the client ended the connection']);
    expect(rig.http.connections).toBe(0);
    expect((await fetch(rig.url, { method: 'DELETE', headers })).status).toBe(404);
    await expect(connection.transport.sink(SESSION).drained()).resolves.toBeUndefined();
  });

  it('lets the newer of two streams take over', async () => {
    await using rig = await startRig();
    const { connection, headers } = await initialize(rig);
    const session = { ...headers, 'acp-session-id': SESSION };
    const first = await openStream(rig.url, session);
    const second = await openStream(rig.url, session);
    await first.until(({ ended }) => ended);
    deliver(connection, updates(2));
    await second.until(({ events }) => events.length === 2);
    expect(first.events).toEqual([]);
    expect(connection.vanished).toEqual([]);
  });

  it('sends heartbeats while it has nothing else to send', async () => {
    await using rig = await startRig({ heartbeatMs: 20 });
    const { headers } = await initialize(rig);
    const stream = await openStream(rig.url, headers);
    await stream.until(({ text }) => text.includes(':\n\n:\n\n'));
    expect(stream.events).toHaveLength(1);
  });

  it('takes a client for gone that has no stream and sends nothing', async () => {
    await using rig = await startRig({ idleMs: 700 });
    const { connection, headers } = await initialize(rig);
    const stream = await openStream(rig.url, headers);
    await new Promise((resolve) => setTimeout(resolve, 1400));
    expect(connection.vanished).toEqual([]);
    stream.drop();
    await expect.poll(() => connection.vanished).toEqual(['the client is gone (timeouts.httpConnectionIdleMs)']);
    expect((await post(rig.url, '{"jsonrpc":"2.0","id":1,"method":"x"}', headers)).status).toBe(404);
  });

  it('takes a client for gone whose streams waited one behind the other on a socket that closed', async () => {
    await using rig = await startRig({ idleMs: 700 });
    const { connection } = await initialize(rig);
    const socket = createConnection(Number(new URL(rig.url).port), '127.0.0.1');
    const get = (session: string): string =>
      `GET /acp HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAcp-Connection-Id: ${connection.id}\r\nAcp-Session-Id: ${session}\r\n\r\n`;
    socket.write(get('a') + get('b') + get('c'));
    await new Promise((opened) => socket.once('data', opened));
    socket.destroy();
    await expect.poll(() => connection.vanished).toEqual(['the client is gone (timeouts.httpConnectionIdleMs)']);
  });

  it('loses nothing to a reader that stops for a while, and holds back whoever writes', async () => {
    await using rig = await startRig();
    const { connection, headers } = await initialize(rig);
    const response = await fetch(rig.url, {
      headers: { accept: 'text/event-stream', ...headers, 'acp-session-id': SESSION },
    });
    const sink = connection.transport.sink(SESSION);
    const log = updates(20_000, (n) => JSON.stringify({ n, pad: 'p'.repeat(1000) }));
    let handedOver = 0;
    const writing = (async () => {
      while (handedOver < log.count) {
        const chunk = sliceChunk(log, handedOver, 200);
        deliver(connection, chunk);
        handedOver += chunk.count;
        if (sink.backlogBytes > 512 * 1024) await sink.drained();
      }
    })();
    await new Promise((later) => setTimeout(later, 200));
    expect(handedOver).toBeLessThan(log.count);
    expect(sink.backlogBytes).toBeLessThan(1024 * 1024);
    let text = '';
    for await (const part of response.body ?? []) {
      text += Buffer.from(part).toString();
      if (text.endsWith('\n\n') && text.includes(`id: ${log.count}\n`)) break;
    }
    await writing;
    expect([...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]))).toEqual(
      Array.from({ length: log.count }, (_, index) => index + 1),
    );
  });

  it('closes a connection whose answers nobody fetches', async () => {
    await using rig = await startRig({ queueBytes: 10_000 });
    const { connection } = await initialize(rig);
    for (let index = 0; index < 12 && connection.vanished.length === 0; index += 1)
      connection.say({ pad: 'x'.repeat(1000) });
    expect(connection.vanished).toEqual(['the client does not read what it is sent (limits.connectionQueueBytes)']);
    expect(rig.http.connections).toBe(0);
  });

  it('takes one message however long', async () => {
    await using rig = await startRig({ queueBytes: 1000 });
    const { connection, headers } = await initialize(rig);
    connection.say({ pad: 'x'.repeat(50_000) });
    const stream = await openStream(rig.url, headers);
    await stream.until(({ events }) => events.length === 2);
  });

  it('shows a writer how much a slow reader has not taken, and wakes it when that is little', async () => {
    await using rig = await startRig();
    const { connection, headers } = await initialize(rig);
    const stream = await openStream(rig.url, { ...headers, 'acp-session-id': SESSION });
    const sink = connection.transport.sink(SESSION);
    const chunk = updates(100, () => JSON.stringify('y'.repeat(100_000)));
    deliver(connection, chunk);
    expect(sink.backlogBytes).toBeGreaterThan(10_000_000);
    await sink.drained();
    expect(sink.backlogBytes).toBeLessThanOrEqual(64 * 1024);
    await stream.until(({ events }) => events.length === 100);
  });

  it('ends the streams of a session that was left, and not at once', async () => {
    await using rig = await startRig();
    const { connection, headers } = await initialize(rig);
    const stream = await openStream(rig.url, { ...headers, 'acp-session-id': SESSION });
    connection.transport.sink(SESSION).send(Buffer.from('{"id":1,"result":{}}'));
    connection.transport.release(SESSION);
    await stream.until(({ events }) => events.length === 1);
    expect(stream.ended).toBe(false);
    await stream.until(({ ended }) => ended);
    expect(connection.transport.sink(SESSION).backlogBytes).toBe(Number.POSITIVE_INFINITY);
  });

  it('keeps the stream of a session that it was released from for a client that goes on speaking to it', async () => {
    await using rig = await startRig();
    const { connection, headers } = await initialize(rig);
    const ofSession = { ...headers, 'acp-session-id': SESSION };
    const stream = await openStream(rig.url, ofSession);
    connection.transport.sink(SESSION).send(Buffer.from('{"id":1,"result":{}}'));
    connection.transport.release(SESSION);
    const params = { sessionId: SESSION };
    await post(rig.url, JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'session/load', params }), ofSession);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(stream.ended).toBe(false);
    connection.transport.sink(SESSION).send(Buffer.from('{"id":2,"result":{}}'));
    await stream.until(({ events }) => events.length === 2);
  });

  it('ends when the client leaves before initialize is answered', async () => {
    await using rig = await startRig({ onConnection: (connection) => (connection.say = () => undefined) });
    const abort = new AbortController();
    const waiting = fetch(rig.url, {
      method: 'POST',
      body: INITIALIZE,
      headers: { 'content-type': 'application/json' },
      signal: abort.signal,
    });
    await expect.poll(() => rig.connections[0]?.received.length).toBe(1);
    abort.abort();
    await expect(waiting).rejects.toThrow();
    await expect.poll(() => rig.connections[0]?.vanished.length).toBe(1);
    expect(rig.http.connections).toBe(0);
  });

  it('resumes after the last event that a client has, wherever the stream was cut', async () => {
    await using rig = await startRig();
    const log = updates(40, (index) => JSON.stringify({ n: index, pad: 'z'.repeat((index * 37) % 90) }));
    const { connection, headers } = await initialize(rig);
    connection.onResume = (_session, after) => deliver(connection, sliceChunk(log, after));
    const session = { ...headers, 'acp-session-id': SESSION };
    const first = await openStream(rig.url, session);
    deliver(connection, log);
    await first.until(({ events }) => events.length === 40);
    const all = first.text;
    first.drop();
    await expect.poll(() => connection.transport.sink(SESSION).backlogBytes).toBe(Number.POSITIVE_INFINITY);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: all.length }), fc.boolean(), async (cut, stale) => {
        // What a client has that was cut off here: the whole events of the text until then.
        const had = all.slice(0, cut).split('\n\n').slice(0, -1);
        const last = had.length;
        // Events that were handed over while nobody listened are in the log too, and must not come twice.
        if (stale) connection.transport.sink(SESSION).send(Buffer.from('{"stale":true}'), 40 as EventSeq);
        const rest = await openStream(rig.url, { ...session, 'last-event-id': String(last) });
        await rest.until(({ events }) => events.length >= 40 - last);
        expect(connection.resumed.at(-1)).toEqual([SESSION, last]);
        expect([...had.map((event) => `${event}\n\n`), rest.text].join('')).toBe(all);
        rest.drop();
        await expect
          .poll(() => connection.transport.sink(SESSION).backlogBytes, { interval: 2 })
          .toBe(Number.POSITIVE_INFINITY);
      }),
      { numRuns: 40 },
    );
  });

  it('is spoken by the reference client as it is', async () => {
    await using rig = await startRig({
      onConnection: (connection) => {
        connection.onMessage = (text) => {
          const { id, method } = JSON.parse(text) as { id?: number; method?: string };
          if (method === 'session/new') connection.say({ jsonrpc: '2.0', id, result: { sessionId: SESSION } });
          if (method !== 'session/prompt') return;
          const sink = connection.transport.sink(SESSION);
          void sink.drained().then(() => {
            deliver(
              connection,
              updates(5, (n) => JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { n } })),
            );
            sink.send(
              Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: { stopReason: 'end_turn' } })),
              6 as EventSeq,
            );
          });
        };
      },
    });
    const { readable, writable } = createHttpStream(rig.url);
    const writer = writable.getWriter();
    const reader = readable.getReader();
    const next = async (): Promise<Record<string, unknown>> => (await reader.read()).value as Record<string, unknown>;
    const until = async (id: number): Promise<number> => {
      let others = 0;
      while ((await next()).id !== id) others += 1;
      return others;
    };
    await writer.write({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 1 } });
    await until(1);
    await writer.write({ jsonrpc: '2.0', id: 2, method: 'session/new', params: { cwd: '/', mcpServers: [] } });
    await until(2);
    await writer.write({ jsonrpc: '2.0', id: 3, method: 'session/prompt', params: { sessionId: SESSION, prompt: [] } });
    expect(await until(3)).toBe(5);
    await writer.close();
    await expect.poll(() => rig.connections[0]?.vanished).toEqual(['the client ended the connection']);
  });
});
