import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { connectWebSocket } from './connect-web-socket.ts';
import { JsonRpcFailure, JsonRpcPeer, type PeerOptions } from './json-rpc-peer.ts';
import { lineTransport, webSocketTransport } from './message-transport.ts';

function pair(options: PeerOptions = {}): [JsonRpcPeer, JsonRpcPeer] {
  const there = new PassThrough();
  const back = new PassThrough();
  return [new JsonRpcPeer(lineTransport(back, there), options), new JsonRpcPeer(lineTransport(there, back))];
}

describe('a JSON-RPC peer', () => {
  it('asks and answers with results and errors, and keeps ids as they are', async () => {
    const [near, far] = pair({ idPrefix: 'q' });
    far.onRequest('add', (params) => (params as number[]).reduce((sum, value) => sum + value, 0));
    far.onRequest('fail', () => {
      throw new JsonRpcFailure(-32002, 'Gone', { why: 1 });
    });
    expect(await near.request('add', [1, 2])).toBe(3);
    await expect(near.request('fail', {})).rejects.toMatchObject({ code: -32002, message: 'Gone', data: { why: 1 } });
    await expect(near.request('unknown', {})).rejects.toMatchObject({ code: -32601 });
    expect(far.log.filter(({ direction }) => direction === 'out').map(({ message }) => message?.id)).toEqual([
      'q1',
      'q2',
      'q3',
    ]);
  });

  it('keeps all that comes, in order, with what it does not know', async () => {
    const [near, far] = pair();
    const seen: unknown[] = [];
    near.onNotification('*', (params) => seen.push(params));
    far.sendRaw('banner, no JSON');
    far.sendRaw('{"jsonrpc":"2.0","method":"x","params":{"a":1},"odd":{"b":2}}');
    const message = await near.waitFor(({ method }) => method === 'x');
    expect(message).toEqual({ jsonrpc: '2.0', method: 'x', params: { a: 1 }, odd: { b: 2 } });
    expect(near.log.map(({ raw }) => raw)[0]).toBe('banner, no JSON');
    expect(seen).toEqual([{ a: 1 }]);
    await expect(near.waitFor(({ method }) => method === 'y', { timeoutMs: 10 })).rejects.toThrow('no such message');
  });

  it('withdraws a request by notification and still takes its answer', async () => {
    const [near, far] = pair();
    far.onRequest('slow', () => new Promise(() => undefined));
    far.onNotification('$/cancel_request', (params) =>
      far.respond((params as { requestId: number }).requestId, 'stopped'),
    );
    expect(await near.request('slow', {}, { signal: AbortSignal.timeout(5) })).toBe('stopped');
  });

  it('rejects what is open when the connection closes, and what comes after', async () => {
    const [near, far] = pair();
    far.onRequest('slow', () => new Promise(() => undefined));
    const open = near.request('slow', {});
    far.close();
    await expect(open).rejects.toThrow('closed before the answer');
    await near.closed;
    await expect(near.request('slow', {})).rejects.toThrow('is closed');
  });

  it('speaks WebSocket, hears the first message, and tells a refused upgrade', async () => {
    await using server = new DisposableServer();
    await once(server.sockets, 'listening');
    const url = `http://127.0.0.1:${(server.sockets.address() as AddressInfo).port}/acp`;
    server.sockets.on('connection', (socket, request) => {
      const far = new JsonRpcPeer(webSocketTransport(socket));
      far.notify('hello', { authorization: request.headers.authorization });
      far.onRequest('ping', () => 'pong');
    });
    await using near = await connectWebSocket(url, { token: 't' });
    expect(await near.request('ping', {})).toBe('pong');
    expect(near.notifications('hello')).toEqual([{ authorization: 'Bearer t' }]);
    await expect(connectWebSocket(url.replace('/acp', '/elsewhere'))).rejects.toThrow('400');
  });
});

class DisposableServer implements AsyncDisposable {
  readonly sockets = new WebSocketServer({ port: 0, host: '127.0.0.1', path: '/acp' });

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets.clients) socket.terminate();
    await new Promise((resolve) => this.sockets.close(resolve));
  }
}
