import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject, META_KEY } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import { appliedIn, last, valuesOf } from './choices.rig.ts';
import { eventually, startRig } from './session.rig.ts';
import { load, newSession, prompt, resume } from './session-calls.rig.ts';

describe('choices by set_metadata', () => {
  const SET = '_sandboxagent/session/set_metadata';

  it('reach a live agent at once, and everybody who looks on', async () => {
    await using rig = await startRig({ agents: { options: ['--config-options'] } });
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const other = await rig.connect();
    await resume(rig, other, sessionId);
    const result = await peer.request<JsonObject>(SET, {
      sessionId,
      metadata: { model: 'fake-large', agentMode: 'plan' },
    });
    expect(result.metadata).toEqual({ model: 'fake-large', agentMode: 'plan' });
    expect(appliedIn(result)).toMatchObject({ model: { rung: 'config_option' }, agentMode: { rung: 'set_mode' } });
    for (const client of [peer, other]) {
      await eventually(() => valuesOf(last(client, 'config_option_update')?.configOptions)).toMatchObject({
        model: 'fake-large',
      });
      expect(last(client, 'current_mode_update')).toMatchObject({ currentModeId: 'plan' });
    }
  });

  it.each([
    ['resume', ['--resume']],
    ['load', []],
    ['transcript', ['--no-load']],
  ])('wait for the next agent process while there is none; what was chosen outlives %s', async (by, flags) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'reeve-choices-'));
    const agent = ['--config-options', '--models', '--settings-once', `--state-dir=${folder.path}`, ...flags];
    await using rig = await startRig({ agents: { fake: agent } });
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer, { agentMode: 'plan', permissionMode: 'trust' });
    await prompt(peer, sessionId, [{ crash: { code: 3 } }]).catch(() => {});
    await eventually(() => rig.directory.live(sessionId as never)?.state).toBe('failed');
    const result = await peer.request<JsonObject>(SET, { sessionId, metadata: { model: 'fake-large' } });
    expect(appliedIn(result)).toEqual({ model: { rung: 'pending', requested: 'fake-large' } });
    expect(rig.directory.live(sessionId as never)?.state).toBe('failed');
    const { configOptions, modes, _meta } = await load(rig, peer, sessionId);
    expect(_meta).toMatchObject({ [META_KEY]: { restored: by, model: 'fake-large' } });
    expect(valuesOf(configOptions)).toEqual({ model: 'fake-large', thinking: 'low', permissions: 'trust' });
    expect(modes).toMatchObject({ currentModeId: 'plan' });
    const told = await peer.request<{ configOptions: unknown }>('session/set_config_option', {
      sessionId,
      configId: 'thinking',
      value: 'high',
    });
    expect(valuesOf(told.configOptions)).toEqual({ model: 'fake-large', thinking: 'high', permissions: 'trust' });
    await prompt(peer, sessionId, [{ received: 'session' }]);
    expect(JSON.parse(peer.agentTexts(sessionId).at(-1) as string)._meta).toEqual({
      [META_KEY]: { agentMode: 'plan', permissionMode: 'trust', model: 'fake-large' },
    });
  });

  it('are set again before a prompt reaches the agent, whenever it comes', async () => {
    const settings = {
      models: { currentModelId: 'a', availableModels: [] },
      modes: { currentModeId: 'b', availableModes: [] },
    };
    const agent = `const heard = []; let rest = '';
      const send = (it) => console.log(JSON.stringify({ jsonrpc: '2.0', ...it }));
      const answer = ({ id, method, params }) => {
        heard.push(method);
        if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } } });
        else if (method === 'session/new') send({ id, result: { sessionId: 'S', ...${JSON.stringify(settings)} } });
        else if (method !== 'session/prompt') setTimeout(send, method.includes('set_') ? 300 : 0, { id, result: {} });
        else if (params.prompt[0].text === 'die') process.exit(3);
        else {
          const content = { type: 'text', text: heard.join(' ') };
          send({ method: 'session/update', params: { sessionId: 'S', update: { sessionUpdate: 'agent_message_chunk', content } } });
          send({ id, result: { stopReason: 'end_turn' } });
        }
      };
      process.stdin.on('data', (data) => {
        const lines = (rest + data).split('\\n'); rest = lines.pop();
        for (const line of lines) answer(JSON.parse(line));
      });`;
    const commands = { slow: { command: process.execPath, args: ['-e', agent] } };
    await using rig = await startRig({ agents: {}, commands });
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const state = (): unknown => rig.directory.live(sessionId as never)?.state;
    await prompt(peer, sessionId, 'die').catch(() => {});
    await eventually(state).toBe('failed');
    const other = await rig.connect();
    const loaded = load(rig, other, sessionId);
    await eventually(state).toBe('idle');
    await prompt(peer, sessionId, 'now');
    expect(peer.agentTexts()).toEqual(['initialize session/resume session/set_model session/set_mode session/prompt']);
    await loaded;
  });
});
