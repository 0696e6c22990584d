import { type JsonObject, META_KEY } from '@reeve/protocol';
import type { JsonRpcPeer } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appliedIn, create, last, type Told, valuesOf } from './choices.rig.ts';
import { eventually, type SessionRig, startRig } from './session.rig.ts';
import { load, newSession, prompt, rawOf, resume } from './session-calls.rig.ts';

const SELECTS: JsonObject = { session: { configOptions: {} } };
const BOOLEANS: JsonObject = { session: { configOptions: { boolean: {} } } };

describe('what a client chooses at creation', () => {
  let rig: SessionRig;

  beforeAll(async () => {
    rig = await startRig({
      agents: {
        options: ['--config-options'],
        models: ['--models'],
        bare: ['--no-modes'],
        modeOption: ['--no-modes', '--config-options'],
        stubborn: ['--config-options', '--models', '--refuse-settings'],
        telling: ['--config-options', '--tell-settings'],
      },
    });
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  it('reaches an agent by its config options, and the answer shows what is chosen after', async () => {
    const peer = await rig.connect({ agent: 'options' });
    const wanted = { model: 'fake-large', variant: 'HIGH', agentMode: 'code', permissionMode: 'trust' };
    const result = await create(rig, peer, wanted);
    expect(appliedIn(result)).toEqual({
      model: { rung: 'config_option', configId: 'model', requested: 'fake-large', value: 'fake-large' },
      variant: { rung: 'config_option', configId: 'thinking', requested: 'HIGH', value: 'high' },
      agentMode: { rung: 'set_mode', requested: 'code', value: 'code' },
      permissionMode: { rung: 'config_option', configId: 'permissions', requested: 'trust', value: 'trust' },
    });
    expect(valuesOf(result.configOptions)).toEqual({ model: 'fake-large', thinking: 'high', permissions: 'trust' });
    expect(result.modes?.currentModeId).toBe('code');
    const other = await rig.connect({ agent: 'options' });
    expect(await load(rig, other, result.sessionId)).toMatchObject({
      modes: result.modes,
      configOptions: result.configOptions,
    });
    expect(peer.updates()).toEqual([]);
  });

  it('reaches an older agent by set_model and set_mode', async () => {
    const peer = await rig.connect({ agent: 'models' });
    const result = await create(rig, peer, { model: 'Fake-large', agentMode: 'Plan', permissionMode: 'plan' });
    expect(appliedIn(result)).toEqual({
      model: { rung: 'set_model', requested: 'Fake-large', value: 'fake-large' },
      agentMode: { rung: 'set_mode', requested: 'Plan', value: 'plan' },
      permissionMode: { rung: 'set_mode', requested: 'plan', value: 'plan' },
    });
    expect(result.models?.currentModelId).toBe('fake-large');
    expect(result.modes?.currentModeId).toBe('plan');
    expect(result.configOptions).toBeUndefined();
  });

  it('reaches an agent without modes by its option of that category', async () => {
    const peer = await rig.connect({ agent: 'modeOption' });
    const result = await create(rig, peer, { agentMode: 'trust' });
    expect(appliedIn(result).agentMode).toMatchObject({ rung: 'config_option', configId: 'permissions' });
    expect(valuesOf(result.configOptions)).toMatchObject({ permissions: 'trust' });
  });

  it('is a hint, said aloud, for an agent that has nothing of the kind, and where the value is not offered', async () => {
    const peer = await rig.connect({ agent: 'bare' });
    const wanted = { model: 'm', variant: 'v', agentMode: 'a', permissionMode: 'p' };
    const result = await create(rig, peer, wanted);
    for (const [name, requested] of Object.entries(wanted)) {
      expect(appliedIn(result)[name]).toEqual({ rung: 'hint', requested, available: [] });
    }
    await prompt(peer, result.sessionId, [{ received: 'session' }]);
    expect(JSON.parse(peer.agentTexts(result.sessionId)[0] as string)._meta).toEqual({ [META_KEY]: wanted });
    const picky = await rig.connect({ agent: 'options' });
    expect(appliedIn(await create(rig, picky, { model: 'nobody-has-it' })).model).toEqual({
      rung: 'hint',
      requested: 'nobody-has-it',
      available: ['fake-small', 'fake-large'],
    });
  });

  it('takes the next rung when the agent refuses one, and tells what failed', async () => {
    const peer = await rig.connect({ agent: 'stubborn' });
    const result = await create(rig, peer, { model: 'fake-large' });
    const error = 'it cannot be set now';
    expect(appliedIn(result).model).toMatchObject({
      rung: 'hint',
      failures: [
        { rung: 'config_option', error },
        { rung: 'set_model', error },
      ],
    });
    expect(valuesOf(result.configOptions)).toMatchObject({ model: 'fake-small' });
  });

  it('does not move one switch twice: the second choice is a hint that says why', async () => {
    const peer = await rig.connect({ agent: 'models' });
    const result = await create(rig, peer, { agentMode: 'plan', permissionMode: 'code' });
    expect(appliedIn(result).permissionMode).toMatchObject({
      rung: 'hint',
      reason: 'agentMode has set the same to "plan"',
    });
    expect(result.modes?.currentModeId).toBe('plan');
  });

  it('does not show a client older updates than the answer', async () => {
    const peer = await rig.connect({ agent: 'telling' });
    const result = await create(rig, peer, { model: 'fake-large', agentMode: 'code', permissionMode: 'trust' });
    await prompt(peer, result.sessionId, 'hello');
    expect(peer.updates().map(({ sessionUpdate }) => sessionUpdate)).toEqual(['agent_message_chunk']);
    expect(valuesOf(result.configOptions)).toMatchObject({ model: 'fake-large', permissions: 'trust' });
  });
});

describe('what a client chooses later', () => {
  let rig: SessionRig;

  beforeAll(async () => {
    rig = await startRig({
      agents: {
        options: ['--no-modes', '--config-options', '--boolean-option'],
        models: ['--models'],
        telling: ['--config-options', '--tell-settings'],
        terse: ['--config-options', '--bare-answers'],
      },
    });
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  it('by set_model and set_mode reaches an agent that has config options instead', async () => {
    const peer = await rig.connect({ agent: 'options' });
    const sessionId = await newSession(rig, peer);
    expect(await peer.request('session/set_model', { sessionId, modelId: 'fake-large' })).toEqual({});
    expect(await peer.request('session/set_mode', { sessionId, modeId: 'trust' })).toEqual({});
    const { configOptions } = await load(rig, await rig.connect({ agent: 'options' }), sessionId);
    expect(valuesOf(configOptions)).toEqual({ model: 'fake-large', thinking: 'low', permissions: 'trust' });
    await expect(peer.request('session/set_model', { sessionId, modelId: 'none' })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it('by set_config_option reaches an agent that has models and modes only, and is answered with all options', async () => {
    const peer = await rig.connect({ agent: 'models', clientCapabilities: SELECTS });
    const { sessionId, configOptions } = await create(rig, peer, {});
    expect(valuesOf(configOptions)).toEqual({ model: 'fake-small', mode: 'ask' });
    const set = (configId: string, value: string): Promise<Told> =>
      peer.request('session/set_config_option', { sessionId, configId, value });
    expect(valuesOf((await set('model', 'fake-large')).configOptions)).toEqual({ model: 'fake-large', mode: 'ask' });
    expect(valuesOf((await set('mode', 'plan')).configOptions)).toEqual({ model: 'fake-large', mode: 'plan' });
    await expect(set('model', 'none')).rejects.toMatchObject({ code: -32602 });
    const result = (await load(rig, peer, sessionId)) as Told;
    expect(result.models?.currentModelId).toBe('fake-large');
    expect(result.modes?.currentModeId).toBe('plan');
  });

  it('shows options that stand for models and modes to clients that know options, and to no other', async () => {
    const old = await rig.connect({ agent: 'models' });
    const { sessionId, ...given } = await create(rig, old, {});
    expect(given).not.toHaveProperty('configOptions');
    const [knowing, watching] = [
      await rig.connect({ agent: 'models', clientCapabilities: SELECTS }),
      await rig.connect({ agent: 'models', clientCapabilities: SELECTS }),
    ];
    expect(valuesOf((await load(rig, knowing, sessionId)).configOptions)).toEqual({ model: 'fake-small', mode: 'ask' });
    expect(valuesOf((await resume(rig, watching, sessionId)).configOptions)).toMatchObject({ model: 'fake-small' });
    await old.request('session/set_model', { sessionId, modelId: 'fake-large' });
    await old.request('session/set_mode', { sessionId, modeId: 'code' });
    for (const client of [knowing, watching]) {
      await eventually(() => valuesOf(last(client, 'config_option_update')?.configOptions)).toEqual({
        model: 'fake-large',
        mode: 'code',
      });
      expect(last(client, 'current_mode_update')).toMatchObject({ currentModeId: 'code' });
    }
    await prompt(old, sessionId, [{ update: { sessionUpdate: 'current_mode_update', currentModeId: 'plan' } }]);
    await eventually(() => valuesOf(last(knowing, 'config_option_update')?.configOptions)).toMatchObject({
      mode: 'plan',
    });
    expect(last(old, 'config_option_update')).toBeUndefined();
    expect(await load(rig, old, sessionId)).not.toHaveProperty('configOptions');
  });

  it('is told once to the other clients, and not to the one who chose', async () => {
    for (const agent of ['options', 'telling']) {
      const peer = await rig.connect({ agent });
      const sessionId = await newSession(rig, peer);
      const other = await rig.connect({ agent });
      await resume(rig, other, sessionId);
      await peer.request('session/set_config_option', { sessionId, configId: 'thinking', value: 'high' });
      await eventually(() => valuesOf(last(other, 'config_option_update')?.configOptions)).toMatchObject({
        thinking: 'high',
      });
      await prompt(peer, sessionId, 'hello');
      const told = (client: JsonRpcPeer): number =>
        client.updates().filter(({ sessionUpdate }) => sessionUpdate === 'config_option_update').length;
      await other.waitFor(({ params }) => JSON.stringify(params ?? null).includes('agent_message_chunk'));
      expect(told(other)).toBe(1);
      expect(told(peer)).toBe(agent === 'telling' ? 1 : 0);
    }
  });

  it('in a mode is told to the others where the agent says nothing', async () => {
    const peer = await rig.connect({ agent: 'models' });
    const sessionId = await newSession(rig, peer);
    const other = await rig.connect({ agent: 'models' });
    await resume(rig, other, sessionId);
    await peer.request('session/set_mode', { sessionId, modeId: 'plan' });
    await eventually(() => last(other, 'current_mode_update')).toMatchObject({ currentModeId: 'plan' });
    expect(last(peer, 'current_mode_update')).toBeUndefined();
  });

  it('is answered with the complete list, also by an agent that answers nothing', async () => {
    const peer = await rig.connect({ agent: 'terse' });
    const sessionId = await newSession(rig, peer);
    const { configOptions } = await peer.request<Told>('session/set_config_option', {
      sessionId,
      configId: 'thinking',
      value: 'high',
    });
    expect(valuesOf(configOptions)).toEqual({ model: 'fake-small', thinking: 'high', permissions: 'ask' });
  });

  it('never shows a boolean option to a client that does not know them', async () => {
    const knowing = await rig.connect({ agent: 'options', clientCapabilities: BOOLEANS });
    const { sessionId, configOptions } = await create(rig, knowing, {});
    expect(valuesOf(configOptions)).toMatchObject({ fast: false });
    const simple = await rig.connect({ agent: 'options', clientCapabilities: SELECTS });
    expect(await load(rig, simple, sessionId)).not.toMatchObject({ configOptions: [{}, {}, {}, {}] });
    const set = (client: JsonRpcPeer, configId: string, value: unknown): Promise<Told> =>
      client.request('session/set_config_option', { sessionId, configId, value });
    expect(valuesOf((await set(knowing, 'fast', true)).configOptions)).toMatchObject({ fast: true });
    expect(valuesOf((await set(simple, 'thinking', 'high')).configOptions)).not.toHaveProperty('fast');
    const option = { id: 'fast', name: 'Fast', type: 'boolean', currentValue: false };
    const update = { sessionUpdate: 'config_option_update', configOptions: [option], novelty: 1 };
    await prompt(knowing, sessionId, [{ update }]);
    expect(last(knowing, 'config_option_update')).toEqual(update);
    await eventually(() => last(simple, 'config_option_update')).toEqual({ ...update, configOptions: [] });
    const plain = await rig.connect({ agent: 'options' });
    await load(rig, plain, sessionId);
    const fresh = await create(rig, plain, {});
    expect(valuesOf(fresh.configOptions)).not.toHaveProperty('fast');
    for (const client of [simple, plain]) expect(client.log.map(({ raw }) => raw).join('')).not.toContain('"Fast"');
    for (const client of [knowing]) expect(rawOf(client, 'session/update').join('')).toContain('"Fast"');
  });
});
