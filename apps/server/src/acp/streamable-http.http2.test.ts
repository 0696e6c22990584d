import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type ClientHttp2Session, connect, constants, createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionId } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import { deliver, type FakeConnection, INITIALIZE, SESSION, startRig, updates } from './streamable-http.rig.ts';

describe('streamable HTTP over HTTP/2', () => {
  it('carries messages and streams of one connection on one socket', async () => {
    await using rig = await startRig();
    const directory = mkdtempSync(join(tmpdir(), 'reeve-tls-'));
    const [keyFile, certFile] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    execFileSync('openssl', [...made, ...subject, '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' });
    const [key, cert] = [readFileSync(keyFile), readFileSync(certFile)];
    rmSync(directory, { recursive: true });
    const server = createSecureServer(
      { key, cert, allowHTTP1: true },
      (request, response) => void rig.http.handle(request, response),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const session = connect(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, { ca: cert });
    try {
      const opened = await exchange(session, { ':method': 'POST', 'content-type': 'application/json' }, INITIALIZE);
      expect(opened.status).toBe(200);
      const connection = rig.connections[0] as FakeConnection;
      expect(opened.headers['acp-connection-id']).toBe(connection.id);
      const ids = { 'acp-connection-id': connection.id, 'acp-session-id': SESSION };
      const stream = session.request({ ':path': '/acp', accept: 'text/event-stream', ...ids });
      let text = '';
      stream.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      await new Promise((resolve) => stream.once('response', resolve));
      deliver(connection, updates(1000));
      await expect.poll(() => text.split('\n\n').length - 1).toBe(1000);
      await connection.transport.sink(SESSION).drained();
      const other = session.request({
        ':path': '/acp',
        accept: 'text/event-stream',
        ...ids,
        'acp-session-id': 'other',
      });
      await new Promise((resolve) => other.once('response', resolve));
      const sink = connection.transport.sink('other' as SessionId);
      expect(sink.backlogBytes).toBe(0);
      other.close(constants.NGHTTP2_CANCEL);
      await expect.poll(() => sink.backlogBytes).toBe(Number.POSITIVE_INFINITY);
      const posted = await exchange(
        session,
        { ':method': 'POST', 'content-type': 'application/json', ...ids },
        '{"jsonrpc":"2.0","method":"x"}',
      );
      expect(posted.status).toBe(202);
      const long = await exchange(
        session,
        { ':method': 'POST', 'content-type': 'application/json' },
        ' '.repeat(70_000),
      );
      expect(long.status).toBe(413);
      const ended = await exchange(session, { ':method': 'DELETE', ...ids });
      expect(ended.status).toBe(202);
      await expect.poll(() => stream.closed).toBe(true);
      expect(connection.vanished).toHaveLength(1);
    } finally {
      session.destroy();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

async function exchange(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  body = '',
): Promise<{ status: number; headers: Record<string, unknown>; text: string }> {
  const stream = session.request({ ':path': '/acp', ...headers });
  if (body !== '') stream.end(body);
  const answer = await new Promise<Record<string, unknown>>((resolve, reject) => {
    stream.once('response', resolve);
    stream.once('error', reject);
  });
  let text = '';
  for await (const part of stream.setEncoding('utf8')) text += String(part);
  return { status: Number(answer[':status']), headers: answer, text };
}
