import { META_KEY, type ReviewParams } from '@reeve/protocol';
import { connectWebSocket } from '@reeve/testkit';
import { describe, expect, it } from 'vitest';
import { eventually, type SessionRig, startRig } from './session.rig.ts';
import { rawOf } from './session-calls.rig.ts';
import { connectV2, ended, newV2, saidTo, send, states } from './version-two.rig.ts';

const info = { name: 'two', version: '1' };
const both = { agents: { fake: ['--v2', '--delete', '--config-options'], old: [] } };

async function resume(rig: SessionRig, peer: Awaited<ReturnType<typeof connectV2>>, sessionId: string, more = {}) {
  return peer.request('session/resume', { sessionId, cwd: rig.cwd, ...more });
}

describe('a connection', () => {
  it('speaks v2 with an agent that does, and v1 with the same agent for a client of v1', async () => {
    await using rig = await startRig(both);
    const raw = await connectWebSocket(rig.url);
    const result = await raw.request('initialize', { protocolVersion: 2, info });
    expect(result).toMatchObject({
      protocolVersion: 2,
      info: { name: 'fake-agent' },
      capabilities: { session: { delete: {}, mcp: { stdio: {} } } },
    });
    expect(result).toHaveProperty(['capabilities', '_meta', META_KEY, 'extensions', 'sessionFork'], false);
    const old = await connectWebSocket(rig.url);
    expect(await old.request('initialize', { protocolVersion: 1 })).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'fake-agent' },
    });
    raw.close();
    old.close();
  });

  it('is refused with the error of the protocol when the agent speaks v1 only, and may come back in v1', async () => {
    await using rig = await startRig(both);
    const raw = await connectWebSocket(rig.url);
    const agent = { _meta: { [META_KEY]: { agent: 'old' } } };
    for (const requested of [2, 3, 2]) {
      await expect(
        raw.request('initialize', { protocolVersion: requested, info, capabilities: {}, ...agent }),
      ).rejects.toMatchObject({ code: -32022, data: { requested, supported: [1] } });
    }
    expect(await raw.request('initialize', { protocolVersion: 1, ...agent })).toMatchObject({ protocolVersion: 1 });
    await raw.request('session/new', { cwd: rig.cwd, mcpServers: [] });
    raw.close();
  });

  it('of v2 has no request without an id that can be answered', async () => {
    await using rig = await startRig(both);
    await using peer = await connectV2(rig);
    peer.sendRaw('{"jsonrpc":"2.0","id":null,"method":"session/list","params":{}}');
    expect(await peer.waitFor(({ id }) => id === null)).toMatchObject({ error: { code: -32600 } });
  });

  it('of a later version is answered with 2', async () => {
    await using rig = await startRig(both);
    const raw = await connectWebSocket(rig.url);
    expect(await raw.request('initialize', { protocolVersion: 65_535, info })).toMatchObject({ protocolVersion: 2 });
    raw.close();
  });
});

