import { isObject, type JsonObject, META_KEY } from '@reeve/protocol';
import { sayText } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callControl } from './control-calls.ts';
import { openRealAgentLab, type RealAgentLab } from './real-agent-lab.ts';
import type { RealAgentName } from './real-agents.ts';
import type { SdkClient } from './sdk-client.ts';

interface Case {
  readonly name: RealAgentName;
  /** Chosen at creation. */
  readonly wanted: JsonObject;
  readonly applied: JsonObject;
  /** Later, by the one request and by the other: what must be chosen after. */
  readonly later: readonly { readonly method: string; readonly params: JsonObject; readonly chosen: JsonObject }[];
}

const set = (configId: string, value: string) => ({
  method: 'session/set_config_option',
  params: { configId, value },
});
const setModel = (modelId: string) => ({ method: 'session/set_model', params: { modelId } });
const setMode = (modeId: string) => ({ method: 'session/set_mode', params: { modeId } });

const CASES: readonly Case[] = [
  {
    name: 'codex',
    wanted: { model: 'gpt-5.4', variant: 'high', agentMode: 'plan' },
    applied: {
      model: { rung: 'config_option', value: 'gpt-5.4' },
      // It offers levels only once a model is chosen that has them.
      variant: { rung: 'config_option', value: 'high' },
      agentMode: { rung: 'hint', available: [] },
    },
    later: [
      { ...setModel('gpt-5.2'), chosen: { model: 'gpt-5.2' } },
      { ...set('model', 'gpt-5.4'), chosen: { model: 'gpt-5.4' } },
    ],
  },
  {
    name: 'claude',
    wanted: { model: 'sonnet', variant: 'high', agentMode: 'plan', permissionMode: 'acceptEdits' },
    applied: {
      model: { rung: 'config_option', value: 'sonnet' },
      variant: { rung: 'config_option', value: 'high' },
      agentMode: { rung: 'set_mode', value: 'plan' },
      // Its modes are its permissions: one switch, which the mode has moved already.
      permissionMode: { rung: 'hint', reason: 'agentMode has set the same to "plan"' },
    },
    later: [
      { ...setModel('opus'), chosen: { model: 'opus', mode: 'plan' } },
      { ...set('mode', 'acceptEdits'), chosen: { mode: 'acceptEdits' } },
      { ...setMode('default'), chosen: { mode: 'default' } },
    ],
  },
  {
    name: 'opencode',
    wanted: { model: 'scripted/scripted-model', agentMode: 'plan', variant: 'high' },
    applied: {
      model: { rung: 'config_option', value: 'scripted/scripted-model' },
      agentMode: { rung: 'config_option', configId: 'mode', value: 'plan' },
      variant: { rung: 'hint' },
    },
    later: [
      { ...setMode('build'), chosen: { mode: 'build' } },
      { ...set('mode', 'plan'), chosen: { mode: 'plan' } },
      { ...setModel('scripted/scripted-model'), chosen: { model: 'scripted/scripted-model' } },
    ],
  },
  {
    name: 'claude-code',
    wanted: { model: 'haiku', permissionMode: 'plan', variant: 'high' },
    applied: {
      model: { rung: 'set_model', value: 'haiku' },
      permissionMode: { rung: 'set_mode', value: 'plan' },
      variant: { rung: 'hint', available: [] },
    },
    later: [
      { ...set('model', 'opus'), chosen: { model: 'opus', mode: 'plan' } },
      { ...set('mode', 'acceptEdits'), chosen: { mode: 'acceptEdits' } },
      { ...setModel('haiku'), chosen: { model: 'haiku' } },
    ],
  },
];

describe.each(CASES)('what is chosen of the real agent $name', ({ name, wanted, applied, later }) => {
  let lab: RealAgentLab;
  let client: SdkClient;
  let sessionId: string;
  let mine: JsonObject;

  const ask = async (from: SdkClient, method: string, params: JsonObject): Promise<JsonObject> => {
    const result: unknown = await from.agent.request(method as never, { sessionId, ...params } as never);
    return isObject(result) ? result : {};
  };
  const load = (from: SdkClient): Promise<JsonObject> => ask(from, 'session/load', { cwd: lab.cwd, mcpServers: [] });
  const connect = (): Promise<SdkClient> =>
    lab.connect('websocket', { capabilities: { session: { configOptions: { boolean: {} } } } });

  beforeAll(async () => {
    lab = await openRealAgentLab(name);
    client = await connect();
    const _meta = { [META_KEY]: { mine: true, ...wanted } };
    const result = await client.agent.request('session/new', { cwd: lab.cwd, mcpServers: [], _meta });
    mine = { ...result };
    sessionId = result.sessionId;
  });
  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await lab?.[Symbol.asyncDispose]();
  });

  it('at creation is taken by the rung that it has, and told', async () => {
    const ours = (mine._meta as JsonObject)[META_KEY] as JsonObject;
    expect(ours.applied).toMatchObject(applied);
    const taken = Object.entries(applied).flatMap(([choice, outcome]) => {
      const { value, rung } = outcome as JsonObject;
      return rung === 'hint' ? [] : [[choice === 'agentMode' || choice === 'permissionMode' ? 'mode' : choice, value]];
    });
    for (const [kind, value] of taken) {
      if (kind !== 'variant') expect(chosen(mine), String(kind)).toMatchObject({ [String(kind)]: value });
    }
  });

  it('later is taken in the words of older and of newer clients, and told to the others', async () => {
    await using other = await connect();
    await load(other);
    for (const step of later) {
      const result = await ask(client, step.method, step.params);
      if (step.method === 'session/set_config_option') expect(chosen(result)).toMatchObject(step.chosen);
      await expect.poll(() => chosen(lastOptions(other))).toMatchObject(step.chosen);
    }
  });

  it('outlives the server and the agent process', async () => {
    // Some agents keep nothing of a conversation in which nothing was said.
    lab.model.script(sayText('greet me', 'Hello.'));
    await ask(client, 'session/prompt', { prompt: [{ type: 'text', text: 'Please greet me' }] });
    // A process that is closed has time to write down what it keeps.
    await ask(client, 'session/close', {});
    await client[Symbol.asyncDispose]();
    await lab.killAndRestart();
    client = await connect();
    const result = await load(client);
    const last = Object.assign({}, ...later.map((step) => step.chosen)) as JsonObject;
    expect(chosen(result)).toMatchObject(last);
    const own = (result._meta as JsonObject)[META_KEY] as JsonObject;
    const metadata = { mine: true, ...wanted };
    expect(own).toMatchObject(metadata);
    const info = await callControl(lab.reeve, `/sessions/${encodeURIComponent(sessionId)}`);
    expect(info).toMatchObject({ metadata });
  });
});

/** Current values by what they are: the category where an option has one. */
function chosen(told: JsonObject): JsonObject {
  const options = Array.isArray(told.configOptions) ? told.configOptions.filter(isObject) : [];
  return Object.fromEntries(options.map(({ id, category, currentValue }) => [category ?? id, currentValue]));
}

/** The options of the last update that a client got; the load's own answer is not among them. */
function lastOptions(client: SdkClient): JsonObject {
  const update = client.updates.findLast((it) => it.update.sessionUpdate === 'config_option_update')?.update;
  return { ...update };
}
