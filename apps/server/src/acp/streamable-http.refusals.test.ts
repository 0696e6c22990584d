import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { INITIALIZE, initialize, post, startRig } from './streamable-http.rig.ts';

describe('streamable HTTP', () => {
  it.each<[string, number, RequestInit, boolean]>([
    ['a body that is not announced as JSON', 415, { method: 'POST', body: INITIALIZE }, false],
    [
      'a compressed body',
      415,
      { method: 'POST', body: 'x', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
      false,
    ],
    [
      'another charset',
      415,
      { method: 'POST', body: '{}', headers: { 'content-type': 'application/json; charset=latin1' } },
      false,
    ],
    ['bad JSON', 400, { method: 'POST', body: '{"a":', headers: { 'content-type': 'application/json' } }, false],
    [
      'bad UTF-8',
      400,
      { method: 'POST', body: Buffer.from([0x22, 0xff, 0x22]), headers: { 'content-type': 'application/json' } },
      false,
    ],
    ['no object', 400, { method: 'POST', body: '7', headers: { 'content-type': 'application/json' } }, false],
    [
      'a batch',
      501,
      { method: 'POST', body: `[${INITIALIZE}]`, headers: { 'content-type': 'application/json' } },
      false,
    ],
    [
      'a body that is too long',
      413,
      { method: 'POST', body: ' '.repeat(70_000), headers: { 'content-type': 'application/json' } },
      false,
    ],
    [
      'initialize without an id',
      400,
      {
        method: 'POST',
        body: '{"jsonrpc":"2.0","method":"initialize"}',
        headers: { 'content-type': 'application/json' },
      },
      false,
    ],
    [
      'a second initialize',
      400,
      { method: 'POST', body: INITIALIZE, headers: { 'content-type': 'application/json' } },
      true,
    ],
    [
      'a message without a connection',
      400,
      {
        method: 'POST',
        body: '{"jsonrpc":"2.0","id":1,"method":"x"}',
        headers: { 'content-type': 'application/json' },
      },
      false,
    ],
    [
      'an unknown connection',
      404,
      { method: 'POST', body: '{}', headers: { 'content-type': 'application/json', 'acp-connection-id': 'no' } },
      false,
    ],
    [
      'a session without its header',
      400,
      {
        method: 'POST',
        body: '{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"a"}}',
        headers: { 'content-type': 'application/json' },
      },
      true,
    ],
    [
      'a session that is not the header’s',
      400,
      {
        method: 'POST',
        body: '{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"a"}}',
        headers: { 'content-type': 'application/json', 'acp-session-id': 'b' },
      },
      true,
    ],
    ['a GET for anything but events', 406, { headers: { accept: 'application/json' } }, true],
    ['a stream without a connection', 400, { headers: { accept: 'text/event-stream' } }, false],
    [
      'a stream of an unknown connection',
      404,
      { headers: { accept: 'text/event-stream', 'acp-connection-id': 'no' } },
      false,
    ],
    [
      'a Last-Event-ID that is none',
      400,
      { headers: { accept: 'text/event-stream', 'acp-session-id': 'a', 'last-event-id': 'x' } },
      true,
    ],
    ['DELETE without a connection', 400, { method: 'DELETE' }, false],
    ['another method', 405, { method: 'PUT', body: '{}' }, false],
  ])('refuses %s with %i and says the next step', async (_what, status, init, connected) => {
    await using rig = await startRig();
    const extra = connected ? (await initialize(rig)).headers : {};
    const response = await fetch(rig.url, {
      ...init,
      headers: { ...(init.headers as Record<string, string>), ...extra },
    });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({
      status,
      detail: expect.any(String),
      next: expect.stringMatching(/\S/),
    });
    expect(rig.connections.flatMap(({ received }) => received.slice(1))).toEqual([]);
  });

  it('refuses a connection that the server has no room for', async () => {
    await using rig = await startRig({ full: true });
    const response = await post(rig.url, INITIALIZE);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining('limits.maxConnections') });
  });

  it('opens as many session streams as a client may have, and names the setting that refuses one more', async () => {
    await using rig = await startRig({ maxSessionStreams: 2 });
    const { headers } = await initialize(rig);
    const ask = (session: string): Promise<Response> =>
      fetch(rig.url, { headers: { ...headers, accept: 'text/event-stream', 'acp-session-id': session } });
    expect([(await ask('a')).status, (await ask('b')).status, (await ask('a')).status]).toEqual([200, 200, 200]);
    const refused = await ask('c');
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ detail: expect.stringContaining('limits.maxSessionStreams') });
  });

  it('waits for a body as long as the time-out says, and names it', async () => {
    await using rig = await startRig({ bodyMs: 300 });
    const { hostname, port } = new URL(rig.url);
    const send = async (pauseMs: number): Promise<string> => {
      const socket = connect(Number(port), hostname);
      const head = `POST /acp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n`;
      socket.write(`${head}Content-Length: ${INITIALIZE.length}\r\n\r\n${INITIALIZE.slice(0, 5)}`);
      setTimeout(() => socket.destroyed || socket.write(INITIALIZE.slice(5)), pauseMs);
      return text(socket);
    };
    const [quick, slow] = await Promise.all([send(20), send(2000)]);
    expect(quick).toMatch(/^HTTP\/1\.1 200 /);
    expect(slow).toMatch(/^HTTP\/1\.1 408 [\s\S]*timeouts\.bodyMs/);
  });

  it('takes a body of exactly the limit, and names the setting that refuses a longer one', async () => {
    await using rig = await startRig();
    expect((await post(rig.url, INITIALIZE.padEnd(64 * 1024))).status).toBe(200);
    const response = await post(rig.url, INITIALIZE.padEnd(64 * 1024 + 1));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining('limits.maxBodyBytes') });
  });
});
