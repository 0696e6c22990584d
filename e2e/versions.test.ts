import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectWebSocket, fakeAgentCommand, type Step, script, startReeve } from '@reeve/testkit';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { callControl, readLog } from './control-calls.ts';
import { CLIENT_TRANSPORTS, connectSdkClient } from './sdk-client.ts';
import { connectSdkClientV2, messagesOf, statesOf } from './sdk-client-v2.ts';

const file = createRequire(import.meta.url).resolve('@agentclientprotocol/sdk/schema/v2/schema.json');
const ajv = new Ajv2020({ strict: false, validateFormats: false, discriminator: false });
ajv.addSchema(JSON.parse(readFileSync(file, 'utf8')) as object, 'acp');

/** What is wrong with `value` as `type` of the schema of ACP v2; undefined when nothing is. */
function faultsOf(type: string, value: unknown): unknown {
  const validate = ajv.getSchema(`acp#/$defs/${type}`);
  if (validate === undefined) throw new Error(`the schema has no ${type}`);
  return validate(value) ? undefined : { type, value, errors: validate.errors };
}

const SERVER = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
const PATIENT = { interval: 20 };
const FLAGS = ['--v2', '--delete', '--config-options', '--boolean-option', '--add-dirs'];

function start(flags: readonly string[] = FLAGS) {
  const agents = { fake: fakeAgentCommand(flags), old: fakeAgentCommand(['--resume']) };
  return startReeve({ config: { agents, defaultAgent: 'fake' } });
}

it('holds against a schema of ACP v2 that does refuse', () => {
  expect(faultsOf('InitializeResponse', { protocolVersion: 2 })).toBeDefined();
  expect(faultsOf('UpdateSessionNotification', { sessionId: 's', update: {} })).toBeDefined();
});