describe('a session of v2', () => {
  it('answers a prompt when it is inserted, and tells how the work goes on, bit for bit', async () => {
    await using rig = await startRig(both);
    await using peer = await connectV2(rig);
    const sessionId = await newV2(rig, peer);
    const messageId = await send(peer, sessionId, [{ say: 'one' }, { untilCancel: true }]);
    await eventually(() => saidTo(peer)).toBe('one');
    expect(states(peer)).toEqual(['running']);
    expect(rig.directory.live(sessionId as never)?.state).toBe('running');
    expect(peer.updates()[0]).toMatchObject({ sessionUpdate: 'user_message', messageId });
    peer.notify('session/cancel', { sessionId });
    await ended(peer, 'cancelled');
    expect(rig.directory.live(sessionId as never)?.state).toBe('idle');
    const events = await peer.request<{ events: { kind: string; source: string; message: object }[] }>(
      '_sandboxagent/session/events',
      { sessionId },
    );
    const logged = events.events.filter(({ kind }) => kind === 'update').map(({ message }) => JSON.stringify(message));
    expect(logged).toEqual(rawOf(peer, 'session/update'));
    expect(events.events.map(({ message }) => message)).toContainEqual(
      expect.objectContaining({ type: 'agent_started', protocolVersion: 2 }),
    );
  });

  it('takes prompts while it works: each is inserted at once', async () => {
    await using rig = await startRig(both);
    await using peer = await connectV2(rig);
    const sessionId = await newV2(rig, peer);
    const allowed = Promise.withResolvers<object>();
    peer.onRequest('session/request_permission', () => allowed.promise);
    const first = await send(peer, sessionId, [{ permission: {} }, { say: 'a' }]);
    const second = await send(peer, sessionId, 'b');
    expect(second).not.toBe(first);
    expect(saidTo(peer)).toBe('');
    await eventually(() => states(peer)).toEqual(['running', 'requires_action']);
    await expect(send(peer, sessionId, 'c', { whenBusy: 'refuse' })).rejects.toMatchObject({ code: 47006 });
    allowed.resolve({ outcome: { outcome: 'selected', optionId: 'allow-once' } });
    await ended(peer, 'end_turn');
    expect(saidTo(peer)).toMatch(/allow-once.*ab$/);
  });

  it('asks for permission as the agent does; another client answers; what the agent takes back is cancelled', async () => {
    await using rig = await startRig(both);
    await using peer = await connectV2(rig);
    const sessionId = await newV2(rig, peer);
    await using other = await connectV2(rig);
    await resume(rig, other, sessionId);
    const asked: unknown[] = [];
    peer.onRequest('session/request_permission', (params) => {
      asked.push(params);
      return new Promise(() => {});
    });
    other.onRequest('session/request_permission', () => ({
      outcome: { outcome: 'selected', optionId: 'allow-once' },
    }));
    await send(peer, sessionId, [{ permission: { title: 'Run it' } }]);
    await ended(peer, 'end_turn');
    expect(states(peer)).toEqual(['running', 'requires_action', 'running', 'idle end_turn']);
    expect(asked).toMatchObject([{ title: 'Run it', subject: { type: 'tool_call' } }]);
    expect(saidTo(peer)).toContain('allow-once');

    other.onRequest('session/request_permission', () => new Promise(() => {}));
    await send(peer, sessionId, [{ permission: {} }]);
    await eventually(() => rig.directory.live(sessionId as never)?.state).toBe('waiting');
    const before = saidTo(peer).length;
    peer.notify('session/cancel', { sessionId });
    await ended(peer, 'cancelled');
    expect(saidTo(peer).slice(before)).toContain('cancelled');
    expect(rig.broker.pendingOf(sessionId as never)).toEqual([]);
  });

  it('asks every controller what Reeve itself must know; who is slower, or has answered nothing, is told that it is settled', async () => {
    await using rig = await startRig(both);
    await using peer = await connectV2(rig);
    const sessionId = await newV2(rig, peer);
    const asked: object[] = [];
    peer.onRequest('session/request_permission', (params) => {
      asked.push(params as object);
      return new Promise(() => {});
    });
    const server = { name: 'files', fingerprint: 'sha256:0', origin: 'client', transport: 'stdio' } as const;
    const params: ReviewParams = {
      review: 'server',
      approval: 'user',
      server: { ...server, command: 'files', local: true, sandboxed: true, changed: false },
      scopes: ['session'],
    };
    const settled = Promise.withResolvers<object>();
    rig.broker.openReview(sessionId as never, params, {
      onAnswer: async () => {},
      onSettled: (_request, state) => settled.resolve(state),
    });
    await eventually(() => asked).toMatchObject([{ title: 'Start the MCP server "files"' }]);
    await using other = await connectV2(rig, { name: 'other' });
    other.onRequest('session/request_permission', () => ({ outcome: { outcome: 'selected', optionId: 'allow_once' } }));
    await resume(rig, other, sessionId);
    expect(await settled.promise).toMatchObject({ kind: 'answered', by: 'other 1', result: { decision: 'approve' } });
    await eventually(() => peer.notifications('$/cancel_request')).toHaveLength(1);
  });

  it('shows who resumes the history from the start, the present state, then the answer; without replay the state alone', async () => {
    await using rig = await startRig(both);
    await using peer = await connectV2(rig);
    const sessionId = await newV2(rig, peer);
    await send(peer, sessionId, 'one');
    await ended(peer, 'end_turn');
    await send(peer, sessionId, [{ say: 'two' }, { untilCancel: true }]);
    await eventually(() => saidTo(peer)).toBe('onetwo');

    await using late = await connectV2(rig);
    await resume(rig, late, sessionId, { replayFrom: { type: 'start' } });
    expect(late.updates().map(({ sessionUpdate }) => sessionUpdate)).toEqual([
      'user_message',
      'agent_message_chunk',
      'user_message',
      'agent_message_chunk',
      'state_update',
    ]);
    expect(states(late)).toEqual(['running']);
    await using bare = await connectV2(rig);
    expect(await resume(rig, bare, sessionId)).toMatchObject({ configOptions: [{ configId: 'model' }, {}, {}] });
    expect(bare.updates()).toMatchObject([{ sessionUpdate: 'state_update', state: 'running' }]);
    await expect(resume(rig, bare, sessionId, { replayFrom: { type: 'end' } })).rejects.toMatchObject({ code: -32602 });
    await expect(bare.request('session/load', { sessionId, cwd: rig.cwd })).rejects.toMatchObject({ code: -32601 });
    peer.notify('session/cancel', { sessionId });
    await ended(bare, 'cancelled');
  });

  it('sets options by their type, tells the others, and sets them again with the choices of its creation', async () => {
    await using rig = await startRig(both);
    await using peer = await connectV2(rig);
    const created = await peer.request<{ sessionId: string; _meta: Record<string, { applied: unknown }> }>(
      'session/new',
      {
        cwd: rig.cwd,
        _meta: { [META_KEY]: { model: 'fake-large', title: 'T' } },
      },
    );
    const { sessionId } = created;
    expect(created._meta[META_KEY]?.applied).toMatchObject({ model: { rung: 'config_option', value: 'fake-large' } });
    await using other = await connectV2(rig);
    await resume(rig, other, sessionId);
    const result = await peer.request('session/set_config_option', {
      sessionId,
      configId: 'thinking',
      type: 'id',
      value: 'high',
    });
    expect(result).toMatchObject({ configOptions: [{ configId: 'model' }, { currentValue: 'high' }, {}] });
    await eventually(() => other.updates().at(-1)).toMatchObject({ sessionUpdate: 'config_option_update' });
    await expect(peer.request('session/set_mode', { sessionId, modeId: 'plan' })).rejects.toMatchObject({
      code: -32601,
    });
  });

  it('is closed with its work told as cancelled, and deleted', async () => {
    await using rig = await startRig(both);
    await using peer = await connectV2(rig);
    const sessionId = await newV2(rig, peer);
    await send(peer, sessionId, [{ untilCancel: true }]);
    await eventually(() => states(peer)).toEqual(['running']);
    await peer.request('session/close', { sessionId });
    expect(states(peer)).toEqual(['running', 'idle cancelled']);
    expect(await peer.request('session/list', {})).toMatchObject({ sessions: [{ sessionId }] });
    await peer.request('session/delete', { sessionId });
    expect(await peer.request('session/list', {})).toEqual({ sessions: [] });
    await expect(resume(rig, peer, sessionId)).rejects.toMatchObject({ code: -32002, data: { sessionId } });
  });

  it('whose agent crashes is told to have failed, and is resumed by the next prompt', async () => {
    await using rig = await startRig({ agents: { fake: ['--v2', '--state-dir=.'] } });
    await using peer = await connectV2(rig);
    const sessionId = await newV2(rig, peer);
    await send(peer, sessionId, [{ crash: { code: 3 } }]);
    await ended(peer, 'error');
    const live = rig.directory.live(sessionId as never);
    expect(live?.state).toBe('failed');
    expect(live?.record.failure).toMatchObject({ during: 'turn', message: 'agent "fake" exited with code 3' });
    await send(peer, sessionId, 'again');
    await ended(peer, 'end_turn');
    expect(live?.record.failure).toBeUndefined();
    expect(saidTo(peer)).toBe('again');
  });

  it('may name another agent than its connection, held to what that one offers and speaks', async () => {
    await using rig = await startRig({ agents: { fake: ['--v2'], more: ['--v2', '--add-dirs'], old: [] } });
    await using peer = await connectV2(rig);
    const create = (agent: string) =>
      peer.request('session/new', {
        cwd: rig.cwd,
        additionalDirectories: [rig.cwd],
        mcpServers: [{ type: 'http', name: 'h', url: 'http://127.0.0.1:1/' }],
        _meta: { [META_KEY]: { agent } },
      });
    await expect(create('fake')).rejects.toMatchObject({ code: -32602 });
    expect(await create('more')).toMatchObject({ _meta: { [META_KEY]: { agent: 'more' } } });
    await expect(create('old')).rejects.toMatchObject({ code: -32022, data: { supported: [1] } });
  });

  it('whose agent has forgotten its options is set as before', async () => {
    await using rig = await startRig({
      agents: { fake: ['--v2', '--config-options', '--settings-once', '--state-dir=.'] },
    });
    await using peer = await connectV2(rig);
    const sessionId = await newV2(rig, peer);
    const option = { sessionId, configId: 'thinking', type: 'id', value: 'high' };
    await peer.request('session/set_config_option', option);
    await send(peer, sessionId, [{ crash: { code: 3 } }]);
    await ended(peer, 'error');
    expect(await resume(rig, peer, sessionId)).toMatchObject({
      configOptions: [{ configId: 'model' }, { configId: 'thinking', currentValue: 'high' }, {}],
      _meta: { [META_KEY]: { restored: 'resume' } },
    });
    const { events } = await peer.request<{ events: { message: object }[] }>('_sandboxagent/session/events', {
      sessionId,
    });
    expect(JSON.stringify(events)).not.toContain('choice_lost');
  });

  it('whose agent has lost it is not restored, and its log can still be read', async () => {
    await using rig = await startRig({ agents: { fake: ['--v2'] } });
    await using peer = await connectV2(rig);
    const sessionId = await newV2(rig, peer);
    await send(peer, sessionId, [{ crash: { code: 3 } }]);
    await ended(peer, 'error');
    await expect(send(peer, sessionId, 'again')).rejects.toMatchObject({ code: 47001 });
    await using observer = await connectV2(rig);
    const asObserver = { replayFrom: { type: 'start' }, _meta: { [META_KEY]: { role: 'observer' } } };
    await resume(rig, observer, sessionId, asObserver);
    expect(observer.updates().map(({ sessionUpdate }) => sessionUpdate)).toContain('user_message');
  });

  it('answers a prompt with a key once', async () => {
    await using rig = await startRig(both);
    await using peer = await connectV2(rig);
    const sessionId = await newV2(rig, peer);
    const key = { idempotencyKey: 'k' };
    const [first, second] = await Promise.all([send(peer, sessionId, 'once', key), send(peer, sessionId, 'once', key)]);
    await ended(peer, 'end_turn');
    expect(second).toBe(first);
    expect(await send(peer, sessionId, 'once', key)).toBe(first);
    expect(saidTo(peer)).toBe('once');
  });

  it('takes a prompt back that was cancelled before the agent had it', async () => {
    await using rig = await startRig({ agents: { fake: ['--v2', '--state-dir=.'] } });
    await using peer = await connectV2(rig);
    const sessionId = await newV2(rig, peer);
    await send(peer, sessionId, [{ crash: { code: 3 } }]);
    await ended(peer, 'error');
    const prompt = send(peer, sessionId, 'never');
    peer.notify('session/cancel', { sessionId });
    await expect(prompt).rejects.toMatchObject({ code: -32800 });
    expect(saidTo(peer)).toBe('');
  });
});

