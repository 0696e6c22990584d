import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { fakeAgentCommand } from '../fake-agent-command.ts';
import { startAgent } from '../start-agent.ts';
import { script } from './script.ts';

const file = createRequire(import.meta.url).resolve('@agentclientprotocol/sdk/schema/v1/schema.json');
const schema = JSON.parse(readFileSync(file, 'utf8')) as object;
const ajv = new Ajv2020({ strict: false, validateFormats: false, discriminator: false });
ajv.addSchema(schema, 'acp');

function errorsOf(type: string, value: unknown): unknown {
  const validate = ajv.getSchema(`acp#/$defs/${type}`);
  if (validate === undefined) throw new Error(`the schema has no ${type}`);
  return validate(value) ? undefined : { type, value, errors: validate.errors };
}

it('holds against a schema that does refuse', () => {
  expect(errorsOf('InitializeResponse', {})).toBeDefined();
  expect(errorsOf('SessionNotification', { sessionId: 's', update: {} })).toBeDefined();
});

describe('the fake agent, held against the schema of ACP v1', () => {
  it('sends only what the schema allows, but for what is meant to be unknown', async () => {
    const flags = '--resume --list --close --delete --add-dirs --config-options --models --require-auth'.split(' ');
    await using agent = startAgent({ command: fakeAgentCommand(flags) });
    const { peer } = agent;
    const failures: unknown[] = [];
    const check = (type: string, value: unknown): void => {
      const errors = errorsOf(type, value);
      if (errors !== undefined) failures.push(errors);
    };
    const asked: Record<string, string> = {
      'session/request_permission': 'RequestPermissionRequest',
      'elicitation/create': 'CreateElicitationRequest',
      'fs/read_text_file': 'ReadTextFileRequest',
      'fs/write_text_file': 'WriteTextFileRequest',
      'terminal/create': 'CreateTerminalRequest',
    };
    for (const [method, type] of Object.entries(asked)) peer.onRequest(method, (params) => check(type, params));
    const ask = async (method: string, type: string, params: object): Promise<Record<string, unknown>> => {
      const result = await peer.request(method, params);
      check(type, result);
      return result;
    };

    await ask('initialize', 'InitializeResponse', { protocolVersion: 1 });
    await ask('authenticate', 'AuthenticateResponse', { methodId: 'fake-login' });
    const place = { cwd: '/', mcpServers: [] };
    const { sessionId } = await ask('session/new', 'NewSessionResponse', place);
    const text = script(
      { say: 'a' },
      { flood: { count: 3, bytes: 8 } },
      { mode: 'plan' },
      { title: 't' },
      { permission: {} },
      { elicit: {} },
      { fsRead: '/a' },
      { fsWrite: { path: '/a', content: '' } },
      { terminal: { command: 'ls' } },
    );
    // Null is no answer to some of these: the failing step ends the turn, so each has a turn of its own.
    for (const step of (JSON.parse(text) as { do: object[] }).do) {
      const prompt = [{ type: 'text', text: JSON.stringify({ do: [step] }) }];
      const result = await peer.request('session/prompt', { sessionId, prompt }).catch(() => undefined);
      if (result !== undefined) check('PromptResponse', result);
    }
    await ask('session/load', 'LoadSessionResponse', { sessionId, ...place });
    await ask('session/resume', 'ResumeSessionResponse', { sessionId, cwd: '/' });
    await ask('session/list', 'ListSessionsResponse', {});
    await ask('session/set_mode', 'SetSessionModeResponse', { sessionId, modeId: 'code' });
    const option = { sessionId, configId: 'model', value: 'fake-large' };
    await ask('session/set_config_option', 'SetSessionConfigOptionResponse', option);
    await ask('session/close', 'CloseSessionResponse', { sessionId });
    await ask('session/delete', 'DeleteSessionResponse', { sessionId });
    for (const params of peer.notifications('session/update')) check('SessionNotification', params);
    expect(peer.notifications('session/update').length).toBeGreaterThan(10);
    expect(failures).toEqual([]);
  });
});