it('everything that Reeve sends to a client of v2, and answers an agent, is valid by the schema of ACP v2', async () => {
  await using reeve = await start();
  await using peer = await connectWebSocket(`${reeve.url}/acp`, { token: reeve.token });
  const faults: unknown[] = [];
  const check = (type: string, value: unknown): void => {
    const fault = faultsOf(type, value);
    if (fault !== undefined) faults.push(fault);
  };
  const asked = new Set<string>();
  peer.onRequest('session/request_permission', (params) => {
    asked.add('permission');
    check('RequestPermissionRequest', params);
    return { outcome: { outcome: 'selected', optionId: 'allow-once' } };
  });
  peer.onRequest('elicitation/create', (params) => {
    asked.add('elicitation');
    check('CreateElicitationRequest', params);
    return { action: 'decline' };
  });
  const ask = async (method: string, type: string, params: object): Promise<Record<string, unknown>> => {
    const result = await peer.request(method, params);
    check(type, result);
    return result;
  };
  const refusal = async (method: string, params: object): Promise<unknown> => {
    const { code, message, data } = await peer.request(method, params).then(
      () => expect.unreachable(`${method} was not refused`),
      (error: { code: number; message: string; data?: unknown }) => error,
    );
    check('Error', { code, message, ...(data === undefined ? {} : { data }) });
    return code;
  };

  const cwd = tmpdir();
  const wishes = { _meta: { 'sandboxagent.dev': { seq: true, requestResolved: true } } };
  const introduction = { info: { name: 'raw', version: '1' }, capabilities: { elicitation: { form: {} }, ...wishes } };
  const old = { _meta: { 'sandboxagent.dev': { agent: 'old' } } };
  expect(await refusal('initialize', { protocolVersion: 2, ...introduction, ...old })).toBe(-32022);
  expect(await refusal('initialize', { protocolVersion: 2, capabilities: {} })).toBe(-32602);
  await ask('initialize', 'InitializeResponse', { protocolVersion: 2, ...introduction });
  const { sessionId } = await ask('session/new', 'NewSessionResponse', {
    cwd,
    _meta: { 'sandboxagent.dev': { title: 'A title', model: 'fake-large' } },
  });
  const steps: Step[] = [
    { say: 'a' },
    { title: 't' },
    { permission: {} },
    { elicit: {} },
    { question: { options: [{ id: 'a', label: 'A', description: 'd' }], freeText: true } },
    { question: { options: [{ id: 'a', label: 'A' }], multiSelect: true } },
  ];
  const states = (): unknown[] => peer.updates().filter(({ sessionUpdate }) => sessionUpdate === 'state_update');
  const prompt = (what: readonly Step[]): Promise<object> =>
    ask('session/prompt', 'PromptResponse', { sessionId, prompt: [{ type: 'text', text: script(...what) }] });
  await prompt(steps);
  await expect.poll(() => states().at(-1), PATIENT).toMatchObject({ state: 'idle', stopReason: 'end_turn' });
  const answers = async (what: readonly Step[], cancels = false): Promise<unknown> => {
    const before = peer.updates().length;
    await prompt(what);
    if (cancels) {
      await expect.poll(() => states().at(-1), PATIENT).toMatchObject({ state: 'requires_action' });
      peer.notify('session/cancel', { sessionId });
    }
    const isEnd = ({ state }: { state?: unknown }): boolean => state === 'idle';
    await expect.poll(() => peer.updates().slice(before).some(isEnd), PATIENT).toBe(true);
    const said = peer.updates().slice(before);
    const text = said.map(({ content }) => (content as { text?: string } | undefined)?.text ?? '').join('');
    return JSON.parse(text);
  };
  check('InitializeRequest', await answers([{ received: 'initialize' }]));
  peer.onRequest('session/request_permission', () => new Promise(() => {}));
  peer.onRequest('elicitation/create', () => new Promise(() => {}));
  check('RequestPermissionResponse', await answers([{ permission: {} }], true));
  check('CreateElicitationResponse', await answers([{ elicit: {} }], true));
  const option = { sessionId, configId: 'fast', type: 'boolean', value: true };
  await ask('session/set_config_option', 'SetSessionConfigOptionResponse', option);
  await ask('session/resume', 'ResumeSessionResponse', { sessionId, cwd, replayFrom: { type: 'start' } });
  await ask('session/resume', 'ResumeSessionResponse', { sessionId, cwd });
  expect(await refusal('session/resume', { sessionId, cwd, replayFrom: { type: 'end' } })).toBe(-32602);
  expect(await refusal('session/resume', { sessionId: 'unknown', cwd })).toBe(-32002);
  await prompt([{ crash: { code: 1 } }]);
  await expect.poll(() => states().at(-1), PATIENT).toMatchObject({ state: 'idle', stopReason: 'error' });
  await ask('session/list', 'ListSessionsResponse', {});
  await ask('session/close', 'CloseSessionResponse', { sessionId });
  await ask('session/delete', 'DeleteSessionResponse', { sessionId });
  const ended = await ask('session/new', 'NewSessionResponse', { cwd });
  const text = script({ untilCancel: true });
  await peer.request('session/prompt', { sessionId: ended.sessionId, prompt: [{ type: 'text', text }] });
  await expect.poll(() => states().at(-1), PATIENT).toMatchObject({ state: 'running' });
  await peer.request('_sandboxagent/session/terminate', { sessionId: ended.sessionId });
  await expect.poll(() => states().at(-1), PATIENT).toMatchObject({ state: 'idle', stopReason: 'cancelled' });

  for (const params of peer.notifications('session/update')) check('UpdateSessionNotification', params);
  expect(peer.notifications('session/update').length).toBeGreaterThan(15);
  expect([...asked].sort()).toEqual(['elicitation', 'permission']);
  expect(faults).toEqual([]);
});

