import { tmpdir } from 'node:os';
import { connectWebSocket, fakeAgentCommand, type Step, script, startReeve } from '@reeve/testkit';
import { expect, it } from 'vitest';
import { faultsOf } from './acp-schema.ts';

it('everything that Reeve sends to a client is valid by the schema of ACP v1', async () => {
  const flags = ['--resume', '--close', '--delete', '--add-dirs', '--config-options'];
  const config = { agents: { fake: fakeAgentCommand(flags) }, defaultAgent: 'fake' };
  await using reeve = await startReeve({ config });
  await using peer = await connectWebSocket(`${reeve.url}/acp`, { token: reeve.token });
  const faults: unknown[] = [];
  const check = (type: string, value: unknown): void => {
    const fault = faultsOf(type, value);
    if (fault !== undefined) faults.push(fault);
  };
  const answers: readonly (readonly [method: string, type: string, answer: unknown])[] = [
    [
      'session/request_permission',
      'RequestPermissionRequest',
      { outcome: { outcome: 'selected', optionId: 'allow-once' } },
    ],
    ['elicitation/create', 'CreateElicitationRequest', { action: 'decline' }],
    ['fs/read_text_file', 'ReadTextFileRequest', { content: 'c' }],
    ['fs/write_text_file', 'WriteTextFileRequest', {}],
    ['terminal/create', 'CreateTerminalRequest', { terminalId: 't' }],
    ['terminal/wait_for_exit', 'WaitForTerminalExitRequest', { exitCode: 0, signal: null }],
    ['terminal/output', 'TerminalOutputRequest', { output: '', truncated: false }],
    ['terminal/release', 'ReleaseTerminalRequest', {}],
  ];
  const asked = new Set<string>();
  for (const [method, type, answer] of answers) {
    peer.onRequest(method, (params) => {
      asked.add(method);
      check(type, params);
      return answer;
    });
  }
  const ask = async (method: string, type: string, params: object): Promise<Record<string, unknown>> => {
    const result = await peer.request(method, params);
    check(type, result);
    return result;
  };

  const cwd = tmpdir();
  const clientCapabilities = {
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
    elicitation: { form: {} },
    _meta: { 'sandboxagent.dev': { seq: true } },
  };
  await ask('initialize', 'InitializeResponse', { protocolVersion: 1, clientCapabilities });
  const { sessionId } = await ask('session/new', 'NewSessionResponse', { cwd, mcpServers: [] });
  const steps: Step[] = [
    { say: 'a' },
    { flood: { count: 3, bytes: 8 } },
    { mode: 'plan' },
    { title: 't' },
    { permission: {} },
    { elicit: {} },
    { question: { options: [{ id: 'a', label: 'A', description: 'd' }], freeText: true } },
    { question: { options: [{ id: 'a', label: 'A' }], multiSelect: true } },
    { question: {} },
    { fsRead: '/a' },
    { fsWrite: { path: '/a', content: '' } },
    { terminal: { command: 'ls' } },
  ];
  const prompt = [{ type: 'text', text: script(...steps) }];
  await ask('session/prompt', 'PromptResponse', { sessionId, prompt });
  await ask('session/load', 'LoadSessionResponse', { sessionId, cwd, mcpServers: [] });
  await ask('session/resume', 'ResumeSessionResponse', { sessionId, cwd });
  await ask('session/list', 'ListSessionsResponse', {});
  await ask('session/set_mode', 'SetSessionModeResponse', { sessionId, modeId: 'code' });
  const option = { sessionId, configId: 'model', value: 'fake-large' };
  await ask('session/set_config_option', 'SetSessionConfigOptionResponse', option);
  await ask('session/close', 'CloseSessionResponse', { sessionId });
  await ask('session/delete', 'DeleteSessionResponse', { sessionId });
  for (const params of peer.notifications('session/update')) check('SessionNotification', params);
  expect(peer.notifications('session/update').length).toBeGreaterThan(10);
  expect([...asked].sort()).toEqual(answers.map(([method]) => method).sort());
  expect(faults).toEqual([]);
});

it('what Reeve writes of models, modes and options in the place of the agent is valid too', async () => {
  const config = { agents: { fake: fakeAgentCommand(['--models', '--resume']) }, defaultAgent: 'fake' };
  await using reeve = await startReeve({ config });
  const clientCapabilities = { session: { configOptions: { boolean: {} } } };
  const faults: unknown[] = [];
  const open = async () => {
    const peer = await connectWebSocket(`${reeve.url}/acp`, { token: reeve.token });
    await peer.request('initialize', { protocolVersion: 1, clientCapabilities });
    const ask = async (method: string, type: string, params: object): Promise<Record<string, unknown>> => {
      const result = await peer.request<Record<string, unknown>>(method, params);
      faults.push(faultsOf(type, result));
      return result;
    };
    return { peer, ask };
  };
  const [chooser, watcher] = [await open(), await open()];
  await using _chooser = chooser.peer;
  await using _watcher = watcher.peer;
  const place = { cwd: tmpdir(), mcpServers: [] };
  const _meta = { 'sandboxagent.dev': { title: 'A title', model: 'fake-large', agentMode: 'plan', variant: 'high' } };
  const { sessionId } = await chooser.ask('session/new', 'NewSessionResponse', { ...place, _meta });
  await watcher.ask('session/resume', 'ResumeSessionResponse', { sessionId, cwd: place.cwd });
  const choose = (configId: string, value: string): Promise<unknown> =>
    chooser.ask('session/set_config_option', 'SetSessionConfigOptionResponse', { sessionId, configId, value });
  await choose('model', 'fake-small');
  await choose('mode', 'code');
  await chooser.ask('session/set_mode', 'SetSessionModeResponse', { sessionId, modeId: 'ask' });
  const metadata = { title: null, permissionMode: 'plan' };
  await chooser.peer.request('_sandboxagent/session/set_metadata', { sessionId, metadata });
  await watcher.ask('session/load', 'LoadSessionResponse', { sessionId, ...place });
  const told = watcher.peer.notifications('session/update');
  for (const params of told) faults.push(faultsOf('SessionNotification', params));
  const kinds = new Set(told.map(({ update }) => (update as { sessionUpdate: string }).sessionUpdate));
  expect(kinds).toEqual(new Set(['session_info_update', 'config_option_update', 'current_mode_update']));
  expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
});
