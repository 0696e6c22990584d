import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { runAcpBridge } from './acp-bridge.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function bridge(
  maxLineBytes = 1_000_000,
  more: { readonly silenceMs?: number; readonly autoPong?: boolean } = {},
) {
  const { autoPong = true, ...options } = more;
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong });
  await once(server, 'listening');
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [peer] = (await once(server, 'connection')) as [WebSocket];
  await once(socket, 'open');
  closers.push(() => {
    socket.terminate();
    peer.terminate();
    server.close();
  });
  const received: string[] = [];
  peer.on('message', (data) => received.push(String(data)));
  const input = new PassThrough();
  const output = new PassThrough();
  const stop = new AbortController();
  const end = runAcpBridge({ socket, input, output, maxLineBytes, signal: stop.signal, ...options });
  return { peer, received, input, output, end, stop };
}

function linesOf(output: PassThrough): string[] {
  return String(output.read() ?? '')
    .split('\n')
    .filter((line) => line !== '');
}

describe('the stdio bridge', () => {
  it('relays bytes as they are, both ways', async () => {
    const { peer, received, input, output } = await bridge();
    input.write('{"jsonrpc" : "2.0", "method":"ü", "x": 1e0}\n{"jsonrpc":"2.0",');
    input.write('"id":7,"method":"a"}\n\n');
    await expect.poll(() => received.length).toBe(2);
    expect(received).toEqual(['{"jsonrpc" : "2.0", "method":"ü", "x": 1e0}', '{"jsonrpc":"2.0","id":7,"method":"a"}']);
    peer.send('{"jsonrpc":"2.0","id" : 7,"result":{"a": 1.0}}');
    peer.send('{\n"jsonrpc":"2.0","method":"m"}');
    await expect.poll(() => output.readableLength).toBeGreaterThan(70);
    expect(linesOf(output)).toEqual([
      '{"jsonrpc":"2.0","id" : 7,"result":{"a": 1.0}}',
      '{ "jsonrpc":"2.0","method":"m"}',
    ]);
  });

  it('waits for the last answers when the input ends, then closes', async () => {
    const { peer, received, input, output, end } = await bridge();
    input.end('{"jsonrpc":"2.0","id":"a","method":"x"}');
    await expect.poll(() => received.length).toBe(1);
    peer.send('{"jsonrpc":"2.0","method":"session/update"}');
    peer.send('{"jsonrpc":"2.0","id":"a","result":{}}');
    expect(await end).toBe('input-ended');
    expect(linesOf(output)).toHaveLength(2);
  });

  it('answers what is open with the next step when the server is gone', async () => {
    const { peer, received, input, output, end } = await bridge();
    for (const id of ['1', '"1"', '2']) input.write(`{"jsonrpc":"2.0","id":${id},"method":"x"}\n`);
    await expect.poll(() => received.length).toBe(3);
    peer.send('{"jsonrpc":"2.0","id":2,"result":{}}');
    await expect.poll(() => output.readableLength).toBeGreaterThan(0);
    peer.terminate();
    expect(await end).toBe('server-gone');
    const [, ...failed] = linesOf(output).map((line) => JSON.parse(line));
    expect(failed.map(({ id }) => id)).toEqual([1, '1']);
    expect(failed[0].error.data.next).toContain('session/load');
  });

  it('takes the server for gone when nothing comes any more, not even a pong, as after the sleep of a machine', async () => {
    const { received, input, output, end } = await bridge(undefined, { silenceMs: 60, autoPong: false });
    input.write('{"jsonrpc":"2.0","id":1,"method":"x"}\n');
    await expect.poll(() => received.length).toBe(1);
    expect(await end).toBe('server-gone');
    expect(linesOf(output).map((line) => JSON.parse(line))).toMatchObject([
      { id: 1, error: { data: { next: expect.stringContaining('session/load') } } },
    ]);
  });

  it('waits on a server that says nothing but is there, sends it no message of its own, and on a client that does not read', async () => {
    const { peer, received, input, output, end } = await bridge(undefined, { silenceMs: 60 });
    let pings = 0;
    peer.on('ping', () => {
      pings += 1;
    });
    await expect.poll(() => pings).toBeGreaterThan(6);
    expect(received).toEqual([]);
    const line = JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: 'x'.repeat(10_000) });
    for (let index = 0; index < 1000; index += 1) peer.send(line);
    const before = pings;
    expect(await Promise.race([end, new Promise((go) => setTimeout(go, 300, 'waits'))])).toBe('waits');
    expect(pings).toBeLessThan(before + 10);
    output.resume();
    input.write('{"jsonrpc":"2.0","method":"next"}\n');
    await expect.poll(() => received).toEqual(['{"jsonrpc":"2.0","method":"next"}']);
    const read = pings;
    await expect.poll(() => pings).toBeGreaterThan(read);
  });

  it('refuses a line beyond the limit and goes on', async () => {
    const { received, input, output } = await bridge(100);
    input.write(`{"x":"${'y'.repeat(200)}"}\n{"jsonrpc":"2.0","method":"next"}\n`);
    await expect.poll(() => received).toEqual(['{"jsonrpc":"2.0","method":"next"}']);
    expect(JSON.parse(linesOf(output)[0] as string)).toMatchObject({ id: null, error: { data: { maxBytes: 100 } } });
  });

  it('does not read on from the server while nobody reads its output', async () => {
    const { peer, output } = await bridge();
    const line = JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: 'x'.repeat(10_000) });
    const count = 3000;
    for (let index = 0; index < count; index += 1) peer.send(line);
    await expect.poll(() => peer.bufferedAmount).toBeGreaterThan(1_000_000);
    expect(output.readableLength + output.writableLength).toBeLessThan(2_000_000);
    let bytes = 0;
    output.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await expect.poll(() => bytes).toBe(count * (line.length + 1));
  });

  it('leaves when told to', async () => {
    const { end, stop } = await bridge();
    stop.abort();
    expect(await end).toBe('aborted');
  });
});
