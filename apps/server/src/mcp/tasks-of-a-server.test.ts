import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BoundaryRoot } from '@reeve/protocol';
import { createProcessHolder } from '@reeve/sandbox';
import { afterAll, describe, expect, it } from 'vitest';
import { fakeGuard } from './gate/fake-guard.rig.ts';
import { createCallGates } from './gate/server-call-gate.ts';
import { TEST_LIMITS } from './gateway.rig.ts';
import { launcherOptions } from './launch/launcher-options.rig.ts';
import { createServerLauncher } from './launch/server-launcher.ts';
import { createMcpGateway } from './mcp-gateway.ts';
import { connectRaw } from './raw-agent.rig.ts';

/** A server of MCP 2025-11-25 whose calls become tasks: they go on after their answer, as long as its process. */
const TASKS = `
import { createInterface } from 'node:readline';
const tasks = new Map();
const capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const say = (body) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...body }) + '\\n');
  if (method === 'initialize') return say({ result: { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 't', version: '1' } } });
  if (method === 'tools/list') return say({ result: { tools: [{ name: 'build', inputSchema: { type: 'object' } }] } });
  if (method === 'tools/call') {
    const task = { taskId: 'one', status: 'working', createdAt: '2026-01-01T00:00:00Z', ttl: null };
    tasks.set('one', task);
    return say({ result: { task } });
  }
  if (method === 'tasks/get' && tasks.has(params.taskId)) return say({ result: tasks.get(params.taskId) });
  say({ error: { code: -32602, message: 'no such task' } });
});
`;
const base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-tasks-')));
const [kept, other, program] = [join(base, 'kept'), join(base, 'other'), join(base, 'program')];
for (const place of [kept, other, program]) mkdirSync(place);
writeFileSync(join(program, 'tasks.mjs'), TASKS);
const holder = createProcessHolder();
const { usable } = await holder.probe();
afterAll(async () => {
  await holder[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

const rw = (...paths: readonly string[]): readonly BoundaryRoot[] => paths.map((path) => ({ path, access: 'rw' }));

describe.runIf(usable)('a task that a server goes on with after it has answered', () => {
  it.each([
    ['taken from it', rw(kept, other), rw(kept)],
    ['given to it', rw(kept), rw(kept, other)],
  ])('ends with its process when something is %s, and holds the change up in no way', async (_, before, after) => {
    const args = [join(program, 'tasks.mjs')];
    const guard = fakeGuard({
      server: { transport: { kind: 'stdio', command: process.execPath, args, env: {} } },
      roots: before,
    });
    await using gateway = createMcpGateway({
      socketsIn: tmpdir(),
      version: '0.0.0',
      socat: undefined,
      limits: TEST_LIMITS,
      warn: () => {},
      createGate: createCallGates({ home: '/home/nobody', limits: { mcpStaleRootsMs: 100, mcpDrainMs: 60_000 } }),
      launcher: createServerLauncher(launcherOptions(holder)),
    });
    await using servers = await gateway.open({ guards: [guard.guard], endpoint: 'stdio' });
    await using agent = await connectRaw(servers.shown.sockets[0]?.socket ?? '');
    await agent.open();
    const begun = await agent.ask('tools/call', { name: 'build', arguments: {}, task: { ttl: 60_000 } });
    expect(begun.result).toMatchObject({ task: { status: 'working' } });
    expect(guard.said.ended).toMatchObject([{ outcome: 'completed' }]);
    expect((await agent.ask('tasks/get', { taskId: 'one' })).result).toMatchObject({ status: 'working' });
    await guard.tell(guard.become(after));
    expect((await agent.ask('tasks/get', { taskId: 'one' })).error).toMatchObject({ message: 'no such task' });
  });
});
