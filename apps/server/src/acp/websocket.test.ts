import { once } from 'node:events';
import { connectWebSocket } from '@reeve/testkit';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { eventually, type SessionRig, startRig } from '../sessions/session.rig.ts';
import { load, newSession, prompt } from '../sessions/session-calls.rig.ts';

async function open(rig: SessionRig, options: object = {}): Promise<WebSocket> {
  const socket = new WebSocket(rig.url, options);
  await once(socket, 'open');
  return socket;
}

const INITIALIZE = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 1 } });
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'session/list', params: {} });

describe('ACP over WebSocket', () => {
  it('takes binary frames and messages in fragments as well as text', async () => {
    await using rig = await startRig();
    const socket = await open(rig);
    const texts: string[] = [];
    socket.on('message', (data, binary) => {
      expect(binary).toBe(false);
      texts.push(String(data));
    });
    socket.send(Buffer.from(INITIALIZE));
    await eventually(() => texts.length).toBe(1);
    socket.send(LIST.slice(0, 10), { fin: false });
    socket.send(LIST.slice(10), { fin: true });
    await eventually(() => texts.length).toBe(2);
    expect(JSON.parse(texts[1] as string)).toMatchObject({ id: 2, result: { sessions: [] } });
    socket.close();
  });

  it('answers in order what was sent in one go', async () => {
    await using rig = await startRig();
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const [first, second] = [prompt(peer, sessionId, 'a'), prompt(peer, sessionId, 'b')];
    peer.notify('session/cancel', { sessionId });
    expect([await first, await second]).toMatchObject([{ stopReason: 'cancelled' }, { stopReason: 'cancelled' }]);
    expect(await prompt(peer, sessionId, 'c')).toMatchObject({ stopReason: 'end_turn' });
  });

  it.each([
    ['a frame over the limit', (socket: WebSocket) => socket.send('x'.repeat(100_001)), 1009, /limits\.maxFrameBytes/],
    [
      'text that is no UTF-8',
      (socket: WebSocket) => socket.send(Buffer.from([0xff, 0xfe]), { binary: false }),
      1007,
      /^$/,
    ],
  ])('closes a connection for %s, and no other', async (_what, misbehave, code, why) => {
    await using rig = await startRig({ maxFrameBytes: 100_000 });
    const witness = await rig.connect();
    const socket = await open(rig);
    misbehave(socket);
    const [closed, reason] = (await once(socket, 'close')) as [number, Buffer];
    expect(closed).toBe(code);
    expect(String(reason)).toMatch(why);
    await witness.request('session/list', {});
    witness.sendRaw(JSON.stringify({ ...JSON.parse(LIST), id: 'longest' }).padEnd(100_000));
    await witness.waitFor(({ id }) => id === 'longest');
    expect(rig.unforeseen).toEqual([]);
  });

  it('says that it is full to a connection over the limit, and takes one again when another left', async () => {
    await using rig = await startRig({ maxConnections: 1 });
    const first = await rig.connect();
    const second = new WebSocket(rig.url);
    const [code, reason] = (await once(second, 'close')) as [number, Buffer];
    expect([code, String(reason)]).toEqual([1013, expect.stringContaining('limits.maxConnections')]);
    first.close();
    await first.closed;
    await eventually(() =>
      rig.connect().then(
        () => 'in',
        () => 'out',
      ),
    ).toBe('in');
  });

  it('reaps a client that answers no heartbeat', async () => {
    await using rig = await startRig({ heartbeatMs: 20, vanishedMs: 1000 });
    const silent = await open(rig, { autoPong: false });
    const reaped = once(silent, 'close');
    const faithful = await rig.connect();
    await reaped;
    await faithful.request('session/list', {});
  });

  it('does not listen to a client that asks and never reads, and serves it when it does', async () => {
    await using rig = await startRig();
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, [{ bigLine: 500_000 }]);
    const socket = await open(rig);
    const texts: string[] = [];
    socket.on('message', (data) => texts.push(String(data).slice(0, 20)));
    socket.send(INITIALIZE);
    await eventually(() => texts.length).toBe(1);
    socket.pause();
    const count = 150;
    const page = { jsonrpc: '2.0', id: 3, method: '_sandboxagent/session/events', params: { sessionId } };
    for (let index = 0; index < count; index += 1) {
      socket.send(JSON.stringify(page));
      if (index % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually(() => rig.sockets.at(-1)?.writableLength).toBeGreaterThan(8 * 1024 * 1024);
    await new Promise((resolve) => setTimeout(resolve, 200));
    // What was being answered when the bound was reached comes on top of it.
    expect(rig.sockets.at(-1)?.writableLength).toBeLessThan(60 * 1024 * 1024);
    socket.resume();
    await eventually(() => texts.length).toBe(1 + count);
    socket.terminate();
  });

  it('tells its clients when it goes, and sends nothing after that', async () => {
    const rig = await startRig();
    const peer = await connectWebSocket(rig.url);
    await rig[Symbol.asyncDispose]();
    await peer.closed;
    await expect(peer.request('session/list', {})).rejects.toThrow(/closed/);
  });

  it('keeps what was said in the session when the socket breaks without a goodbye', async () => {
    await using rig = await startRig();
    const peer = await rig.connect({ name: 'doomed' });
    const sessionId = await newSession(rig, peer);
    prompt(peer, sessionId, [{ flood: { count: 3000, bytes: 100 } }, { say: 'done' }]).catch(() => {});
    await peer.waitFor(({ method }) => method === 'session/update');
    rig.sockets.at(-1)?.destroy();
    await peer.closed;
    const back = await rig.connect();
    await load(rig, back, sessionId);
    await back.waitFor(({ params }) => JSON.stringify(params ?? null).includes('"done"'));
    expect(back.agentTexts()).toHaveLength(3001);
    expect(rig.unforeseen).toEqual([]);
  });
});
