import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import type { Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { httpUpstream, type ProxyRig, readAll, startProxy, tcpUpstream } from './proxy.rig.ts';

const connectTo = (endpoint: string) => `CONNECT ${endpoint} HTTP/1.1\r\nHost: ${endpoint}\r\n\r\n`;
const established = 'HTTP/1.1 200 Connection established\r\n\r\n';

/** Opens a tunnel and reads past the answer. */
async function tunnel(proxy: ProxyRig, endpoint: string): Promise<Socket> {
  const socket = await proxy.open();
  socket.write(connectTo(endpoint));
  let read = Buffer.alloc(0);
  while (read.length < established.length) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    socket.pause();
    read = Buffer.concat([read, chunk]);
    if (read.length < established.length) socket.resume();
  }
  expect(read.subarray(0, established.length).toString()).toBe(established);
  socket.unshift(read.subarray(established.length));
  return socket;
}

const nothing = () => {
  throw new Error('nothing should have come here');
};

describe('CONNECT', () => {
  it('carries bytes both ways bit for bit, and each end of a direction', async () => {
    const sent = randomBytes(8 << 20);
    await using service = await tcpUpstream((socket) => {
      const digest = createHash('sha256');
      socket.on('data', (chunk) => digest.update(chunk));
      socket.on('end', () => {
        socket.write(digest.digest());
        socket.end(sent);
      });
    });
    await using proxy = await startProxy({ allow: [service.endpoint] });
    const socket = await tunnel(proxy, service.endpoint);
    const received = readAll(socket);
    socket.end(sent);
    const bytes = await received;
    expect(bytes.subarray(0, 32)).toEqual(createHash('sha256').update(sent).digest());
    expect(bytes.subarray(32).equals(sent)).toBe(true);
    expect(proxy.decisions).toEqual([
      { at: expect.any(Number), host: '127.0.0.1', port: service.port, decision: 'allowed', reason: 'declared' },
    ]);
  });

  it('carries what came in one piece with the request, and what the server says first', async () => {
    await using service = await tcpUpstream((socket) => {
      socket.write('first ');
      socket.pipe(socket);
    });
    await using proxy = await startProxy({ allow: [service.endpoint] });
    const socket = await proxy.open();
    socket.end(`${connectTo(service.endpoint)}early`);
    expect((await readAll(socket)).toString()).toBe(`${established}first early`);
  });

  it('refuses a host that is not declared, with what to do about it, and connects nowhere', async () => {
    await using service = await tcpUpstream(nothing);
    await using proxy = await startProxy({ allow: ['declared.example'] });
    const answer = await proxy.exchange(connectTo(service.endpoint));
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(answer).toContain(
      `${service.endpoint} is not in this session's boundary. Ask whoever runs the session to add`,
    );
    expect(proxy.verdicts()).toEqual(['denied: not-declared']);
    expect(service.connections()).toBe(0);
  });

  it.each([
    ...['127.1:80', '0x7f000001:80', 'localhost:0', 'localhost:65536', 'localhost', 'user@localhost:80', '[::1%lo]:80'],
    'http://localhost:80',
  ])('refuses %s, which can be read in two ways', async (endpoint) => {
    await using proxy = await startProxy({ allow: ['localhost', '127.0.0.1', '[::1]'] });
    expect(await proxy.exchange(connectTo(endpoint))).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    if (proxy.decisions.length > 0) expect(proxy.verdicts()).toEqual(['denied: malformed']);
    expect(proxy.decisions.every(({ host }) => host === '')).toBe(true);
  });

  it('stops reading the server when the client reads no further', async () => {
    let written = 0;
    await using service = await tcpUpstream((socket) => {
      const chunk = Buffer.alloc(1 << 16);
      const pump = () => {
        while (socket.writable && written < 256 << 20) {
          written += chunk.length;
          if (!socket.write(chunk)) return void socket.once('drain', pump);
        }
      };
      pump();
    });
    await using proxy = await startProxy({ allow: [service.endpoint] });
    const socket = await tunnel(proxy, service.endpoint);
    let before = -1;
    await vi.waitFor(
      () => {
        const was = before;
        before = written;
        expect(written).toBe(was);
      },
      { timeout: 60_000, interval: 300 },
    );
    expect(written).toBeLessThan(64 << 20);
    socket.destroy();
    await expect.poll(() => service.sockets.size).toBe(0);
  });

  it('closes the other side when one breaks off', async () => {
    await using service = await tcpUpstream((socket) => void socket.on('end', () => socket.end()).resume());
    await using proxy = await startProxy({ allow: [service.endpoint] });
    const one = await tunnel(proxy, service.endpoint);
    await expect.poll(() => service.sockets.size).toBe(1);
    one.destroy();
    await expect.poll(() => service.sockets.size).toBe(0);
    const two = await tunnel(proxy, service.endpoint);
    await expect.poll(() => service.sockets.size).toBeGreaterThan(0);
    for (const socket of service.sockets) socket.resetAndDestroy();
    await readAll(two);
    await expect.poll(() => proxy.connections()).toBe(0);
  });

  it('closes a connection that one side has ended when the other stays silent', async () => {
    await using service = await tcpUpstream((socket) => void socket.resume());
    await using proxy = await startProxy({ allow: [service.endpoint], limits: { halfOpenTimeoutMs: 100 } });
    const socket = await tunnel(proxy, service.endpoint);
    socket.end('bye');
    expect(await readAll(socket)).toEqual(Buffer.alloc(0));
    await expect.poll(() => proxy.connections()).toBe(0);
  });
});