describe.each(CLIENT_TRANSPORTS)("the SDK's client of v2 over %s", (transport) => {
  it('opens an agent that speaks both in v2, beside a client of v1 that opens it in v1', async () => {
    await using reeve = await start();
    await using client = await connectSdkClientV2(reeve, {
      transport,
      onPermission: () => ({ outcome: { outcome: 'selected', optionId: 'allow-once' } }),
    });
    await using older = await connectSdkClient(reeve, { transport });
    expect(older.initialized.protocolVersion).toBe(1);
    const cwd = tmpdir();
    const { sessionId } = await client.agent.request('session/new', { cwd });
    const text = script({ say: 'hello ' }, { permission: {} });
    await client.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
    await expect
      .poll(() => statesOf(client.updates), PATIENT)
      .toEqual(['running', 'requires_action', 'running', 'idle end_turn']);
    expect(messagesOf(client.updates)).toContain('hello');
    expect(client.asked).toMatchObject([{ subject: { type: 'tool_call' } }]);

    const made = await older.agent.request('session/new', { cwd, mcpServers: [] });
    await older.agent.request('session/prompt', {
      sessionId: made.sessionId,
      prompt: [{ type: 'text', text: 'in v1' }],
    });
    expect(await callControl(reeve, `/sessions/${sessionId}`)).toMatchObject({ protocolVersion: 2, state: 'idle' });
    expect(await callControl(reeve, `/sessions/${made.sessionId}`)).toMatchObject({ protocolVersion: 1 });
    for (const [id, protocolVersion] of [
      [sessionId, 2],
      [made.sessionId, 1],
    ] as const) {
      const log = await readLog(reeve, id);
      expect(log.map(({ message }) => message)).toContainEqual(
        expect.objectContaining({ type: 'agent_started', protocolVersion }),
      );
    }
  });

  it('is asked whether an MCP server that it brings may run, sees its whole command, and its answer counts', async () => {
    await using reeve = await start();
    const cwd = await mkdtemp(join(tmpdir(), 'reeve-versions-'));
    try {
      await using client = await connectSdkClientV2(reeve, {
        transport,
        onPermission: () => ({ outcome: { outcome: 'selected', optionId: 'allow_once' } }),
      });
      const server = { type: 'stdio' as const, name: 'files', command: process.execPath, args: [SERVER, cwd] };
      const { sessionId } = await client.agent.request('session/new', { cwd, mcpServers: [server] });
      await expect
        .poll(() => client.asked, PATIENT)
        .toMatchObject([{ sessionId, title: 'Start the MCP server "files"' }]);
      const [asked] = client.asked;
      expect(faultsOf('RequestPermissionRequest', asked)).toBeUndefined();
      expect(asked).not.toHaveProperty('subject');
      expect(asked?.description).toContain(JSON.stringify(SERVER));
      expect(asked?.options.map(({ kind }) => kind)).toEqual(['allow_once', 'allow_always', 'reject_once']);
      const approvals = async (): Promise<unknown> =>
        ((await callControl(reeve, `/sessions/${sessionId}/servers/files`)) as { approvals: unknown }).approvals;
      await expect.poll(approvals, PATIENT).toMatchObject([{ decision: 'allow', scope: 'session' }]);
      expect(await callControl(reeve, `/requests?session=${sessionId}`)).toMatchObject({ requests: [] });
    } finally {
      await rm(cwd, { recursive: true, force: true });
    }
  });

  it('comes back after a restart, and is shown the history', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reeve-versions-'));
    try {
      await using first = await start([...FLAGS, `--state-dir=${folder}`]);
      let sessionId: string;
      {
        await using client = await connectSdkClientV2(first, { transport });
        ({ sessionId } = await client.agent.request('session/new', { cwd: folder }));
        await client.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'remember' }] });
        await expect.poll(() => statesOf(client.updates).at(-1), PATIENT).toBe('idle end_turn');
      }
      await first.kill('SIGKILL');
      await using second = await first.restart();
      await using later = await connectSdkClientV2(second, { transport });
      const request = { sessionId, cwd: folder, replayFrom: { type: 'start' } } as const;
      const resumed = await later.agent.request('session/resume', request);
      expect(resumed._meta).toMatchObject({ 'sandboxagent.dev': { restored: 'resume' } });
      await expect
        .poll(() => later.updates.map(({ sessionUpdate }) => sessionUpdate), PATIENT)
        .toEqual(['user_message', 'agent_message_chunk', 'state_update']);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('a session of v2 over HTTP', () => {
  it('takes prompts, waits for the end of their work, and answers the same prompt the same', async () => {
    await using reeve = await start();
    await using client = await connectSdkClientV2(reeve, { transport: 'websocket' });
    const { sessionId } = await client.agent.request('session/new', { cwd: tmpdir() });
    const post = (path: string, body: object): Promise<unknown> =>
      callControl(reeve, `/sessions/${sessionId}/${path}`, { method: 'POST', body: JSON.stringify(body) });
    const first = await post('prompt', { prompt: script({ say: 'a' }, { say: 'b' }), idempotencyKey: 'k' });
    expect(first).toMatchObject({ stopReason: 'end_turn', text: 'ab', result: { messageId: expect.any(String) } });
    const again = await post('prompt', { prompt: script({ say: 'a' }, { say: 'b' }), idempotencyKey: 'k' });
    expect(again).toMatchObject({ result: (first as { result: unknown }).result });
    expect(again).not.toHaveProperty('text');
    const cancelled = post('prompt', { prompt: script({ untilCancel: true }) });
    await expect.poll(() => statesOf(client.updates).at(-1), PATIENT).toBe('running');
    const headers = { authorization: `Bearer ${reeve.token}` };
    const { status } = await fetch(`${reeve.url}/v1/sessions/${sessionId}/cancel`, { method: 'POST', headers });
    expect(status).toBe(204);
    expect(await cancelled).toMatchObject({ stopReason: 'cancelled' });
    expect(await post('prompt', { prompt: script({ crash: { code: 1 } }) })).toMatchObject({ stopReason: 'error' });
  });
});
