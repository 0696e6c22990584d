import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientApp, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import {
  type FloodSpec,
  fakeAgentCommand,
  floodIndex,
  type SpawnedReeve,
  type Step,
  script,
  startReeve,
} from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentText, CLIENT_TRANSPORTS, choose, connectSdkClient, type SdkClient } from './sdk-client.ts';
import { openSecureReeve, type SecureReeve } from './secure-reeve.ts';

/** The reference client of ACP, unmodified, against Reeve: what an editor built on it will see. */
const carriers = [
  ...CLIENT_TRANSPORTS.map((transport) => ({ name: transport, transport, secure: false })),
  { name: 'http/2 with TLS', transport: 'http' as const, secure: true },
  { name: 'websocket with TLS', transport: 'websocket' as const, secure: true },
];

describe.each(carriers)("the SDK's client over $name", ({ transport, secure }) => {
  let reeve: SpawnedReeve;
  let secured: SecureReeve | undefined;
  let cwd: string;
  const files = new Map<string, string>();

  const serveCallbacks = (app: ClientApp): void => {
    app
      .onRequest('fs/read_text_file', ({ params }) => ({ content: files.get(params.path) ?? '' }))
      .onRequest('fs/write_text_file', ({ params }) => {
        files.set(params.path, params.content);
        return {};
      })
      .onRequest('terminal/create', ({ params }) => ({ terminalId: `term ${params.command}` }))
      .onRequest('terminal/wait_for_exit', () => ({ exitCode: 0, signal: null }))
      .onRequest('terminal/output', ({ params }) => ({ output: params.terminalId, truncated: false }))
      .onRequest('terminal/release', () => ({}));
  };

  const connect = (more: Partial<Parameters<typeof connectSdkClient>[1]> = {}): Promise<SdkClient> =>
    connectSdkClient(reeve, {
      transport,
      ...(secured ? { fetch: secured.fetch, certificate: secured.certificate } : {}),
      ...more,
    });

  const open = async (client: SdkClient): Promise<string> =>
    (await client.agent.request('session/new', { cwd, mcpServers: [] })).sessionId;

  const prompt = (client: SdkClient, sessionId: string, ...steps: Step[]) =>
    client.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: script(...steps) }] });

  beforeAll(async () => {
    cwd = await realpath(await mkdtemp(join(tmpdir(), 'reeve-interop-')));
    const config = { agents: { fake: fakeAgentCommand(['--config-options']) }, defaultAgent: 'fake' };
    secured = secure ? await openSecureReeve(config) : undefined;
    reeve = secured?.reeve ?? (await startReeve({ config }));
  });
  afterAll(async () => {
    await secured?.[Symbol.asyncDispose]();
    await reeve?.[Symbol.asyncDispose]();
    await rm(cwd, { recursive: true, force: true });
  });

  it('is told who the agent is and what is offered', async () => {
    await using client = await connect();
    expect(client.initialized).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'fake-agent' },
      agentCapabilities: {
        loadSession: true,
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        _meta: { 'sandboxagent.dev': { agent: 'fake', extensions: { sessionList: true } } },
      },
    });
  });

  it('opens a session, prompts and gets every update before the answer', async () => {
    await using client = await connect();
    const sessionId = await open(client);
    const response = await prompt(client, sessionId, { say: 'one ' }, { say: 'two ' }, { say: 'three' });
    expect(response.stopReason).toBe('end_turn');
    expect(agentText(client.updates, sessionId)).toBe('one two three');
  });

  it('gets a flood whole, in order, once', async () => {
    await using client = await connect();
    const sessionId = await open(client);
    const flood: FloodSpec = { count: 5_000, bytes: 64 };
    await prompt(client, sessionId, { flood });
    expect(client.updates.length).toBe(flood.count);
    const wrong = client.updates.findIndex((update, index) => floodIndex(flood, agentText([update])) !== index);
    expect(wrong).toBe(-1);
  });

  it('keeps two sessions of one connection apart', async () => {
    await using client = await connect();
    const [first, second] = [await open(client), await open(client)];
    await Promise.all([
      prompt(client, first, ...Array.from({ length: 50 }, () => ({ say: 'a' }))),
      prompt(client, second, ...Array.from({ length: 50 }, () => ({ say: 'b' }))),
    ]);
    expect(agentText(client.updates, first)).toBe('a'.repeat(50));
    expect(agentText(client.updates, second)).toBe('b'.repeat(50));
  });

  it('answers a permission request', async () => {
    await using client = await connect({ onPermission: (request) => choose(request, 'allow_once') });
    const sessionId = await open(client);
    const { stopReason } = await prompt(client, sessionId, { permission: { title: 'Delete all' } }, { say: '!' });
    expect(stopReason).toBe('end_turn');
    expect(client.asked).toMatchObject([{ sessionId, toolCall: { title: 'Delete all' } }]);
    expect(agentText(client.updates)).toBe('{"outcome":{"outcome":"selected","optionId":"allow-once"}}!');
  });

  it('cancels a turn, also one that waits for a permission', async () => {
    await using client = await connect();
    const sessionId = await open(client);
    client.onUpdate(() => void client.agent.notify('session/cancel', { sessionId }));
    expect(await prompt(client, sessionId, { say: 'begun' }, { untilCancel: true })).toEqual({
      stopReason: 'cancelled',
    });
    const asked = Promise.withResolvers<void>();
    client.onUpdate(() => {});
    client.onPermission((): Promise<RequestPermissionResponse> => {
      asked.resolve();
      return new Promise(() => {});
    });
    const turn = prompt(client, sessionId, { permission: {} });
    await asked.promise;
    await client.agent.notify('session/cancel', { sessionId });
    expect((await turn).stopReason).toBe('cancelled');
  });

  it('loads a session: all of it again, then the response', async () => {
    await using first = await connect();
    const sessionId = await open(first);
    await prompt(first, sessionId, { say: 'history' });
    await using second = await connect();
    await second.agent.request('session/load', { sessionId, cwd, mcpServers: [] });
    expect(second.updates.map(({ update }) => update.sessionUpdate)).toEqual([
      'user_message_chunk',
      'agent_message_chunk',
    ]);
    await prompt(second, sessionId, { say: ' goes on' });
    expect(agentText(second.updates)).toBe('history goes on');
  });

  it('resumes a session without its history', async () => {
    await using first = await connect();
    const sessionId = await open(first);
    await prompt(first, sessionId, { say: 'history' });
    await using second = await connect();
    await second.agent.request('session/resume', { sessionId, cwd });
    await prompt(second, sessionId, { say: 'only this' });
    expect(agentText(second.updates)).toBe('only this');
  });

  it('changes mode and config option', async () => {
    await using client = await connect();
    const { sessionId, modes, configOptions } = await client.agent.request('session/new', { cwd, mcpServers: [] });
    const mode = modes?.availableModes.find(({ id }) => id !== modes.currentModeId);
    await client.agent.request('session/set_mode', { sessionId, modeId: mode?.id ?? '' });
    const option = configOptions?.find(({ type }) => type === 'select');
    if (option?.type !== 'select') throw new Error('the fake agent offers a select option');
    const value = option.options.flatMap((it) => ('value' in it ? [it.value] : it.options.map((inner) => inner.value)));
    const other = value.find((it) => it !== option.currentValue) ?? '';
    const changed = await client.agent.request('session/set_config_option', {
      sessionId,
      configId: option.id,
      value: other,
    });
    expect(changed.configOptions.find(({ id }) => id === option.id)).toMatchObject({ currentValue: other });
    await using second = await connect();
    const loaded = await second.agent.request('session/load', { sessionId, cwd, mcpServers: [] });
    expect(loaded.modes?.currentModeId).toBe(mode?.id);
  });

  it('lists, closes and deletes sessions', async () => {
    await using client = await connect();
    const [kept, gone] = [await open(client), await open(client)];
    await client.agent.request('session/close', { sessionId: kept });
    await client.agent.request('session/delete', { sessionId: gone });
    const { sessions } = await client.agent.request('session/list', { cwd });
    const ids = sessions.map(({ sessionId }) => sessionId);
    expect(ids).toContain(kept);
    expect(ids).not.toContain(gone);
    expect((await client.agent.request('session/list', { cwd: join(cwd, 'unused') })).sessions).toEqual([]);
    await client.agent.request('session/delete', { sessionId: gone });
    await client.agent.request('session/load', { sessionId: kept, cwd, mcpServers: [] });
    expect((await prompt(client, kept, { say: 'back' })).stopReason).toBe('end_turn');
  });

  it('answers the running prompt `cancelled` when its session is closed', async () => {
    await using client = await connect();
    const sessionId = await open(client);
    const begun = Promise.withResolvers<void>();
    client.onUpdate(() => begun.resolve());
    const turn = prompt(client, sessionId, { say: 'begun' }, { untilCancel: { say: ', last words' } });
    const saidBefore = turn.then(() => agentText(client.updates, sessionId));
    await begun.promise;
    await client.agent.request('session/close', { sessionId });
    expect((await turn).stopReason).toBe('cancelled');
    expect(await saidBefore).toBe('begun, last words');
  });

  it('serves files and terminals to the agent', async () => {
    await using client = await connect({
      capabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
      configure: serveCallbacks,
    });
    const sessionId = await open(client);
    const path = join(cwd, 'virtual.txt');
    const steps: Step[] = [
      { fsWrite: { path, content: 'kept in memory' } },
      { fsRead: path },
      { terminal: { command: 'make', args: ['all'] } },
    ];
    expect((await prompt(client, sessionId, ...steps)).stopReason).toBe('end_turn');
    expect(files.get(path)).toBe('kept in memory');
    const said = agentText(client.updates, sessionId);
    expect(said).toContain('{"content":"kept in memory"}');
    expect(said).toContain('"output":"term make"');
  });

  it('is told of an unknown method and an unknown session, and goes on', async () => {
    await using client = await connect();
    const sessionId = await open(client);
    await expect(client.agent.request('_vendor/nothing', { sessionId })).rejects.toMatchObject({ code: -32601 });
    await expect(
      client.agent.request('session/load', { sessionId: 'unknown', cwd, mcpServers: [] }),
    ).rejects.toMatchObject({ code: -32002 });
    expect((await prompt(client, sessionId, { say: 'fine' })).stopReason).toBe('end_turn');
  });

  it('is told why a turn failed when its agent crashes, and can go on', async () => {
    await using client = await connect();
    const sessionId = await open(client);
    const crash = prompt(client, sessionId, { crash: { code: 7, stderr: 'out of ideas' } });
    const error: unknown = await crash.catch((reason: unknown) => reason);
    expect(JSON.stringify(error)).toContain('out of ideas');
    expect(JSON.stringify(error)).toContain('7');
    expect((await prompt(client, sessionId, { say: 'again' })).stopReason).toBe('end_turn');
  });
});