describe('a name', () => {
  it('that leads to loopback is refused, though the name is declared', async () => {
    await using service = await tcpUpstream(nothing);
    const endpoint = `rebound.example:${service.port}`;
    const lookup = async () => ['127.0.0.1'];
    await using proxy = await startProxy({ allow: [endpoint], lookup });
    const answer = await proxy.exchange(connectTo(endpoint));
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer).toContain(`127.0.0.1:${service.port} (loopback)`);
    expect(proxy.verdicts()).toEqual(['denied: special-address']);
    expect(service.connections()).toBe(0);
  });

  it('is looked up once for a connection, so that the address dialled is the one that was checked', async () => {
    await using service = await tcpUpstream((socket) => void socket.end('here'));
    const endpoint = `inner.example:${service.port}`;
    const lookup = vi.fn(async () => ['127.0.0.1']);
    await using proxy = await startProxy({ allow: [endpoint, service.endpoint], lookup });
    expect(await proxy.exchange(connectTo(endpoint))).toBe(`${established}here`);
    expect(lookup).toHaveBeenCalledTimes(1);
    expect(proxy.decisions).toMatchObject([{ host: 'inner.example', port: service.port, decision: 'allowed' }]);
  });

  it('is never looked up if it is not declared', async () => {
    const lookup = vi.fn(async () => ['93.184.215.14']);
    await using proxy = await startProxy({ allow: ['a.example'], lookup });
    await proxy.exchange(connectTo('secret.evil.example:443'));
    expect(lookup).not.toHaveBeenCalled();
  });

  it('without an address, and a host that takes no connection, are a bad gateway', async () => {
    const closed = await tcpUpstream(nothing);
    await closed[Symbol.asyncDispose]();
    const lookup = () => Promise.reject(new Error('ENOTFOUND'));
    await using proxy = await startProxy({ allow: ['a.example', closed.endpoint], lookup });
    expect(await proxy.exchange(connectTo('a.example:443'))).toMatch(/^HTTP\/1\.1 502 .*has no address now/s);
    expect(await proxy.exchange(connectTo(closed.endpoint))).toMatch(/^HTTP\/1\.1 502 .*takes no connection/s);
    expect(proxy.verdicts()).toEqual(['failed: unresolved', 'failed: unreachable']);
  });

  it('that is not resolved in time is a gateway time-out', async () => {
    const lookup = () => new Promise<never>(() => {});
    await using proxy = await startProxy({ allow: ['a.example'], lookup, limits: { connectTimeoutMs: 50 } });
    expect(await proxy.exchange(connectTo('a.example:443'))).toMatch(/^HTTP\/1\.1 504 /);
    expect(proxy.verdicts()).toEqual(['failed: timeout']);
  });

  it('is given up when the one who asked is gone', async () => {
    const lookup = vi.fn(() => new Promise<never>(() => {}));
    await using proxy = await startProxy({ allow: ['a.example'], lookup });
    const socket = await proxy.open();
    socket.write(connectTo('a.example:443'));
    await expect.poll(() => lookup).toHaveBeenCalled();
    await proxy[Symbol.asyncDispose]();
    await expect.poll(() => proxy.verdicts()).toEqual(['failed: abandoned']);
  });

  it('waits for no more than so many others', async () => {
    const lookup = () => new Promise<never>(() => {});
    const limits = { maxLookups: 2, connectTimeoutMs: 1000 };
    await using proxy = await startProxy({ allow: ['*.a.example'], lookup, limits });
    const asked = ['1', '2', '2', '3'].map((name) => proxy.exchange(connectTo(`${name}.a.example:443`)));
    const statuses = (await Promise.all(asked)).map((answer) => answer.slice(9, 12)).sort();
    expect(statuses).toEqual(['502', '504', '504', '504']);
  });
});

