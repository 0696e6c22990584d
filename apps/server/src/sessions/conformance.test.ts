import { isObject, type JsonObject } from '@reeve/protocol';
import { connectWebSocket, type JsonRpcPeer } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerIndex, eventually, load, newSession, prompt, resume, type SessionRig, startRig } from './session.rig.ts';

/** The ids are those of the public conformance kit for ACP v1 agents. */
describe('as an ACP v1 agent over WebSocket', () => {
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

  it('TRANSPORT-001/002: every frame is one JSON-RPC 2.0 message', async () => {
    await prompt(peer, await newSession(rig, peer), 'hello ⚙');
    const incoming = peer.log.filter(({ direction }) => direction === 'in');
    expect(incoming.length).toBeGreaterThan(2);
    for (const { message } of incoming) expect(message?.jsonrpc).toBe('2.0');
  });

  it.each([7, 'a-string', 0, -3, '7'])('JSONRPC-001: answers with the id %j as it came', async (id) => {
    await peer.request('session/list', {}, { id });
    expect(peer.log.findLast(({ direction }) => direction === 'in')?.message?.id).toBe(id);
  });

  it('JSONRPC-002: has exactly one of result and error, with an integer code and a message', async () => {
    await expect(peer.request('session/load', {})).rejects.toMatchObject({ code: -32602 });
    for (const { direction, message } of peer.log) {
      if (direction !== 'in' || message === undefined || message.method !== undefined) continue;
      expect('result' in message).not.toBe('error' in message);
      if (!isObject(message.error)) continue;
      expect(Number.isInteger(message.error.code)).toBe(true);
      expect(typeof message.error.message).toBe('string');
    }
  });

  it('JSONRPC-003: answers no notification', async () => {
    const before = peer.log.length;
    peer.notify('session/list', {});
    peer.notify('no/such', { sessionId: 'none' });
    peer.notify('_sandboxagent/unknown', {});
    peer.notify('session/cancel', { sessionId: 'none' });
    peer.sendRaw('{"jsonrpc":"2.0","method":"session/prompt"}');
    await peer.request('session/list', {});
    expect(peer.log.slice(before).filter(({ direction }) => direction === 'in')).toHaveLength(1);
  });

  it('JSONRPC-004/005: refuses unknown methods with -32601 and works on', async () => {
    const sessionId = await newSession(rig, peer);
    await expect(peer.request('no/such', {})).rejects.toMatchObject({ code: -32601 });
    await expect(peer.request('session/no_such', { sessionId })).rejects.toMatchObject({ code: -32601 });
    await expect(peer.request('_sandboxagent/unknown', {})).rejects.toMatchObject({
      code: -32601,
      data: { method: '_sandboxagent/unknown' },
    });
    await expect(peer.request('_sandboxagent/unknown', { sessionId })).rejects.toMatchObject({ code: -32601 });
    expect(await prompt(peer, sessionId, 'still there')).toMatchObject({ stopReason: 'end_turn' });
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

  it('INIT-001/002/004: answers version 1 with 1, and tells what the agent is and what Reeve adds', async () => {
    const raw = await connectWebSocket(rig.url);
    const result = await raw.request<JsonObject>('initialize', { protocolVersion: 1, clientCapabilities: {} });
    expect(result).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'fake-agent', version: '1.0.0' },
      agentCapabilities: { loadSession: true, sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} } },
    });
    raw.close();
  });

  it.each([65_535, 0, 2])('INIT-003: answers version %d with its own', async (protocolVersion) => {
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

  it('SESSION-001/002: gives each session an id of its own', async () => {
    const [one, two] = await Promise.all([newSession(rig, peer), newSession(rig, peer)]);
    expect(one).not.toBe('');
    expect(one).not.toBe(two);
  });

  it('PROMPT-001/002/003: ends with a stop reason after updates with the right session id', async () => {
    const sessionId = await newSession(rig, peer);
    const blocks = [
      { type: 'text', text: 'look at' },
      { type: 'resource_link', uri: 'file:///a', name: 'a' },
    ];
    const result = await peer.request('session/prompt', { sessionId, prompt: blocks });
    expect(result).toMatchObject({ stopReason: 'end_turn' });
    expect(peer.agentTexts(sessionId)).toEqual(['look at']);
  });

  it('PROMPTCAP-001/003: images and embedded resources reach the agent as they are', async () => {
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

  it('CANCEL-001/002: a cancelled turn ends as cancelled, after its updates', async () => {
    const sessionId = await newSession(rig, peer);
    const turn = prompt(peer, sessionId, [{ say: 'started' }, { untilCancel: { say: 'last words' } }]);
    await peer.waitFor(({ params }) => JSON.stringify(params ?? null).includes('started'));
    peer.notify('session/cancel', { sessionId });
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    const last = peer.log.findLastIndex(({ raw }) => raw.includes('last words'));
    expect(last).toBeLessThan(answerIndex(peer, 'session/prompt'));
    await peer.request('session/list', {});
    expect(peer.log.slice(answerIndex(peer, 'session/prompt')).some(({ message }) => message?.method)).toBe(true);
    expect(
      peer.log
        .slice(answerIndex(peer, 'session/prompt'))
        .filter(({ direction, message }) => direction === 'in' && message?.method === 'session/update'),
    ).toEqual([]);
  });

  it('LOAD-001/002/003: replays all before the response and nothing after; the result is an object', async () => {
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

  it('RESUME-001/002: works without mcpServers and shows no history', async () => {
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, 'past');
    const other = await rig.connect();
    await other.request('session/resume', { sessionId, cwd: rig.cwd });
    expect(other.updates()).toEqual([]);
    await prompt(other, sessionId, 'present');
    expect(other.agentTexts()).toEqual(['present']);
  });

  it('LIST-001/002: lists by directory, an unused one gives nothing', async () => {
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

  it('LIST-001: a limit that a client makes up changes nothing', async () => {
    await newSession(rig, peer);
    const all = await peer.request('session/list', {});
    for (const limit of [-1, 1e9, 'x', null]) expect(await peer.request('session/list', { limit })).toEqual(all);
  });

  it('DELETE-001/002: deletes a session; one that is unknown or gone is no error', async () => {
    const sessionId = await newSession(rig, peer);
    expect(await peer.request('session/delete', { sessionId })).toEqual({});
    expect(await peer.request('session/delete', { sessionId })).toEqual({});
    expect(await peer.request('session/delete', { sessionId: 'nobody' })).toEqual({});
    await expect(load(rig, peer, sessionId)).rejects.toMatchObject({ code: -32002 });
    await expect(prompt(peer, sessionId, 'x')).rejects.toMatchObject({ code: -32002 });
  });

  it('CLOSE-001/002: closes an idle session, and a running one with its prompt answered as cancelled', async () => {
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

  it('ADDDIRS-001: takes absolute additional directories to the agent', async () => {
    const { sessionId } = await peer.request<{ sessionId: string }>('session/new', {
      cwd: rig.cwd,
      mcpServers: [],
      additionalDirectories: ['/'],
    });
    await prompt(peer, sessionId, [{ received: 'session' }]);
    expect(JSON.parse(peer.agentTexts(sessionId)[0] as string)).toMatchObject({ additionalDirectories: ['/'] });
  });

  it('MODES-001/002: the current mode is among the available, and set_mode is kept for those who load', async () => {
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

  it('CONFIG-001/002: setting an option answers with the complete list, which load gives too', async () => {
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

  it('AUTH-001/003/004: has methods with unique ids; authenticate and logout reach the agent', async () => {
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
