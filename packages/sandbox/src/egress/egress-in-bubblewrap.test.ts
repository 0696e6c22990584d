import { createHash, randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { bubblewrapWorks, type ConfinedOptions, confine } from './bubblewrap.rig.ts';
import { httpUpstream, tcpUpstream, type Upstream } from './proxy.rig.ts';

/** A script that prints what its promise resolves to, as JSON. */
const printing = (body: string) =>
  `(async () => { ${body} })().then((value) => console.log(JSON.stringify(value)), (error) => { console.error(error); process.exitCode = 1; });`;

async function outcome(body: string, options: ConfinedOptions): Promise<unknown> {
  await using confined = confine(printing(body), options);
  expect((await confined.ready).kind).not.toBe('failed');
  const { code, stdout, stderr } = await confined.ended;
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const nobody = 65_534;
const users: readonly (readonly [string, { readonly uid?: number }])[] =
  process.getuid?.() === 0
    ? [
        ['root', {}],
        ['an unprivileged user', { uid: nobody }],
      ]
    : [['this user', {}]];

const named = async () => ['127.0.0.1'];

/** An address that the name `service.example` may have: the service's own, declared beside the name. */
const byName = (service: Upstream) => ({
  allow: [`service.example:${service.port}`, service.endpoint],
  lookup: named,
});

describe.runIf(bubblewrapWorks).each(users)('inside bubblewrap, as %s', (_, user) => {
  it('fetch reaches a declared host through the proxy by environment alone, and a service on loopback directly', async () => {
    await using service = await httpUpstream((incoming, response) => void response.end(`${incoming.headers.host}`));
    const { port } = service;
    const result = await outcome(
      `const text = async (url) => (await fetch(url)).text();
       return [await text('http://service.example:${port}/'), await text('http://127.0.0.1:${port}/'), await text('http://localhost:${port}/')];`,
      { ...user, ...byName(service), env: { NODE_USE_ENV_PROXY: '1' } },
    );
    expect(result).toEqual([`service.example:${port}`, `127.0.0.1:${port}`, `localhost:${port}`]);
  });

  it('a host that is not declared is refused, and the refusal says why', async () => {
    const result = await outcome(
      `const answer = await new Promise((done) => require('http').request(
         { host: '127.0.0.1', port: 3128, method: 'CONNECT', path: 'denied.example:443' }).on('connect', (res, socket, head) => {
           let text = head.toString(); socket.on('data', (c) => text += c).on('end', () => done([res.statusCode, text]));
         }).end());
       const direct = await fetch('https://denied.example/').then(() => 'reached', () => 'refused');
       return [...answer, direct];`,
      { ...user, allow: ['a.example'] },
    );
    expect(result).toEqual([
      403,
      expect.stringContaining("denied.example:443 is not in this session's boundary"),
      'refused',
    ]);
  });

  it('nothing reaches the host by TCP, UDP, raw or abstract sockets', async () => {
    const touched = vi.fn();
    await using tcp = await tcpUpstream(touched);
    const udp = createSocket('udp4', touched);
    udp.bind(0, '127.0.0.1');
    await once(udp, 'listening');
    const name = `\0reeve-${randomBytes(8).toString('hex')}`;
    const abstract = createServer(touched);
    await once(abstract.listen(name), 'listening');
    const script = `
      const net = require('net');
      const tries = (options) => new Promise((done) => net.connect(options).on('connect', () => done('reached')).on('error', (e) => done(e.code)));
      const udp = require('dgram').createSocket('udp4');
      udp.send('x', ${udp.address().port}, '127.0.0.1');
      const own = Object.keys(require('os').networkInterfaces());
      const all = [await tries({ port: ${tcp.port}, host: '127.0.0.1' }), await tries({ port: 53, host: '1.1.1.1' }),
        await tries({ path: ${JSON.stringify(name)} })];
      await new Promise((done) => setTimeout(done, 100));
      udp.close();
      return [own, ...all];`;
    const result = await outcome(script, { ...user, allow: ['a.example'] });
    expect(result).toEqual([['lo'], 'ECONNREFUSED', 'ENETUNREACH', 'ECONNREFUSED']);
    expect(touched).not.toHaveBeenCalled();
    udp.close();
    abstract.close();
  });

  it('the command has no channel to the server, and does not know that there was one', async () => {
    const script = `
      const fs = require('fs');
      const links = fs.readdirSync('/proc/self/fd').map((fd) => { try { return fs.readlinkSync('/proc/self/fd/' + fd) } catch { return '' } });
      return [Object.keys(process.env).filter((name) => name.startsWith('NODE_CHANNEL')), typeof process.send, links.filter((link) => link.startsWith('socket:')).length];`;
    // Of its stdio, two are sockets of Node's spawn.
    expect(await outcome(script, { ...user, allow: ['a.example'] })).toEqual([[], 'undefined', 2]);
  });
});

describe.runIf(bubblewrapWorks)('the way out of a sandbox', () => {
  it('carries 200 connections at once, through the proxy and directly', async () => {
    await using service = await tcpUpstream((socket) => void socket.pipe(socket));
    const script = `
      const net = require('net');
      const one = (index) => new Promise((done, fail) => {
        const socket = net.connect(index % 2 ? ${service.port} : 3128, '127.0.0.1');
        const word = 'connection ' + index;
        let text = '';
        socket.on('data', (c) => { text += c; if (text.endsWith(word)) socket.end(); }).on('end', () => done(text.endsWith(word))).on('error', fail);
        if (index % 2 === 0) socket.write('CONNECT ${service.endpoint} HTTP/1.1\\r\\n\\r\\n');
        socket.write(word);
      });
      return (await Promise.all(Array.from({ length: 200 }, (_, index) => one(index)))).filter(Boolean).length;`;
    expect(await outcome(script, { allow: [service.endpoint] })).toBe(200);
    expect(service.connections()).toBe(200);
  });

  it('carries big bodies both ways bit for bit', async () => {
    const body = randomBytes(24 << 20);
    const digest = createHash('sha256').update(body).digest('hex');
    await using service = await httpUpstream(async (incoming, response) => {
      const hash = createHash('sha256');
      for await (const chunk of incoming) hash.update(chunk as Buffer);
      response.writeHead(200, { 'X-Digest': hash.digest('hex') });
      response.end(body);
    });
    const script = `
      const { createHash, randomBytes } = require('crypto');
      const sent = randomBytes(24 << 20);
      const hex = (bytes) => createHash('sha256').update(bytes).digest('hex');
      const results = [];
      for (const url of ['http://service.example:${service.port}/', 'http://127.0.0.1:${service.port}/']) {
        const answer = await fetch(url, { method: 'POST', body: sent });
        results.push(answer.headers.get('x-digest') === hex(sent), hex(Buffer.from(await answer.arrayBuffer())));
      }
      return results;`;
    expect(await outcome(script, byName(service))).toEqual([true, digest, true, digest]);
  });

  it('delivers each event of a stream as it is sent', async () => {
    await using service = await httpUpstream((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      let sent = 0;
      const timer = setInterval(() => {
        response.write(`data: ${Date.now()}\n\n`);
        sent += 1;
        if (sent < 5) return;
        clearInterval(timer);
        response.end();
      }, 40);
    });
    const script = `
      const late = [];
      for (const url of ['http://service.example:${service.port}/', 'http://127.0.0.1:${service.port}/']) {
        for await (const chunk of (await fetch(url)).body) {
          for (const line of Buffer.from(chunk).toString().match(/\\d+/g)) late.push(Date.now() - Number(line));
        }
      }
      return late;`;
    const late = (await outcome(script, byName(service))) as number[];
    expect(late).toHaveLength(10);
    expect(late.sort((a, b) => a - b)[5]).toBeLessThan(30);
  });

  it('carries a websocket through CONNECT', async () => {
    await using service = await httpUpstream(() => {});
    service.server.on('upgrade', (incoming, socket: Socket) => {
      const accept = createHash('sha1')
        .update(`${incoming.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
        .digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      socket.write(Buffer.from([0x81, 5, ...Buffer.from('hello')]));
      socket.once('data', () => socket.end(Buffer.from([0x88, 2, 0x03, 0xe8])));
    });
    const script = `
      const socket = new WebSocket('ws://service.example:${service.port}/');
      return new Promise((done, fail) => {
        const words = [];
        socket.onmessage = ({ data }) => { words.push(data); socket.send('bye'); };
        socket.onclose = ({ code }) => done([...words, code]);
        socket.onerror = (event) => fail(event.error ?? event);
      });`;
    await using confined = confine(printing(script), byName(service));
    const { stdout, stderr } = await confined.ended;
    expect([stdout, stderr.includes('Error')]).toEqual(['["hello",1000]\n', false]);
    expect(confined.decisions).toMatchObject([{ host: 'service.example', port: service.port, decision: 'allowed' }]);
  });

  it('is open from the first instruction of the command', async ({ skip }) => {
    await using service = await tcpUpstream((socket) => void socket.end('at once'));
    const bash = '/bin/bash';
    if (!existsSync(bash)) return skip('there is no bash, which connects sooner than Node');
    const command = [bash, '-c', `exec 3<>/dev/tcp/127.0.0.1/${service.port} && cat <&3`];
    for (let round = 0; round < 20; round += 1) {
      await using confined = confine('', { allow: [service.endpoint], command });
      expect(await confined.ended).toEqual({ code: 0, stdout: 'at once', stderr: '' });
    }
  });

  it('has a listener for as many services on loopback as may be declared', async () => {
    const allow = Array.from({ length: 64 }, (_, index) => `127.0.0.1:${20_000 + index}`);
    await using confined = confine('', { allow, command: ['/bin/sh', '-c', 'cat /proc/net/tcp; sleep 60'] });
    expect(await confined.ready).toEqual({ kind: 'ready' });
    await expect.poll(() => confined.stdout().match(/ 0A /g)).toHaveLength(65);
  });

  it('closes all there was when the child dies', async () => {
    await using service = await tcpUpstream((socket) => void socket.on('end', () => socket.end()).resume());
    const script = `
      const net = require('net');
      for (let index = 0; index < 20; index += 1) net.connect(${service.port}, '127.0.0.1').write('x');
      setInterval(() => {}, 1000);`;
    await using confined = confine(script, { allow: [service.endpoint] });
    await expect.poll(() => service.sockets.size).toBe(20);
    const handles = () => process.getActiveResourcesInfo().filter((kind) => kind.startsWith('TCP')).length;
    confined.child.kill('SIGKILL');
    await confined.ended;
    await expect.poll(() => service.sockets.size).toBe(0);
    await expect.poll(() => handles()).toBe(1); // The listener of the service itself.
  });

  it('says that the process ended when its command cannot be run, and leaves nothing', async () => {
    await using confined = confine('', { allow: ['a.example'], command: ['/no/such/program'] });
    const { code, stderr } = await confined.ended;
    expect((await confined.ready).kind).not.toBe('failed');
    expect(code).toBe(126);
    expect(stderr).toContain('the sandbox cannot execute the command');
  });

  it('keeps the exit code and the last words of a child that never came as far as its network', async () => {
    await using confined = confine('', { allow: ['a.example'], bubblewrap: ['--chdir', '/no/such/directory'] });
    expect(await confined.ready).toEqual({ kind: 'ended' });
    expect(await confined.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('/no/such/directory') });
  });
});
