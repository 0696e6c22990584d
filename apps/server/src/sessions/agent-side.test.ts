import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isObject, type JsonObject } from '@reeve/protocol';
import { connectWebSocket, type JsonRpcPeer } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, type SessionRig, startRig } from './session.rig.ts';
import { answerIndex, load, newSession, prompt, resume } from './session-calls.rig.ts';

/** What e2e/conformance asks of every transport and agent is not repeated here. */
describe('an ACP v1 agent over WebSocket', () => {
  let rig: SessionRig;
  let peer: JsonRpcPeer;

  beforeAll(async () => {
    rig = await startRig({
      agents: {
        full: ['--resume', '--list', '--close', '--delete', '--add-dirs', '--config-options'],
        locked: ['--require-auth'],
        plain: [],
      },
    });
    peer = await rig.connect();
  });
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
  });

  it.each([
    ['not JSON', '{', -32700],
    ['an empty frame', '', -32700],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"session/list"}]', -32600],
    ['a version that is none', '{"jsonrpc":"1.0","id":1,"method":"session/list"}', -32600],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"session/list"}', -32600],
    ['a method that is a number', '{"jsonrpc":"2.0","id":5,"method":5}', -32600],
  ])('answers %s with an error, and the connection works on', async (_what, raw, code) => {
    const from = peer.log.length;
    peer.sendRaw(raw);
    await peer.waitFor(({ error }) => isObject(error) && error.code === code, { from });
    await peer.request('session/list', {});
  });

  it.each([0, 2])('answers version %d with its own', async (protocolVersion) => {
    const raw = await connectWebSocket(rig.url);
    expect(await raw.request('initialize', { protocolVersion })).toMatchObject({ protocolVersion: 1 });
    raw.close();
  });

  it('refuses what comes before initialize, and a second initialize', async () => {
    const raw = await connectWebSocket(rig.url);
    await expect(raw.request('session/list', {})).rejects.toMatchObject({ code: -32600 });
    await expect(raw.request('initialize', {})).rejects.toMatchObject({ code: -32602 });
    const both = await Promise.allSettled([
      raw.request('initialize', { protocolVersion: 1 }),
      raw.request('initialize', { protocolVersion: 1 }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await raw.request('session/list', {});
    raw.close();
  });

  it('refuses an agent that it does not know, naming those it does', async () => {
    await expect(rig.connect({ agent: 'nobody' })).rejects.toMatchObject({
      code: -32602,
      data: { known: ['full', 'locked', 'plain'] },
    });
  });

  it('brings images and embedded resources to the agent as they are', async () => {
    const sessionId = await newSession(rig, peer);
    const blocks = [
      { type: 'image', mimeType: 'image/png', data: 'aGk=', extra: 1 },
      { type: 'resource', resource: { uri: 'file:///a', text: 'body' } },
      { type: 'text', text: '{"do":[{"received":"prompt"}]}' },
    ];
    await peer.request('session/prompt', { sessionId, prompt: blocks });
    expect(JSON.parse(peer.agentTexts(sessionId)[0] as string)).toEqual({ sessionId, prompt: blocks });
  });

  it('refuses a prompt that is no list', async () => {
    const sessionId = await newSession(rig, peer);
    await expect(peer.request('session/prompt', { sessionId, prompt: 'text' })).rejects.toMatchObject({ code: -32602 });
    await expect(peer.request('session/prompt', { sessionId })).rejects.toMatchObject({ code: -32602 });
  });

  it('replays each update once, in order, and refuses what it does not know', async () => {
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, [{ say: 'one' }, { say: 'two' }]);
    const other = await rig.connect();
    const result = await load(rig, other, sessionId);
    expect(isObject(result)).toBe(true);
    expect(other.agentTexts(sessionId)).toEqual(['one', 'two']);
    const answered = answerIndex(other, 'session/load');
    await other.request('session/list', {});
    expect(other.log.slice(answered + 1).filter(({ message }) => message?.method === 'session/update')).toEqual([]);
    await expect(load(rig, other, 'nobody')).rejects.toMatchObject({ code: -32002, data: { sessionId: 'nobody' } });
  });

  it('lists by directory; null is no filter', async () => {
    const sessionId = await newSession(rig, peer);
    const { sessions } = await peer.request<{ sessions: JsonObject[] }>('session/list', {});
    expect(sessions.map((session) => session.sessionId)).toContain(sessionId);
    for (const session of sessions) expect(session.cwd).toBe(rig.cwd);
    expect(await peer.request('session/list', { cwd: '/unused' })).toEqual({ sessions: [] });
    expect(await peer.request('session/list', { cwd: null, cursor: null })).toMatchObject({ sessions });
    await expect(peer.request('session/list', { cursor: 'not ours' })).rejects.toMatchObject({ code: -32602 });
    await expect(peer.request('session/list', { cwd: 5 })).rejects.toMatchObject({ code: -32602 });
    expect(await peer.request('_sandboxagent/session/list', {})).toMatchObject({ sessions });
  });

  it('lists the same whatever limit a client makes up', async () => {
    await newSession(rig, peer);
    const all = await peer.request('session/list', {});
    for (const limit of [-1, 1e9, 'x', null]) expect(await peer.request('session/list', { limit })).toEqual(all);
  });

  it('knows a deleted session no more', async () => {
    const sessionId = await newSession(rig, peer);
    expect(await peer.request('session/delete', { sessionId })).toEqual({});
    expect(await peer.request('session/delete', { sessionId })).toEqual({});
    expect(await peer.request('session/delete', { sessionId: 'nobody' })).toEqual({});
    await expect(load(rig, peer, sessionId)).rejects.toMatchObject({ code: -32002 });
    await expect(prompt(peer, sessionId, 'x')).rejects.toMatchObject({ code: -32002 });
  });

  it('cancels the prompts that wait when a session is closed, which can be loaded again', async () => {
    const idle = await newSession(rig, peer);
    expect(await peer.request('session/close', { sessionId: idle })).toEqual({});
    const busy = await newSession(rig, peer);
    const running = prompt(peer, busy, [{ untilCancel: true }]);
    const waiting = prompt(peer, busy, 'next');
    expect(await peer.request('session/close', { sessionId: busy })).toEqual({});
    expect(await running).toMatchObject({ stopReason: 'cancelled' });
    expect(await waiting).toMatchObject({ stopReason: 'cancelled' });
    await expect(peer.request('session/close', { sessionId: 'nobody' })).rejects.toMatchObject({ code: -32002 });
    await load(rig, peer, busy);
    expect(await prompt(peer, busy, 'again')).toMatchObject({ stopReason: 'end_turn' });
  });

  it('brings additional directories to the agent', async () => {
    const other = realpathSync(tmpdir());
    const { sessionId } = await peer.request<{ sessionId: string }>('session/new', {
      cwd: rig.cwd,
      mcpServers: [],
      additionalDirectories: [other],
    });
    await prompt(peer, sessionId, [{ received: 'session' }]);
    expect(JSON.parse(peer.agentTexts(sessionId)[0] as string)).toMatchObject({ additionalDirectories: [other] });
  });

  it('keeps the mode that was set for those who load', async () => {
    const created = await peer.request<{ sessionId: string; modes: { availableModes: { id: string }[] } }>(
      'session/new',
      { cwd: rig.cwd, mcpServers: [] },
    );
    const { sessionId, modes } = created;
    expect(modes.availableModes.map(({ id }) => id)).toContain('code');
    expect(await peer.request('session/set_mode', { sessionId, modeId: 'code' })).toEqual({});
    await expect(peer.request('session/set_mode', { sessionId, modeId: 'none' })).rejects.toMatchObject({
      code: -32602,
    });
    const other = await rig.connect();
    expect(await load(rig, other, sessionId)).toMatchObject({ modes: { currentModeId: 'code' } });
    await prompt(peer, sessionId, [{ mode: 'plan' }]);
    const update = { sessionUpdate: 'current_mode_update', currentModeId: 'plan' };
    await eventually(() => other.updates(sessionId)).toContainEqual(update);
    expect(await resume(rig, other, sessionId)).toMatchObject({ modes: { currentModeId: 'plan' } });
  });

  it('keeps the option that was set for those who load', async () => {
    const sessionId = await newSession(rig, peer);
    const set = await peer.request<{ configOptions: JsonObject[] }>('session/set_config_option', {
      sessionId,
      configId: 'thinking',
      value: 'high',
    });
    expect(set.configOptions).toHaveLength(3);
    expect(set.configOptions).toContainEqual(expect.objectContaining({ id: 'thinking', currentValue: 'high' }));
    const other = await rig.connect();
    expect(await load(rig, other, sessionId)).toMatchObject({ configOptions: set.configOptions });
  });

  it('brings authenticate and logout to every process of the agent', async () => {
    const raw = await connectWebSocket(rig.url);
    const result = await raw.request<{ authMethods: { id: string }[] }>('initialize', {
      protocolVersion: 1,
      _meta: { 'sandboxagent.dev': { agent: 'locked' } },
    });
    expect(result.authMethods.map(({ id }) => id)).toEqual(['fake-login']);
    const params = { cwd: rig.cwd, mcpServers: [] };
    await expect(raw.request('session/new', params)).rejects.toMatchObject({ code: -32000 });
    expect(await raw.request('authenticate', { methodId: 'fake-login' })).toEqual({});
    // The process of the session is another one than the process that was logged in to.
    expect(await raw.request('session/new', params)).toMatchObject({ sessionId: expect.any(String) });
    expect(await raw.request('logout', {})).toEqual({});
    await expect(raw.request('session/new', params)).rejects.toMatchObject({ code: -32000 });
    raw.close();
  });

  it('meets no error that nobody foresaw', () => {
    expect(rig.unforeseen).toEqual([]);
    expect(rig.warnings).toEqual([]);
  });
});
