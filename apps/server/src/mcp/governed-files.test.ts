import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BoundaryRoot } from '@reeve/protocol';
import { createProcessHolder } from '@reeve/sandbox';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { fakeGuard } from './gate/fake-guard.rig.ts';
import { createCallGates } from './gate/server-call-gate.ts';
import { FILESYSTEM, TEST_LIMITS } from './gateway.rig.ts';
import { launcherOptions } from './launch/launcher-options.rig.ts';
import { createServerLauncher } from './launch/server-launcher.ts';
import { createMcpGateway } from './mcp-gateway.ts';
import { connectRaw } from './raw-agent.rig.ts';

const slow = process.env.REEVE_E2E_SLOW === '1';
const base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-governed-')));
const [kept, taken] = [join(base, 'kept'), join(base, 'taken')];
for (const place of [kept, taken]) {
  mkdirSync(place);
  writeFileSync(join(place, 'file'), `text of ${place}`);
}
const holder = createProcessHolder();
const { usable } = await holder.probe();
let opened = new AsyncDisposableStack();
afterEach(async () => {
  await opened.disposeAsync();
  opened = new AsyncDisposableStack();
});
afterAll(async () => {
  await holder[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

/** The reference server of files behind the gateway as a session has it, but for who decides. */
async function open(roots: readonly BoundaryRoot[]) {
  const transport = { kind: 'stdio', command: process.execPath, args: [FILESYSTEM, kept, taken], env: {} } as const;
  const guard = fakeGuard({ server: { transport }, roots });
  const gateway = createMcpGateway({
    socketsIn: tmpdir(),
    version: '0.0.0',
    socat: undefined,
    limits: TEST_LIMITS,
    warn: () => {},
    createGate: createCallGates({ home: '/home/nobody', limits: { mcpStaleRootsMs: 2000, mcpDrainMs: 2000 } }),
    launcher: createServerLauncher(launcherOptions(holder)),
  });
  opened.use(gateway);
  const servers = opened.use(await gateway.open({ guards: [guard.guard], endpoint: 'stdio' }));
  const agent = opened.use(await connectRaw(servers.shown.sockets[0]?.socket ?? ''));
  return {
    guard,
    agent,
    state: () => servers.servers()[0],
    async read(place: string): Promise<string> {
      const { result, error } = await agent.call('read_text_file', { path: join(place, 'file') });
      const content = (result?.content ?? []) as readonly { readonly text?: string }[];
      return content.map(({ text }) => text).join('') || String(error?.message);
    },
    async become(next: readonly BoundaryRoot[]): Promise<void> {
      await guard.tell(guard.become(next));
    },
  };
}

const rw = (...paths: readonly string[]): readonly BoundaryRoot[] => paths.map((path) => ({ path, access: 'rw' }));

describe.runIf(usable)('the reference server of files behind the gateway', () => {
  it('is started once a directory of its command line is granted', async () => {
    const { agent, state, become, read } = await open([]);
    await agent.open();
    await vi.waitFor(() => expect(state()).toMatchObject({ state: 'failed' }), 60_000);
    expect(state()?.lastError).toContain('not granted');
    expect(await read(kept)).toContain('not granted');
    await become(rw(kept));
    await vi.waitFor(() => expect(state()).toMatchObject({ state: 'running' }), 60_000);
    await vi.waitFor(async () => expect(await read(kept)).toBe(`text of ${kept}`), 60_000);
  });

  it('answers nothing of a root that was taken, whatever was sent before, meanwhile and after', {
    timeout: 400_000,
  }, async () => {
    const { agent, become, read, guard } = await open(rw(kept, taken));
    await agent.open();
    for (let round = 0, rounds = slow ? 100 : 3; round < rounds; round++) {
      await vi.waitFor(async () => expect(await read(taken)).toBe(`text of ${taken}`), 60_000);
      const before = Array.from({ length: 5 }, () => read(taken));
      const changed = become(rw(kept));
      const meanwhile = Array.from({ length: 5 }, () => read(taken));
      await changed;
      const after = Array.from({ length: 5 }, () => read(taken));
      expect(guard.said.verified).toHaveLength(round + 1);
      expect(guard.said.verified.at(-1)).toContain('gone: looked for');
      for (const answer of await Promise.all([...meanwhile, ...after])) expect(answer).toContain('reeve roots request');
      for (const answer of await Promise.all(before))
        expect(answer === `text of ${taken}` || !answer.includes('text of')).toBe(true);
      await become(rw(kept, taken));
    }
  });

  it('has nothing from the moment that its last root is taken, though it keeps its directories on an empty list', async () => {
    const { agent, become, read, guard, state } = await open(rw(kept, taken));
    await agent.open();
    await vi.waitFor(async () => expect(await read(taken)).toBe(`text of ${taken}`), 60_000);
    const changed = become([]);
    const meanwhile = read(kept);
    await changed;
    for (const answer of [await meanwhile, await read(kept), await read(taken)])
      expect(answer).not.toContain('text of');
    expect(state()).toMatchObject({ state: 'failed' });
    expect(guard.said.verified.at(-1)).toMatch(/ gone: /);
    await become(rw(kept));
    await vi.waitFor(async () => expect(await read(kept)).toBe(`text of ${kept}`), 60_000);
    expect(await read(taken)).toContain('reeve roots request');
  });

  it('is sent no path outside by any other way than the arguments of a tool either', async () => {
    const { agent, read, guard } = await open(rw(kept));
    await agent.open();
    expect(await read(kept)).toBe(`text of ${kept}`);
    const file = join(taken, 'file');
    const asked = { name: 'read_text_file', arguments: { path: join(kept, 'file') } };
    const left = await agent.ask('tools/call', { ...asked, _meta: { 'a/b': file, 'claudecode/toolUseId': 'x' } });
    expect(JSON.stringify(left.result)).toContain(`text of ${kept}`);
    for (const [method, params] of [
      ['tools/call', { ...asked, path: file }],
      ['tools/call', { name: 'read_multiple_files', arguments: { paths: JSON.stringify([file]) } }],
      ['tools/call', { name: 'read_text_file', arguments: { path: `${kept}/%2e%2e/taken/file` } }],
      ['tools/list', { cursor: file }],
      ['x/own', { file }],
    ] as const)
      expect(JSON.stringify(await agent.ask(method, params))).toContain('reeve roots request');
    expect(guard.said.alarms.map(({ path }) => path)).toEqual(Array.from({ length: 6 }, () => file));
    expect(guard.said.ended.flatMap(({ outcome }) => outcome).filter((each) => each === 'refused')).toHaveLength(5);
  });
});
