import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { META_KEY } from '@reeve/protocol';
import type { JsonRpcPeer } from '@reeve/testkit';
import { describe, expect, it } from 'vitest';
import { openMemoryStore } from '../store/memory/memory-store.ts';
import { eventually, startRig } from './session.rig.ts';
import { load, newSession, prompt, resume } from './session-calls.rig.ts';

const SET = '_sandboxagent/session/set_metadata';
const UPDATE = '_sandboxagent/session/metadata_update';

const full = {
  title: 'Bugfix run',
  skills: ['repo:vercel-labs/skills/nextjs'],
  model: 'any-model',
  variant: 'high',
  agentMode: 'code',
  permissionMode: 'trust',
  boundary: { roots: [{ path: realpathSync(tmpdir()), access: 'rw' }] },
  mine: { nested: [1, 2] },
};

function set(peer: JsonRpcPeer, sessionId: string, metadata: unknown): Promise<{ metadata: object }> {
  return peer.request(SET, { sessionId, metadata });
}

async function listed(peer: JsonRpcPeer, sessionId: string): Promise<Record<string, unknown>> {
  const { sessions } = await peer.request<{ sessions: { sessionId: string; title?: string; _meta: object }[] }>(
    'session/list',
    {},
  );
  const { title, _meta } = sessions.find((session) => session.sessionId === sessionId) ?? { _meta: {} };
  return { title, ours: (_meta as Record<string, unknown>)[META_KEY] };
}

const ours = (result: object): unknown => (result as { _meta: Record<string, unknown> })._meta[META_KEY];

