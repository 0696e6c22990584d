import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket as PeerSocket, WebSocketServer } from 'ws';
import { openSocketStream, WINDOW_BYTES } from './socket-stream.ts';

const servers: WebSocketServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    for (const socket of server.clients) socket.terminate();
    server.close();
  }
});

/** What a hostile or broken server sends; the text messages that it is sent. */
async function peer(onSocket: (socket: PeerSocket) => void): Promise<{ readonly url: URL; readonly heard: string[] }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  servers.push(server);
  await once(server, 'listening');
  const heard: string[] = [];
  server.on('connection', (socket) => {
    socket.on('message', (data) => heard.push(String(data)));
    onSocket(socket);
  });
  return { url: new URL(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/events`), heard };
}

const { signal: never } = new AbortController();

describe('an event stream over a WebSocket', () => {
  it('is there once the server said how often something comes, and gives what it sent until it closes', async () => {
    const { url } = await peer((socket) => {
      socket.send('{"heartbeatMs":50}');
      socket.send(Buffer.from('data: 1\n\n'));
      socket.send(Buffer.from('data: 2\n\n'));
      socket.close();
    });
    const stream = await openSocketStream({ url, token: undefined, WebSocket }, never);
    expect(stream?.heartbeatMs).toBe(50);
    expect(await new Response(stream?.body).text()).toBe('data: 1\n\ndata: 2\n\n');
  });

  it.each(['', '{', '{}', 'null', '{"heartbeatMs":0}', '{"heartbeatMs":"1"}'])(
    'is none where the server says anything else first: %j',
    async (text) => {
      const { url } = await peer((socket) => socket.send(text));
      expect(await openSocketStream({ url, token: undefined, WebSocket }, never)).toBeUndefined();
    },
  );

  it('is none where the server closes, or is not there', async () => {
    const { url } = await peer((socket) => socket.close());
    expect(await openSocketStream({ url, token: undefined, WebSocket }, never)).toBeUndefined();
    expect(
      await openSocketStream({ url: new URL('ws://127.0.0.1:1/'), token: undefined, WebSocket }, never),
    ).toBeUndefined();
  });

  it('tells the server what was read, and only that, before the window is used up', async () => {
    const piece = Buffer.alloc(WINDOW_BYTES / 8, 'x');
    const { url, heard } = await peer((socket) => {
      socket.send('{"heartbeatMs":50}');
      for (let count = 0; count < 8; count += 1) socket.send(piece);
    });
    const stream = await openSocketStream({ url, token: undefined, WebSocket }, never);
    const reader = stream?.body.getReader();
    await reader?.read();
    // The others are here by now, and nobody asked for them.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(heard).toEqual([]);
    for (let count = 1; count < 8; count += 1) await reader?.read();
    const quarters = [2, 4, 6, 8].map((eighths) => JSON.stringify({ read: (eighths * WINDOW_BYTES) / 8 }));
    await expect.poll(() => heard).toEqual(quarters);
  });

  it('ends when it is given up, before it is there and after', async () => {
    const { url } = await peer(() => {});
    const early = new AbortController();
    const opening = openSocketStream({ url, token: undefined, WebSocket }, early.signal);
    setTimeout(() => early.abort(), 50);
    expect(await opening).toBeUndefined();
    const open = await peer((socket) => socket.send('{"heartbeatMs":50}'));
    const late = new AbortController();
    const stream = await openSocketStream({ url: open.url, token: undefined, WebSocket }, late.signal);
    const reading = stream?.body.getReader().read();
    late.abort();
    expect(await reading).toEqual({ done: true, value: undefined });
  });
});