describe('a client of the other version', () => {
  it('is told in which version a session is, and lists, closes and deletes it all the same', async () => {
    await using rig = await startRig(both);
    await using two = await connectV2(rig);
    const one = await rig.connect();
    const sessionId = await newV2(rig, two);
    await expect(one.request('session/load', { sessionId, cwd: rig.cwd, mcpServers: [] })).rejects.toMatchObject({
      code: 47015,
      data: { sessionId, protocolVersion: 2 },
    });
    await expect(one.request('session/fork', { sessionId, cwd: rig.cwd, mcpServers: [] })).rejects.toMatchObject({
      code: 47015,
    });
    const made = await one.request<{ sessionId: string }>('session/new', { cwd: rig.cwd, mcpServers: [] });
    await expect(resume(rig, two, made.sessionId)).rejects.toMatchObject({
      code: 47015,
      data: { protocolVersion: 1 },
    });
    const { sessions } = await one.request<{ sessions: { sessionId: string; _meta: Record<string, object> }[] }>(
      'session/list',
      {},
    );
    expect(sessions.find((it) => it.sessionId === sessionId)?._meta[META_KEY]).toMatchObject({ protocolVersion: 2 });
    await one.request('session/close', { sessionId });
    await one.request('session/delete', { sessionId });
    await expect(resume(rig, two, sessionId)).rejects.toMatchObject({ code: -32002 });
  });
});