describe('the proxy', () => {
  it('listens where only its own user can open it', async () => {
    await using proxy = await startProxy({ allow: [] });
    expect(statSync(proxy.path).mode & 0o777).toBe(0o600);
  });

  it('refuses what was meant for a server, and another scheme than http', async () => {
    await using proxy = await startProxy({ allow: ['a.example'] });
    expect(await proxy.exchange('GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 .*HTTPS_PROXY/s,
    );
    expect(await proxy.exchange('GET https://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 .*CONNECT/s,
    );
    expect(proxy.verdicts()).toEqual(['denied: malformed', 'denied: malformed']);
  });

  it('refuses headers above its limit, and who takes too long to send them', async () => {
    await using proxy = await startProxy({ allow: [], limits: { maxHeaderBytes: 4_096, headersTimeoutMs: 1000 } });
    const head = 'GET http://a.example/ HTTP/1.1\r\n';
    expect(await proxy.exchange(`${head}X: ${'a'.repeat(5_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
    expect(await proxy.exchange(head)).toMatch(/^HTTP\/1\.1 408 /);
    expect(await proxy.exchange(`${head}X: ${'a'.repeat(3_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 403 /);
    expect(proxy.verdicts()).toEqual(['denied: not-declared']);
  });

  it('takes no more connections than its limit, says so once, and takes one again when another has gone', async () => {
    await using service = await tcpUpstream((socket) => void socket.pipe(socket));
    await using proxy = await startProxy({ allow: [service.endpoint], limits: { maxConnections: 2 } });
    const [first] = [await tunnel(proxy, service.endpoint), await tunnel(proxy, service.endpoint)];
    for (let extra = 0; extra < 3; extra += 1) expect(await proxy.exchange('')).toBe('');
    expect(proxy.verdicts().filter((verdict) => verdict.includes('too-many'))).toEqual([
      'denied: too-many-connections',
    ]);
    first?.destroy();
    await vi.waitFor(async () => (await tunnel(proxy, service.endpoint)).destroy(), 60_000);
  });

  it('opens no more connections than its limit for requests that one connection sends ahead', async () => {
    await using service = await tcpUpstream((socket) => void socket.on('end', () => socket.end()).resume());
    await using proxy = await startProxy({ allow: [service.endpoint], limits: { maxConnections: 3 } });
    const socket = await proxy.open();
    const one = `GET http://${service.endpoint}/ HTTP/1.1\r\nHost: x\r\n\r\n`;
    socket.write(one.repeat(8));
    await expect.poll(() => proxy.decisions).toHaveLength(8);
    await expect.poll(() => service.connections()).toBe(3);
    expect(proxy.verdicts().filter((verdict) => verdict === 'denied: too-many-connections')).toHaveLength(5);
    socket.write(one.repeat(9));
    expect(await readAll(socket)).toEqual(Buffer.alloc(0));
    await expect.poll(() => [proxy.connections(), service.sockets.size]).toEqual([0, 0]);
  });

  it('makes no tunnel of a connection that still waits for an answer', async () => {
    await using service = await tcpUpstream(() => {});
    await using proxy = await startProxy({ allow: [service.endpoint] });
    const socket = await proxy.open();
    socket.write(`GET http://${service.endpoint}/ HTTP/1.1\r\nHost: x\r\n\r\n${connectTo(service.endpoint)}`);
    expect(await readAll(socket)).toEqual(Buffer.alloc(0));
  });

  it('survives any bytes, and answers as before', async () => {
    await using service = await httpUpstream((_, response) => void response.end('fine'));
    await using proxy = await startProxy({ allow: [service.endpoint] });
    const start = fc.constantFrom('', 'GET http://', `CONNECT ${service.endpoint}`, `GET http://${service.endpoint}/`);
    const end = fc.constantFrom('', ' HTTP/1.1\r\n', ' HTTP/1.1\r\n\r\n', '\r\n\r\n');
    const bytes = fc.string({ unit: 'binary' });
    await fc.assert(
      fc.asyncProperty(start, bytes, end, bytes, async (...parts) => {
        const socket = await proxy.open();
        socket.end(parts.join(''));
        await readAll(socket);
      }),
      { numRuns: 200 },
    );
    const plain = `GET http://${service.endpoint}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    expect(await proxy.exchange(plain)).toContain('fine');
  });

  it('closes a connection without a request after its idle time', async () => {
    await using service = await httpUpstream((_, response) => void response.end());
    await using proxy = await startProxy({ allow: [service.endpoint], limits: { idleTimeoutMs: 500 } });
    expect(await proxy.exchange(`GET http://${service.endpoint}/ HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 200 /,
    );
  });

  it('never says which path was asked for, nor a header or body', async () => {
    await using service = await httpUpstream((request, response) => void request.pipe(response));
    await using proxy = await startProxy({ allow: [service.endpoint] });
    await proxy.exchange(
      `POST http://${service.endpoint}/s3cret?s3cret HTTP/1.1\r\nHost: s3cret\r\nX: s3cret\r\nConnection: close\r\nContent-Length: 6\r\n\r\ns3cret`,
    );
    await proxy.exchange('GET http://other.example/s3cret HTTP/1.1\r\nHost: s3cret\r\nConnection: close\r\n\r\n');
    await proxy.exchange('GET http://s3cret@other.example/ HTTP/1.1\r\nHost: s3cret\r\nConnection: close\r\n\r\n');
    expect(proxy.verdicts()).toEqual(['allowed: declared', 'denied: not-declared', 'denied: malformed']);
    expect(JSON.stringify(proxy.decisions)).not.toContain('s3cret');
  });
});
