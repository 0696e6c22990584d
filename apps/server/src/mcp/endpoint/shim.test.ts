import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bareProfile, createProcessHolder, type HeldProcess, type Profile } from '@reeve/sandbox';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { chooseShim, httpEntry, stdioEntry } from './agent-entry.ts';

const SOON = { interval: 5 };
const base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-shim-')));
const holder = createProcessHolder();
const probe = await holder.probe();
const opened: Server[] = [];
let sockets = 0;

afterEach(() => {
  for (const server of opened.splice(0)) server.close();
});
afterAll(async () => {
  await holder[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

/** An endpoint that says what it hears, and to whom. */
async function listen() {
  sockets += 1;
  const path = join(base, `${sockets}.sock`);
  const heard: string[] = [];
  const connections: Socket[] = [];
  const server = createServer((socket) => {
    connections.push(socket);
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (text: string) => void heard.push(text));
  });
  opened.push(server);
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  return { path, heard, connections };
}

async function start(path: string, profile?: Profile): Promise<HeldProcess & { readonly lines: string[] }> {
  const shim = chooseShim(undefined);
  const start = await holder.start({
    command: shim.command,
    args: shim.args(path),
    env: {},
    cwd: profile?.roots[0]?.path ?? base,
    ...(profile ? { profile } : {}),
  });
  if (start.kind === 'failed') throw new Error(start.message);
  const lines: string[] = [];
  createInterface({ input: start.process.stdout }).on('line', (line) => void lines.push(line));
  return Object.assign(start.process, { lines });
}

describe('the script between an agent and the socket of its server', () => {
  it('carries both ways, dials again when the connection ends, and ends with the agent', async () => {
    const { path, heard, connections } = await listen();
    const shim = await start(path);
    shim.stdin.write('one\n');
    await expect.poll(() => heard.join(''), SOON).toBe('one\n');
    connections[0]?.write('answer\n');
    await expect.poll(() => shim.lines, SOON).toEqual(['answer']);
    connections[0]?.destroy();
    await expect.poll(() => connections.length, SOON).toBe(2);
    shim.stdin.write('two\n');
    await expect.poll(() => heard.join(''), SOON).toBe('one\ntwo\n');
    shim.stdin.end();
    expect(await shim.exited).toEqual({ code: 0, signal: null });
  });

  it('ends with the agent also while no endpoint is there', async () => {
    const never = await start(join(base, 'never.sock'));
    never.stdin.end();
    expect(await never.exited).toEqual({ code: 0, signal: null });

    const { path, connections } = await listen();
    const shim = await start(path);
    await expect.poll(() => connections.length, SOON).toBe(1);
    opened.splice(0)[0]?.close();
    connections[0]?.destroy();
    shim.stdin.end();
    expect(await shim.exited).toEqual({ code: 0, signal: null });
  });

  it('waits for an endpoint that is not there yet, and carries what is long', async () => {
    const path = join(base, 'late.sock');
    const shim = await start(path);
    const long = 'x'.repeat(3_000_000);
    shim.stdin.write(`${long}\n`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    let length = 0;
    const server = createServer((socket) => {
      socket.on('data', (chunk) => {
        length += chunk.length;
        if (length > long.length) socket.write(`${long}\n`);
      });
    });
    opened.push(server);
    server.listen(path);
    await expect.poll(() => shim.lines[0]?.length, SOON).toBe(long.length);
    await shim.stop({ graceMs: 0 });
  });

  it.runIf(probe.usable)('needs nothing in a sandbox but itself and the socket', async () => {
    const { path, heard } = await listen();
    const project = join(base, 'project');
    mkdirSync(project);
    const profile = bareProfile({
      roots: [{ path: project, access: 'ro' }],
      readOnly: chooseShim(undefined).readOnly,
      sockets: [{ path, socket: path }],
    });
    const shim = await start(path, profile);
    shim.stdin.write('from inside\n');
    await expect.poll(() => heard.join(''), SOON).toBe('from inside\n');
    await shim.stop({ graceMs: 0 });
  });
});

describe('the entry of a server that an agent is given', () => {
  it('starts socat where that is there, else our script in this Node', () => {
    const socat = chooseShim('/usr/bin/socat');
    expect(stdioEntry('files', socat, '/tmp/x/0.sock')).toEqual({
      name: 'files',
      command: '/usr/bin/socat',
      args: ['STDIO', 'UNIX-CONNECT:/tmp/x/0.sock'],
      env: [],
    });
    expect(socat.readOnly).toEqual(['/usr/bin/socat']);
    const { command, args } = stdioEntry('files', chooseShim(undefined), '/tmp/x/0.sock');
    expect([command, args]).toEqual([process.execPath, [expect.stringMatching(/\/shim\.mjs$/), '/tmp/x/0.sock']]);
  });

  it('names a URL and its secret for agents that take HTTP', () => {
    expect(httpEntry('files', 'http://127.0.0.1:1/mcp/x', 's')).toEqual({
      type: 'http',
      name: 'files',
      url: 'http://127.0.0.1:1/mcp/x',
      headers: [{ name: 'Authorization', value: 'Bearer s' }],
    });
  });
});