describe('the metadata of a session', () => {
  it('given at creation is stored, forwarded as it came, and told in results and lists', async () => {
    await using rig = await startRig();
    const peer = await rig.connect();
    const params = { cwd: rig.cwd, mcpServers: [], _meta: { [META_KEY]: full, 'other.example': { kept: true } } };
    const result = await peer.request<{ sessionId: string; _meta: object }>('session/new', params);
    expect(ours(result)).toMatchObject(full);
    await prompt(peer, result.sessionId, [{ received: 'session' }]);
    expect(JSON.parse(peer.agentTexts(result.sessionId)[0] as string)._meta).toEqual(params._meta);
    expect(await listed(peer, result.sessionId)).toMatchObject({ title: full.title, ours: full });
    const other = await rig.connect();
    expect(ours(await load(rig, other, result.sessionId))).toMatchObject(full);
    expect(ours(await resume(rig, other, result.sessionId))).toMatchObject(full);
    for (const client of [peer, other]) {
      expect(client.updates()).toContainEqual({ sessionUpdate: 'session_info_update', title: full.title });
    }
  });

  it('is refused before an agent is started when a member is amiss', async () => {
    await using rig = await startRig();
    const peer = await rig.connect();
    await expect(newSession(rig, peer, { title: 5, skills: 'x' })).rejects.toMatchObject({
      code: -32602,
      data: {
        issues: [
          { path: `_meta["${META_KEY}"].title`, received: '5' },
          { path: `_meta["${META_KEY}"].skills`, received: 'string' },
        ],
      },
    });
    expect(rig.directory.liveCount).toBe(0);
  });

  it('is changed by a merge patch, on disk before it is answered, and told to everybody who is attached', async () => {
    await using rig = await startRig();
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer, { title: 'old', mine: { a: 1, b: 2 }, gone: true });
    const [observer, late] = [await rig.connect(), await rig.connect()];
    await resume(rig, observer, sessionId, { role: 'observer' });
    const after = (await rig.store.events.head(sessionId as never)) as number;
    const metadata = { title: 'new', mine: { a: 1, c: [3] } };
    expect(await set(peer, sessionId, { title: 'new', mine: { b: null, c: [3] }, gone: null })).toEqual({ metadata });
    expect((await rig.store.sessions.find(sessionId))?.metadata).toEqual({ mine: metadata.mine });
    for (const client of [peer, observer]) {
      await eventually(() => client.notifications(UPDATE)).toEqual([{ sessionId, metadata }]);
      expect(client.updates()).toContainEqual({ sessionUpdate: 'session_info_update', title: 'new' });
    }
    const result = await resume(rig, late, sessionId, { after });
    expect(late.notifications(UPDATE)).toEqual([{ sessionId, metadata }]);
    expect(ours(result)).toMatchObject(metadata);
    expect(await listed(late, sessionId)).toMatchObject({ title: 'new', ours: metadata });
  });

  it('is changed by controllers only, and reserved members by nobody', async () => {
    await using rig = await startRig();
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer, { requestedSessionId: 'alias' });
    const observer = await rig.connect();
    await load(rig, observer, sessionId, { role: 'observer' });
    await expect(set(observer, sessionId, { title: 'mine' })).rejects.toMatchObject({ code: 47005 });
    for (const name of ['agent', 'state', 'requestedSessionId']) {
      await expect(set(peer, sessionId, { title: 'half', [name]: 'x' })).rejects.toMatchObject({
        code: -32602,
        data: { issues: [{ path: `metadata.${name}` }] },
      });
    }
    await expect(set(peer, 'nobody', {})).rejects.toMatchObject({ code: -32002 });
    expect(await set(peer, 'alias', {})).toEqual({ metadata: {} });
    expect(peer.notifications('session/update')).toEqual([]);
  });

  it('is taken up to limits.maxMetadataBytes and refused beyond, at creation and later', async () => {
    const maxMetadataBytes = 1024;
    await using rig = await startRig({ limits: { maxMetadataBytes } });
    const peer = await rig.connect();
    const room = maxMetadataBytes - JSON.stringify({ fill: '' }).length;
    const sessionId = await newSession(rig, peer, { fill: 'x'.repeat(room) });
    expect(await set(peer, sessionId, { fill: 'y'.repeat(room) })).toEqual({ metadata: { fill: 'y'.repeat(room) } });
    const tooMuch = { code: -32602, message: expect.stringContaining('limits.maxMetadataBytes') };
    await expect(set(peer, sessionId, { a: 1 })).rejects.toMatchObject(tooMuch);
    await expect(newSession(rig, peer, { fill: 'x'.repeat(room + 1) })).rejects.toMatchObject(tooMuch);
    expect(await set(peer, sessionId, { fill: null })).toEqual({ metadata: {} });
  });

  it('of a session without a process is changed without starting one, and a closed session stays closed', async () => {
    await using store = openMemoryStore();
    let sessionId: string;
    {
      await using rig = await startRig({ store });
      const peer = await rig.connect();
      sessionId = await newSession(rig, peer, { requestedSessionId: 'kept', title: 'before' });
      await peer.request('session/close', { sessionId });
    }
    await using rig = await startRig({ store });
    const peer = await rig.connect();
    expect(await set(peer, 'kept', { title: 'after', more: 1 })).toEqual({ metadata: { title: 'after', more: 1 } });
    await eventually(() => rig.directory.liveCount).toBe(0);
    expect(await listed(peer, sessionId)).toMatchObject({ title: 'after', ours: { more: 1, state: 'closed' } });
    const notes = await peer.request<{ events: { kind: string; message: { type?: string } }[] }>(
      '_sandboxagent/session/events',
      { sessionId },
    );
    const starts = notes.events.filter(({ message }) => message.type === 'agent_started');
    expect(starts).toHaveLength(1);
    expect(ours(await load(rig, peer, sessionId, { role: 'observer' }))).toMatchObject({ title: 'after', more: 1 });
    expect(peer.notifications(UPDATE)).toEqual([{ sessionId, metadata: { title: 'after', more: 1 } }]);
  });

  it('follows what the agent says of it: title and members under our key, and nothing amiss', async () => {
    await using rig = await startRig();
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer, { title: 'ours', mine: 1 });
    const say = (update: object): Promise<unknown> =>
      prompt(peer, sessionId, [{ update: { sessionUpdate: 'session_info_update', ...update } }]);
    await say({ title: 'the\nagent’s', _meta: { [META_KEY]: { branch: 'main' } } });
    expect(await listed(peer, sessionId)).toMatchObject({ title: 'the agent’s', ours: { mine: 1, branch: 'main' } });
    await say({ title: null, _meta: { [META_KEY]: { state: 'odd', branch: 'x' } } });
    expect(await listed(peer, sessionId)).toMatchObject({ title: undefined, ours: { state: 'idle', branch: 'main' } });
    expect((await listed(peer, sessionId)).ours).not.toHaveProperty('title');
  });
});
