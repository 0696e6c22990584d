import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { httpUpstream, type ProxyRig, readAll, startProxy, tcpUpstream } from './proxy.rig.ts';

/** Asks through the proxy as a client would that sends its requests whole. */
async function ask(proxy: ProxyRig, url: string, { agent, ...options }: AskOptions = {}): Promise<IncomingMessage> {
  const outgoing = request({
    socketPath: proxy.path,
    path: url,
    method: options.method ?? 'GET',
    headers: options.headers ?? {},
    agent: agent ?? false,
  });
  for (const chunk of options.body ?? []) outgoing.write(chunk);
  outgoing.end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return answer;
}

interface AskOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: readonly Buffer[];
  readonly agent?: Agent;
}

async function bodyOf(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

describe('a plain request', () => {
  it('goes where its request line says, with that Host, whatever its own says', async () => {
    await using service = await httpUpstream((incoming, response) => {
      response.end(JSON.stringify({ url: incoming.url, raw: incoming.rawHeaders }));
    });
    await using proxy = await startProxy({ allow: [service.endpoint] });
    const answer = await proxy.exchange(
      `GET http://${service.endpoint}/a?b HTTP/1.1\r\nHost: evil.example\r\nProxy-Authorization: Basic x\r\nX-Own: 1\r\nConnection: close, x-own\r\n\r\n`,
    );
    const { url, raw } = JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1));
    expect(url).toBe('/a?b');
    expect(raw).toEqual(['Host', service.endpoint, 'Connection', 'close']);
  });

  it('keeps its connection for further ones, each of which is decided by itself', async () => {
    await using service = await httpUpstream((incoming, response) => void response.end(incoming.url));
    await using proxy = await startProxy({ allow: [service.endpoint] });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<unknown>();
    const answers: string[] = [];
    for (const url of [`http://${service.endpoint}/1`, 'http://other.example/', `http://${service.endpoint}/2`]) {
      const answer = await ask(proxy, url, { agent });
      ports.add(answer.socket);
      answers.push(`${answer.statusCode} ${(await bodyOf(answer)).toString().slice(0, 13)}`);
    }
    agent.destroy();
    expect(answers).toEqual(['200 /1', '403 other.example', '200 /2']);
    expect(ports.size).toBeLessThan(3);
    expect(proxy.verdicts()).toEqual(['allowed: declared', 'denied: not-declared', 'allowed: declared']);
  });

  it('carries bodies both ways bit for bit, chunked or measured', async () => {
    await using service = await httpUpstream((incoming, response) => {
      const length = incoming.headers['content-length'];
      response.writeHead(200, {
        'X-Length': length ?? 'chunked',
        ...(length === undefined ? {} : { 'Content-Length': length }),
      });
      incoming.pipe(response);
    });
    await using proxy = await startProxy({ allow: [service.endpoint] });
    const body = [randomBytes(3 << 20), randomBytes(1), randomBytes(5 << 20)];
    const whole = Buffer.concat(body);
    for (const headers of [{ 'Content-Length': `${whole.length}` }, {}]) {
      const answer = await ask(proxy, `http://${service.endpoint}/`, { method: 'POST', headers, body });
      expect(answer.headers['x-length']).toBe('Content-Length' in headers ? `${whole.length}` : 'chunked');
      const echoed = await bodyOf(answer);
      expect(createHash('sha256').update(echoed).digest('hex')).toBe(createHash('sha256').update(whole).digest('hex'));
    }
  });

  it('with two ways to measure its body is refused, and reaches nobody', async () => {
    await using service = await tcpUpstream(() => {});
    await using proxy = await startProxy({ allow: [service.endpoint] });
    const head = `POST http://${service.endpoint}/ HTTP/1.1\r\nHost: x\r\n`;
    const smuggled = '0\r\n\r\nGET /admin HTTP/1.1\r\nHost: x\r\n\r\n';
    for (const framing of [
      'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n',
      'Content-Length: 4\r\nContent-Length: 5\r\n',
      'Transfer-Encoding: identity, chunked, x\r\n',
      'Transfer-Encoding : chunked\r\n',
      'Content-Length: +4\r\n',
      'Transfer-Encoding: gzip, chunked\r\n',
    ]) {
      expect(await proxy.exchange(`${head}${framing}\r\n${smuggled}`)).toMatch(/^HTTP\/1\.1 400 /);
    }
    expect(service.connections()).toBe(0);
  });

  it('gets each event of a stream as it comes', async () => {
    let push = (_: string) => {};
    await using service = await httpUpstream((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.flushHeaders();
      push = (text) => void response.write(text);
    });
    await using proxy = await startProxy({ allow: [service.endpoint] });
    const answer = await ask(proxy, `http://${service.endpoint}/`);
    for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
      push(event);
      const [chunk] = (await once(answer, 'data')) as [Buffer];
      expect(chunk.toString()).toBe(event);
    }
    answer.destroy();
    await expect.poll(() => service.sockets.size).toBe(0);
  });

  it('gets an answer that comes before its body is sent', async () => {
    await using service = await httpUpstream((_, response) => {
      response.writeHead(413, { Connection: 'close' });
      response.end('too much');
    });
    await using proxy = await startProxy({ allow: [service.endpoint] });
    const socket = await proxy.open();
    socket.write(`POST http://${service.endpoint}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n`);
    let received = '';
    const closed = once(socket, 'close');
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.write(Buffer.alloc(1 << 20));
    await expect.poll(() => received).toContain('too much');
    socket.destroy();
    await closed;
    expect(received).toMatch(/^HTTP\/1\.1 413 .*too much/s);
  });

  it.each([
    ['breaks off before its answer', '', 502],
    ['changes protocols unasked', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n', 502],
    ['answers what is not HTTP', 'SSH-2.0-OpenSSH\r\n', 502],
    ['answers a header above the limit', `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`, 502],
  ])('to a server that %s is a bad gateway', async (_, said, status) => {
    await using service = await tcpUpstream((socket) => void socket.once('data', () => socket.end(said)));
    await using proxy = await startProxy({ allow: [service.endpoint] });
    const answer = await ask(proxy, `http://${service.endpoint}/`);
    expect(answer.statusCode).toBe(status);
    answer.resume();
  });

  it('is cut off where its server breaks off, and never looks complete', async () => {
    await using service = await tcpUpstream((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart');
        setTimeout(() => socket.destroy(), 20);
      });
    });
    await using proxy = await startProxy({ allow: [service.endpoint] });
    const answer = await ask(proxy, `http://${service.endpoint}/`);
    await expect(bodyOf(answer)).rejects.toThrow('aborted');
  });

  it('leaves nothing open at its server when the client goes', async () => {
    await using service = await httpUpstream(() => {});
    await using proxy = await startProxy({ allow: [service.endpoint] });
    const socket = await proxy.open();
    socket.write(`GET http://${service.endpoint}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    await expect.poll(() => service.sockets.size).toBe(1);
    socket.destroy();
    await expect.poll(() => service.sockets.size).toBe(0);
  });
});

describe('a request to change protocols', () => {
  const upgrade = (endpoint: string) =>
    `GET http://${endpoint}/socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\n\r\n`;

  it('becomes a tunnel when the server agrees', async () => {
    await using service = await httpUpstream(() => {});
    service.server.on('upgrade', (incoming, socket, head) => {
      expect(incoming.headers).toMatchObject({ host: service.endpoint, 'sec-websocket-key': 'k' });
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello `);
      socket.write(head);
      socket.pipe(socket);
    });
    await using proxy = await startProxy({ allow: [service.endpoint] });
    const socket = await proxy.open();
    socket.end(`${upgrade(service.endpoint)}frames`);
    const text = (await readAll(socket)).toString();
    expect(text).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
    expect(text).toMatch(/\r\n\r\nhello frames$/);
  });

  it('gets the answer of a server that does not', async () => {
    await using service = await httpUpstream((_, response) => void response.writeHead(426, 'No').end('not here'));
    await using proxy = await startProxy({ allow: [service.endpoint] });
    expect(await proxy.exchange(upgrade(service.endpoint))).toMatch(/^HTTP\/1\.1 426 No\r\n.*\r\n\r\nnot here$/s);
  });

  it('is refused to a host that is not declared', async () => {
    await using proxy = await startProxy({ allow: [] });
    expect(await proxy.exchange(upgrade('a.example'))).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('to anything but a websocket is forwarded without that wish', async () => {
    await using service = await httpUpstream((incoming, response) => void response.end(`${incoming.headers.upgrade}`));
    await using proxy = await startProxy({ allow: [service.endpoint] });
    const headers = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'x' };
    const answer = await ask(proxy, `http://${service.endpoint}/`, { headers });
    expect((await bodyOf(answer)).toString()).toBe('undefined');
  });
});
