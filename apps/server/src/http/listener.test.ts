import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it, vi } from 'vitest';
import { AUTH, startListenerRig, TOKEN } from './listener.rig.ts';
import { rawExchange } from './raw-exchange.ts';

describe('the listener', () => {
  it('serves ACP on its path, and everything else by the app', async () => {
    await using rig = await startListenerRig();
    const { url, port } = rig.listener;
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect(await (await fetch(`${url}/acp?agent=a`, { headers: AUTH })).text()).toBe('acp /acp?agent=a');
    expect(await (await fetch(`${url}/v1/health`, { headers: AUTH })).json()).toMatchObject({ version: '1.2.3' });
    expect(await (await fetch(`${url}/v1/health`)).json()).toEqual({ status: 'ok' });
    expect((await fetch(`${url}/acpx`, { headers: AUTH })).status).toBe(404);
  });

  it('takes an answer in chunks', async () => {
    await using rig = await startListenerRig();
    const body = new Blob(['{"reply":', '"once"}']).stream();
    const init = {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { ...AUTH, 'content-type': 'application/json' },
    } as const;
    const response = await fetch(`${rig.listener.url}/v1/requests/r1/answer`, init);
    expect(response.status).toBe(200);
    expect(rig.port.answers).toHaveLength(1);
  });

  it('refuses strangers everywhere, and says how to be let in', async () => {
    await using rig = await startListenerRig();
    for (const path of ['/acp', '/v1/sessions', '/', '/v1/nothing']) {
      const response = await fetch(`${rig.listener.url}${path}`);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('Bearer');
      expect(await response.json()).toMatchObject({
        name: 'authentication_required',
        next: expect.stringContaining('Bearer'),
      });
    }
    const rebound = await rawExchange(rig.listener.port, ['GET /v1/health HTTP/1.1\r\nHost: evil.example\r\n\r\n']);
    expect(rebound.text).toMatch(/^HTTP\/1.1 403 /);
  });

  it('opens nothing of the API to a stranger whose path begins with an open one and leads elsewhere', async () => {
    const rules = {
      token: TOKEN,
      boundHost: '127.0.0.1',
      allowedHosts: [],
      allowedOrigins: [],
      openPaths: ['/sessions/*'],
    };
    await using rig = await startListenerRig({ rules });
    for (const path of [
      '/sessions/../v1/sessions',
      '/sessions/%2e%2e/v1/sessions',
      '/sessions/a/.%2E/%2e./v1/sessions',
    ]) {
      const { text } = await rawExchange(rig.listener.port, [
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`,
      ]);
      expect(text).toMatch(/^HTTP\/1.1 401 /);
      expect(text).not.toContain('"sessions"');
    }
  });

  it('hands no token on to what it serves', async () => {
    await using rig = await startListenerRig();
    const response = await fetch(`${rig.listener.url}/acp?access_token=${TOKEN}&agent=a`);
    expect(await response.text()).toBe('acp /acp?agent=a');
  });

  it('lets pages of allowed origins read its answers, and no others', async () => {
    await using rig = await startListenerRig();
    const { url } = rig.listener;
    const origin = 'https://console.example.org';
    const asked = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,acp-session-id',
    };
    const preflight = await fetch(`${url}/acp`, { method: 'OPTIONS', headers: { origin, ...asked } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization,acp-session-id');
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, PATCH, DELETE');
    const allowed = await fetch(`${url}/v1/sessions`, { headers: { origin, ...AUTH } });
    expect(allowed.headers.get('access-control-allow-origin')).toBe(origin);
    expect(allowed.headers.get('access-control-expose-headers')).toBe('Acp-Connection-Id, reeve-heartbeat');
    expect(allowed.headers.get('vary')).toBe('Origin');
    for (const stranger of ['https://evil.example', 'null']) {
      const refused = await fetch(`${url}/acp`, { method: 'OPTIONS', headers: { origin: stranger, ...asked } });
      expect(refused.status).toBe(403);
      expect(refused.headers.get('access-control-allow-origin')).toBeNull();
      expect((await fetch(`${url}/v1/sessions`, { headers: { origin: stranger, ...AUTH } })).status).toBe(403);
    }
  });

  it('hands WebSocket handshakes on, and refuses those of strangers and of other paths', async () => {
    await using rig = await startListenerRig();
    const handshake = (target: string, more = ''): string =>
      `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${more}\r\n`;
    const { port } = rig.listener;
    expect((await rawExchange(port, [handshake('/acp')])).text).toMatch(/^HTTP\/1.1 401 /);
    expect((await rawExchange(port, [handshake('/v1', `Authorization: Bearer ${TOKEN}\r\n`)])).text).toMatch(
      /^HTTP\/1.1 404 /,
    );
    const cross = handshake(`/acp?access_token=${TOKEN}`, 'Origin: https://evil.example\r\n');
    expect((await rawExchange(port, [cross])).text).toMatch(/^HTTP\/1.1 403 /);
    expect(rig.upgraded).toHaveLength(0);
    expect((await rawExchange(port, [handshake(`/acp?access_token=${TOKEN}&agent=a`)])).text).toMatch(
      /^HTTP\/1.1 101 /,
    );
    expect(rig.upgraded[0]?.request.url).toBe('/acp?agent=a');
  });

  it('passes over an upgrade that it does not know', async () => {
    await using rig = await startListenerRig();
    const h2c = `GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`;
    expect((await rawExchange(rig.listener.port, [h2c])).text).toMatch(/^HTTP\/1.1 200 /);
  });

  it('streams events as they come, and tells the source when the reader has gone', async () => {
    await using rig = await startListenerRig();
    const printed = vi.spyOn(console, 'info').mockImplementation(() => undefined);
    const failed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const abort = new AbortController();
    const headers = { accept: 'text/event-stream', ...AUTH };
    const response = await fetch(`${rig.listener.url}/v1/sessions/s1/events`, { headers, signal: abort.signal });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (!text.includes('id: 3')) text += Buffer.from((await reader.read()).value ?? []).toString();
    abort.abort();
    await expect.poll(() => rig.port.followed[0]?.signal.aborted).toBe(true);
    expect(printed).not.toHaveBeenCalled();
    expect(failed).not.toHaveBeenCalled();
    expect(rig.onError).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  it('ends the streams that wait behind another one on a socket that closes', async () => {
    await using rig = await startListenerRig();
    const one = `GET /v1/sessions/s1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nAccept: text/event-stream\r\n\r\n`;
    await rawExchange(rig.listener.port, [one + one + one]);
    await expect.poll(() => rig.port.followed.map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
  });

  it('stops: idle connections at once, requests under way when they are answered', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { promise: come, resolve: comes } = Promise.withResolvers<void>();
    await using rig = await startListenerRig({
      acp: {
        async handle(_request, response) {
          comes();
          await promise;
          (response as ServerResponse).writeHead(200).end('done');
        },
      },
    });
    const { url, port } = rig.listener;
    await (await fetch(`${url}/v1/health`)).arrayBuffer();
    const silent = connect(port, '127.0.0.1');
    const silentClosed = new Promise((closed) => silent.once('close', closed));
    await new Promise((connected) => silent.once('connect', connected));
    const answer = fetch(`${url}/acp`, { headers: AUTH });
    await come;
    const closing = rig.listener.close(10_000);
    expect(rig.listener.close(10_000)).toBe(closing);
    await silentClosed;
    await expect(fetch(`${url}/v1/health`)).rejects.toThrow();
    resolve();
    expect(await (await answer).text()).toBe('done');
    await closing;
  });

  it('cuts what does not end by the deadline', async () => {
    const { promise: come, resolve: comes } = Promise.withResolvers<void>();
    const rig = await startListenerRig({ acp: { handle: async () => comes() } });
    const hanging = fetch(`${rig.listener.url}/acp`, { headers: AUTH }).catch((error: unknown) => error);
    await come;
    await rig.listener.close(50);
    expect(await hanging).toBeInstanceOf(Error);
  });

  it('rejects when the port is taken', async () => {
    await using rig = await startListenerRig();
    await expect(startListenerRig({ port: rig.listener.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('the listener with TLS', () => {
  it('speaks HTTP/2 and HTTP/1.1 on one port, upgrades too, and stops', async () => {
    const { key, cert } = makeCertificate();
    await using rig = await startListenerRig({ tls: { key, cert } });
    const { url, port } = rig.listener;
    expect(url).toBe(`https://127.0.0.1:${port}`);

    const session = connectHttp2(url, { ca: cert });
    const stream = session.request({ ':path': '/v1/health', ...AUTH });
    const headers = await new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve));
    expect(headers[':status']).toBe(200);
    stream.resume();
    const strange = session.request({ ':path': '/v1/sessions' });
    expect(await new Promise((resolve) => strange.once('response', (told) => resolve(told[':status'])))).toBe(401);
    strange.resume();

    const status = await new Promise((resolve, reject) => {
      const request = httpsRequest(`${url}/v1/health`, { ca: cert }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      request.on('error', reject).end();
    });
    expect(status).toBe(200);

    const say = async (text: string): Promise<string> => {
      const socket = connectTls({ port, host: '127.0.0.1', ca: cert, ALPNProtocols: ['http/1.1'] });
      socket.write(text);
      const answer = await new Promise<Buffer>((resolve, reject) => socket.once('data', resolve).once('error', reject));
      socket.destroy();
      return answer.toString();
    };
    const upgrade = (to: string): string =>
      `GET /acp?access_token=${TOKEN} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: ${to}\r\n\r\n`;
    expect(await say(upgrade('websocket'))).toMatch(/^HTTP\/1.1 101 /);
    expect(await say(upgrade('h2c'))).toMatch(/^HTTP\/1.1 200 /);
    expect(await say(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 431 /,
    );
    expect(await say('nonsense\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);

    const gone = new Promise((resolve) => session.once('close', resolve));
    await rig.listener.close(5_000);
    await gone;
    expect(rig.onError).not.toHaveBeenCalled();
  });
});

function makeCertificate(): { key: Buffer; cert: Buffer } {
  const directory = mkdtempSync(join(tmpdir(), 'reeve-tls-'));
  const [keyFile, certFile] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  execFileSync('openssl', [...made, ...subject, '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' });
  const [key, cert] = [readFileSync(keyFile), readFileSync(certFile)];
  rmSync(directory, { recursive: true });
  return { key, cert };
}
