import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonRpcPeer } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, type SessionRig, startRig } from './session.rig.ts';
import { load, newSession, prompt } from './session-calls.rig.ts';

describe('session/new', () => {
  let rig: SessionRig;
  let peer: JsonRpcPeer;

  beforeAll(async () => {
    rig = await startRig({ agents: { plain: [], fixed: ['--session-id=FIXED'] } });
    peer = await rig.connect();
    await writeFile(join(rig.cwd, 'file'), '');
  });
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
  });

  const stdio = { name: 'a', command: '/bin/true', args: [], env: [] };
  it.each<[string, (cwd: string) => object, RegExp]>([
    ['without mcpServers', (cwd) => ({ cwd }), /mcpServers: required array/],
    ['with mcpServers null', (cwd) => ({ cwd, mcpServers: null }), /mcpServers/],
    ['without cwd', () => ({ mcpServers: [] }), /cwd/],
    ['with a relative cwd', () => ({ cwd: 'a/b', mcpServers: [] }), /cwd/],
    ['with an empty cwd', () => ({ cwd: '', mcpServers: [] }), /cwd/],
    ['with a cwd that is not there', (cwd) => ({ cwd: join(cwd, 'none'), mcpServers: [] }), /cwd.*existing directory/],
    ['with a cwd that is a file', (cwd) => ({ cwd: join(cwd, 'file'), mcpServers: [] }), /cwd.*existing directory/],
    ['with a server that is no object', (cwd) => ({ cwd, mcpServers: ['x'] }), /mcpServers\[0\]/],
    ['with a server without args', (cwd) => ({ cwd, mcpServers: [{ ...stdio, args: undefined }] }), /mcpServers\[0\]/],
    ['with env as an object', (cwd) => ({ cwd, mcpServers: [{ ...stdio, env: { A: '1' } }] }), /mcpServers\[0\]\.env/],
    ['with two servers of one name', (cwd) => ({ cwd, mcpServers: [stdio, stdio] }), /mcpServers\[1\]/],
    [
      'with a server that the client serves, for an agent that cannot reach it',
      (cwd) => ({ cwd, mcpServers: [{ type: 'acp', name: 's', serverId: 'x' }] }),
      /mcpServers\[0\]\.type/,
    ],
    [
      'with additionalDirectories for an agent without them',
      (cwd) => ({ cwd, mcpServers: [], additionalDirectories: ['/'] }),
      /additionalDirectories.*announce/,
    ],
    [
      'with additionalDirectories null',
      (cwd) => ({ cwd, mcpServers: [], additionalDirectories: null }),
      /additionalDirectories/,
    ],
    ['with params that are a list', () => [], /cwd|params/],
  ])('refuses params %s, and says what to mend', async (_what, params, said) => {
    const before = rig.directory.liveCount;
    const failure = await peer.request('session/new', params(rig.cwd)).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: -32602 });
    expect(JSON.stringify((failure as { data: unknown }).data).replaceAll('\n', ' ')).toMatch(said);
    expect(rig.directory.liveCount).toBe(before);
  });

  it('gives a session its alias, and refuses one that is taken, also when both come at once', async () => {
    const sessionId = await newSession(rig, peer, { requestedSessionId: 'mine', title: 'A title' });
    await expect(newSession(rig, peer, { requestedSessionId: 'mine' })).rejects.toMatchObject({
      code: -32602,
      data: { requestedSessionId: 'mine' },
    });
    await expect(newSession(rig, peer, { requestedSessionId: sessionId })).rejects.toMatchObject({ code: -32602 });
    await expect(newSession(rig, peer, { requestedSessionId: '' })).rejects.toMatchObject({ code: -32602 });
    const both = await Promise.allSettled([
      newSession(rig, peer, { requestedSessionId: 'raced' }),
      newSession(rig, peer, { requestedSessionId: 'raced' }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('accepts the alias wherever a session id goes, and speaks of the session by its id', async () => {
    const sessionId = await newSession(rig, peer, { requestedSessionId: 'by-alias' });
    const other = await rig.connect();
    expect(await load(rig, other, 'by-alias')).toMatchObject({ _meta: { 'sandboxagent.dev': { sessionId } } });
    expect(await prompt(peer, 'by-alias', 'hello')).toMatchObject({ stopReason: 'end_turn' });
    await other.waitFor(({ params }) => JSON.stringify(params ?? null).includes('agent_message_chunk'));
    const spoken = other.notifications('session/update');
    expect(spoken).toHaveLength(2);
    for (const params of spoken) expect(params.sessionId).toBe(sessionId);
    const running = prompt(peer, 'by-alias', [{ untilCancel: true }]);
    peer.notify('session/cancel', { sessionId: 'by-alias' });
    expect(await running).toMatchObject({ stopReason: 'cancelled' });
  });

  it('renames a session whose id another one has, both ways', async () => {
    const client = await rig.connect({ agent: 'fixed' });
    const ids = await Promise.all([1, 2, 3].map(() => newSession(rig, client)));
    expect(new Set(ids).size).toBe(3);
    expect(ids).toContain('FIXED');
    for (const sessionId of ids) {
      await prompt(client, sessionId, [{ received: 'prompt' }, { permission: {} }].slice(0, 1) as never);
      const [said] = client.agentTexts(sessionId);
      expect(JSON.parse(said as string)).toMatchObject({ sessionId: 'FIXED' });
      expect(await client.request('session/set_mode', { sessionId, modeId: 'code' })).toEqual({});
      const asked: unknown[] = [];
      client.onRequest('session/request_permission', (params) => {
        asked.push((params as { sessionId: unknown }).sessionId);
        return { outcome: { outcome: 'selected', optionId: 'allow-once' } };
      });
      client.onRequest('_custom/ask', (params) => params);
      await prompt(client, sessionId, [
        { permission: {} },
        { request: { method: '_custom/ask', params: { sessionId: '$SESSION' } } },
      ]);
      expect(asked).toEqual([sessionId]);
      expect(JSON.parse(client.agentTexts(sessionId).at(-1) as string)).toEqual({ sessionId });
      const running = prompt(client, sessionId, [{ untilCancel: true }]);
      client.notify('session/cancel', { sessionId });
      expect(await running).toMatchObject({ stopReason: 'cancelled' });
    }
  });

  it('passes on the refusal of the agent itself, with its data and our words beside it', async () => {
    const agent = `process.stdin.on('data', (d) => { for (const line of String(d).trim().split('\\n')) { const m = JSON.parse(line);
      const answer = m.method === 'initialize' ? { result: { protocolVersion: 1, agentCapabilities: {} } }
        : { error: { code: -32602, message: 'Invalid params', data: { mine: [1] } } };
      console.log(JSON.stringify({ jsonrpc: '2.0', id: m.id, ...answer })); } })`;
    await using picky = await startRig({
      agents: {},
      commands: { picky: { command: process.execPath, args: ['-e', agent] } },
    });
    const client = await picky.connect();
    const failure = await newSession(picky, client).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: -32602, data: { mine: [1] } });
    expect(JSON.stringify(failure)).toContain('sandboxagent.dev');
    expect(picky.directory.liveCount).toBe(0);
  });

  it('gives a session the agent that it names, with what that agent can, over any connection', async () => {
    await using two = await startRig({ agents: { plain: [], wide: ['--add-dirs', '--no-modes', '--resume'] } });
    const client = await two.connect();
    const more = join(two.cwd, 'more');
    await mkdir(more);
    const place = { cwd: two.cwd, mcpServers: [], additionalDirectories: [more] };
    const named = (agent: unknown) => ({ ...place, _meta: { 'sandboxagent.dev': { agent } } });
    const { sessionId, ...result } = await client.request<{ sessionId: string }>('session/new', named('wide'));
    expect(result).toMatchObject({ _meta: { 'sandboxagent.dev': { agent: 'wide' } } });
    expect(result).not.toHaveProperty('modes');
    await client.request('session/close', { sessionId });
    for (const method of ['session/load', 'session/resume', 'session/fork']) {
      const joined = await (await two.connect()).request(method, { ...place, sessionId });
      expect(joined).toMatchObject({ _meta: { 'sandboxagent.dev': { agent: 'wide' } } });
    }
    await expect(client.request('session/new', named('plain'))).rejects.toMatchObject({
      data: { issues: [{ path: 'additionalDirectories' }] },
    });
    await expect(client.request('session/new', named('none'))).rejects.toMatchObject({
      data: { known: ['plain', 'wide'] },
    });
    await expect(client.request('session/new', named(7))).rejects.toMatchObject({ code: -32602 });
    expect(two.directory.liveCount).toBe(2);
  });

  it('counts sessions that are being started against the limit', async () => {
    await using small = await startRig({ limits: { maxSessionsLive: 2 } });
    const client = await small.connect();
    const all = await Promise.allSettled([1, 2, 3, 4].map(() => newSession(small, client)));
    expect(all.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    expect(all.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 47010, message: expect.stringContaining('limits.maxSessionsLive') },
    });
  });

  it('leaves nothing attached for a client that vanished before its session was there', async () => {
    await using alone = await startRig({ limits: { idleAgentMs: 50 } });
    const client = await alone.connect();
    client.sendRaw(
      JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'session/new', params: { cwd: alone.cwd, mcpServers: [] } }),
    );
    client.close();
    const witness = await alone.connect();
    await eventually(() =>
      witness.request<{ sessions: unknown[] }>('session/list', {}).then((page) => page.sessions.length),
    ).toBe(1);
    await eventually(() => alone.directory.liveCount).toBe(0);
    expect(alone.unforeseen).toEqual([]);
  });

  it('meets no error that nobody foresaw', () => {
    expect(rig.unforeseen).toEqual([]);
    expect(rig.warnings).toEqual([]);
  });
});
