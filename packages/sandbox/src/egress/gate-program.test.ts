import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Machine } from './encoder.ts';
import { buildGateProgram, type GateEndpoint, gateFailureCode } from './gate-program.ts';
import { type Received, receiveListeners } from './received-listeners.ts';

const supported = process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64');
const machine: Machine = process.arch === 'arm64' ? 'arm64' : 'x64';
let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'reeve-gate-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

async function freePort(address = '127.0.0.1'): Promise<number> {
  const server = createServer();
  await once(server.listen(0, address), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

interface Run {
  readonly received: Promise<Received>;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

function run(endpoints: readonly GateEndpoint[], command: readonly string[], env: NodeJS.ProcessEnv = {}): Run {
  const path = join(directory, `gate-${endpoints.map(({ port }) => port).join('-')}`);
  writeFileSync(path, buildGateProgram({ machine, endpoints, channel: 3 }));
  chmodSync(path, 0o555);
  const child = spawn(path, command, { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const received = receiveListeners(child, { count: endpoints.length, timeoutMs: 5_000 });
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  return { received, ended: once(child, 'close').then(([code]) => ({ code, stdout, stderr })) };
}

describe.runIf(supported)('the gate', () => {
  it('listens before it becomes the command, which gets its arguments and environment and no channel', async () => {
    const endpoints = [
      { address: '127.0.0.1', port: await freePort() },
      { address: '127.0.0.2', port: await freePort('127.0.0.2') },
    ];
    const script = 'ls /proc/$$/fd; printf "%s|" "$0" "$@" "$WORD"';
    const { received, ended } = run(endpoints, ['/bin/sh', '-c', script, 'a', '', 'b c'], { WORD: 'w x' });
    const result = await received;
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => Number(line) === 3)).toEqual([]);
    expect(stdout).toMatch(/a\|\|b c\|w x\|$/);
    if (result.kind !== 'received') throw new Error(result.kind);
    for (const [index, handle] of result.handles.entries()) {
      const server = createServer((socket) => void socket.end(`${index}`));
      await once(server.listen(handle), 'listening');
      expect(server.address()).toMatchObject(endpoints[index] as GateEndpoint);
      const socket = connect((endpoints[index] as GateEndpoint).port, (endpoints[index] as GateEndpoint).address);
      expect(String((await once(socket, 'data'))[0])).toBe(`${index}`);
      socket.destroy();
      server.close();
    }
  });

  it('listens on the loopback of IPv6 too', async ({ skip }) => {
    const port = await freePort('::1').catch(() => undefined);
    if (port === undefined) return skip('this machine has no IPv6');
    const { received } = run([{ address: '::1', port }], ['/bin/true']);
    const result = await received;
    expect(result.kind).toBe('received');
    if (result.kind === 'received') for (const handle of result.handles) handle.close();
  });

  it('ends with what it could not listen on, and runs nothing', async () => {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const taken = (server.address() as AddressInfo).port;
    const { received, ended } = run([{ address: '127.0.0.1', port: taken }], ['/bin/echo', 'ran']);
    expect(await received).toEqual({ kind: 'lost' });
    expect(await ended).toEqual({
      code: gateFailureCode,
      stdout: '',
      stderr: `reeve: the sandbox cannot listen on 127.0.0.1:${taken}\n`,
    });
    server.close();
  });

  it.each([[['/no/such/program']], [[]]])('ends with a word about a command it cannot execute: %j', async (command) => {
    const { received, ended } = run([{ address: '127.0.0.1', port: await freePort() }], command);
    const result = await received;
    if (result.kind === 'received') for (const handle of result.handles) handle.close();
    const { code, stderr } = await ended;
    expect(code).toBe(gateFailureCode);
    expect(stderr).toMatch(/^reeve: the sandbox cannot execute the command/);
  });

  it('runs nothing without its channel', async () => {
    const endpoints = [{ address: '127.0.0.1', port: await freePort() }];
    const path = join(directory, 'gate-alone');
    writeFileSync(path, buildGateProgram({ machine, endpoints, channel: 250 }));
    chmodSync(path, 0o555);
    const { status, stdout, stderr } = spawnSync(path, ['/bin/echo', 'ran'], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([gateFailureCode, '']);
    expect(stderr).toBe('reeve: the sandbox has lost the channel to its server\n');
  });
});

describe('an image of the gate', () => {
  it.each(['x64', 'arm64'] as const)('for %s never has memory that can be both written and executed', (target) => {
    const image = buildGateProgram({ machine: target, endpoints: [{ address: '127.0.0.1', port: 1 }], channel: 3 });
    const count = image.readUInt16LE(56);
    const flags = Array.from({ length: count }, (_, index) => image.readUInt32LE(64 + index * 56 + 4));
    expect(flags.map((flag) => flag & 3)).toEqual([1, 2, 2]);
    expect(image.readUInt16LE(18)).toBe(target === 'x64' ? 62 : 183);
  });

  it('for arm64 is, byte for byte, one that has run on that machine', () => {
    // Run under qemu-aarch64: it listened, handed over, became its command, and failed in each of its three ways. An
    // image that differs must be run there before its digest is written here.
    const endpoints = [
      { address: '127.0.0.1', port: 3128 },
      { address: '::1', port: 20_000 },
    ];
    const image = buildGateProgram({ machine: 'arm64', endpoints, channel: 3 });
    expect(createHash('sha256').update(image).digest('hex')).toBe(
      'a39283ed4e9d33edc36add401fafe751ab8fff028e4fe42d29c05ea9d0f1fb21',
    );
  });
});
