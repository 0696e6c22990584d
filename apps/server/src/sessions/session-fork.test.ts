import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventSeq, type JsonObject, META_KEY, type SessionId } from '@reeve/protocol';
import type { JsonRpcPeer } from '@reeve/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canServeFiles } from '../boundary/open-roots.ts';
import { chunkOf } from '../events/event-chunk.ts';
import { openMemoryStore } from '../store/memory/memory-store.ts';
import { eventually, type SessionRig, startRig } from './session.rig.ts';
import { load, newSession, prompt, userTexts } from './session-calls.rig.ts';

let stateDir: string;

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'reeve-fork-state-'));
});
afterEach(() => rm(stateDir, { recursive: true, force: true }));

function rigWith(...flags: string[]): Promise<SessionRig> {
  return startRig({ agents: { fake: [`--state-dir=${stateDir}`, '--resume', ...flags] } });
}

interface Forked extends JsonObject {
  readonly sessionId: string;
}

function fork(rig: SessionRig, peer: JsonRpcPeer, sessionId: string, method = 'session/fork'): Promise<Forked> {
  return peer.request<Forked>(method, { sessionId, cwd: rig.cwd, mcpServers: [] });
}

function forkAs(rig: SessionRig, peer: JsonRpcPeer, sessionId: string, meta: JsonObject): Promise<Forked> {
  const params = { sessionId, cwd: rig.cwd, mcpServers: [], _meta: { [META_KEY]: meta } };
  return peer.request<Forked>('session/fork', params);
}

const ours = (result: JsonObject): JsonObject => (result._meta as Record<string, JsonObject>)[META_KEY] as JsonObject;

async function eventsOf(peer: JsonRpcPeer, sessionId: string): Promise<{ kind: string; message: JsonObject }[]> {
  const page = await peer.request<{ events: { kind: string; message: JsonObject }[] }>('_sandboxagent/session/events', {
    sessionId,
    limit: 1000,
  });
  return page.events;
}

/** What the agent was sent with the last prompt of that session: how many blocks, and the text of the first. */
async function toldWith(peer: JsonRpcPeer, sessionId: string): Promise<string> {
  const before = peer.agentTexts(sessionId).length;
  await prompt(peer, sessionId, [{ received: 'prompt' }]);
  return peer.agentTexts(sessionId)[before] ?? '';
}

/** The params with which the agent opened that session. */
async function toldOnOpening(peer: JsonRpcPeer, sessionId: string): Promise<string> {
  const before = peer.agentTexts(sessionId).length;
  await prompt(peer, sessionId, [{ received: 'session' }]);
  return peer.agentTexts(sessionId)[before] ?? '';
}

describe.runIf(canServeFiles)('a fork', () => {
  it('has what terminals of the parent showed, and no other notes of it', async () => {
    await using rig = await rigWith('--fork');
    const peer = await rig.connect();
    const parent = await newSession(rig, peer);
    await prompt(peer, parent, [{ terminal: { command: 'echo', args: ['shown'] } }]);
    const { sessionId } = await fork(rig, peer, parent);
    const events = await eventsOf(peer, sessionId);
    const notes = events.filter(({ kind }) => kind === 'note').map(({ message }) => message as JsonObject);
    expect(notes.slice(0, 3)).toMatchObject([
      { type: 'forked' },
      { type: 'terminal_output', output: 'shown\n' },
      { type: 'terminal_exited', exitCode: 0 },
    ]);
    expect(notes.map(({ type }) => type).filter((type) => type === 'agent_started').length).toBeLessThanOrEqual(1);
  });
});

describe.each([
  ['that can fork', ['--fork'], 'agent'],
  ['that cannot', [], 'transcript'],
] as const)('session/fork with an agent %s', (_what, flags, forkedBy) => {
  it('goes on from the parent in a session of its own, with its history, metadata and choices', async () => {
    await using rig = await rigWith(...flags);
    const peer = await rig.connect();
    const parent = await newSession(rig, peer, { requestedSessionId: 'nick', title: 'Parent', skills: ['a'] });
    await prompt(peer, parent, [{ say: 'first answer' }]);
    await peer.request('session/set_mode', { sessionId: parent, modeId: 'plan' });

    const result = await fork(rig, peer, 'nick', '_sandboxagent/session/fork');
    const { sessionId } = result;
    expect(sessionId).not.toBe(parent);
    expect(result).toMatchObject({ modes: { currentModeId: 'plan' } });
    expect(ours(result)).toMatchObject({ forked: forkedBy, title: 'Parent', skills: ['a'], agent: 'fake' });
    expect(ours(result)).not.toHaveProperty('requestedSessionId');
    expect(peer.agentTexts(sessionId)).toEqual([]);

    const [note, ...rest] = await eventsOf(peer, sessionId);
    expect(note).toMatchObject({ kind: 'note', message: { type: 'forked', parent, by: forkedBy } });
    const copied = rest.slice(
      0,
      rest.findIndex(({ kind }) => kind === 'command'),
    );
    // The title was told before the turn.
    expect(copied.map(({ kind }) => kind).slice(0, 5)).toEqual(['update', 'prompt', 'update', 'update', 'turn_end']);
    expect(JSON.stringify(copied)).not.toContain(parent);

    const told = await toldWith(peer, sessionId);
    expect(told.includes('first answer')).toBe(forkedBy === 'transcript');
    expect(peer.agentTexts(parent)).toEqual(['first answer']);

    await peer.request('session/delete', { sessionId: parent });
    const later = await rig.connect();
    await load(rig, later, sessionId);
    expect(later.agentTexts(sessionId)[0]).toBe('first answer');
    expect(userTexts(later)).toHaveLength(2);
    expect(later.updates(parent)).toEqual([]);
    expect(rig.unforeseen).toEqual([]);
    expect(rig.warnings).toEqual([]);
  });

  it.each(['closed', 'terminated'])('works when the parent is %s', async (how) => {
    await using rig = await rigWith(...flags);
    const peer = await rig.connect();
    const parent = await newSession(rig, peer);
    await prompt(peer, parent, [{ say: 'first answer' }]);
    await peer.request(how === 'closed' ? 'session/close' : '_sandboxagent/session/terminate', { sessionId: parent });
    const { sessionId, ...result } = await fork(rig, peer, parent);
    expect(ours(result)).toMatchObject({ forked: forkedBy });
    await prompt(peer, sessionId, [{ say: 'second answer' }]);
    expect(peer.agentTexts(sessionId)).toEqual(['second answer']);
  });

  it('has the name, the metadata and the choices that the request gives it', async () => {
    await using rig = await rigWith('--config-options', ...flags);
    const peer = await rig.connect();
    const parent = await newSession(rig, peer, { requestedSessionId: 'nick', title: 'Parent', skills: ['a'], mine: 1 });
    await prompt(peer, parent, [{ say: 'first answer' }]);
    const meta = { requestedSessionId: 'twin', title: 'Twin', mine: null, model: 'fake-large', agentMode: 'plan' };
    const { sessionId, ...result } = await forkAs(rig, peer, 'nick', meta);
    expect(ours(result)).toMatchObject({
      forked: forkedBy,
      requestedSessionId: 'twin',
      title: 'Twin',
      skills: ['a'],
      applied: {
        model: { rung: 'config_option', value: 'fake-large' },
        agentMode: { rung: 'set_mode', value: 'plan' },
      },
    });
    expect(ours(result)).not.toHaveProperty('mine');
    expect(result).toMatchObject({ modes: { currentModeId: 'plan' } });

    const told = JSON.parse(await toldOnOpening(peer, sessionId)) as JsonObject;
    expect(ours(told)).toMatchObject({ title: 'Twin', skills: ['a'], model: 'fake-large' });
    const later = await rig.connect();
    expect(ours(await load(rig, later, 'twin'))).toMatchObject({ sessionId, title: 'Twin', model: 'fake-large' });
    const titles = later
      .updates()
      .flatMap(({ sessionUpdate, title }) => (sessionUpdate === 'session_info_update' ? [title] : []));
    expect(titles.at(-1)).toBe('Twin');
    expect((await rig.store.sessions.find('nick'))?.title).toBe('Parent');
  });

  it('can be forked again', async () => {
    await using rig = await rigWith(...flags);
    const peer = await rig.connect();
    const parent = await newSession(rig, peer);
    await prompt(peer, parent, [{ say: 'one' }]);
    const child = await fork(rig, peer, parent);
    await prompt(peer, child.sessionId, [{ say: 'two' }]);
    const { sessionId } = await fork(rig, peer, child.sessionId);
    const later = await rig.connect();
    await load(rig, later, sessionId);
    expect(later.agentTexts(sessionId)).toEqual(['one', 'two']);
  });
});

describe('session/fork', () => {
  it('during a turn goes on from the last finished one, told by the transcript', async () => {
    await using rig = await rigWith('--fork');
    const peer = await rig.connect();
    const parent = await newSession(rig, peer);
    await prompt(peer, parent, [{ say: 'finished' }]);
    const turn = prompt(peer, parent, [{ say: 'unfinished' }, { untilCancel: true }]);
    await eventually(() => peer.agentTexts(parent)).toEqual(['finished', 'unfinished']);
    const { sessionId, ...result } = await fork(rig, peer, parent);
    expect(ours(result)).toMatchObject({ forked: 'transcript' });
    const [note] = await eventsOf(peer, sessionId);
    expect(note?.message).toMatchObject({ why: 'a turn of the parent was running' });
    const told = await toldWith(peer, sessionId);
    expect(told).toContain('finished');
    expect(told).not.toContain('unfinished');
    const later = await rig.connect();
    await load(rig, later, sessionId);
    expect(later.agentTexts(sessionId)[0]).toBe('finished');
    expect(later.agentTexts(sessionId)).not.toContain('unfinished');
    peer.notify('session/cancel', { sessionId: parent });
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
  });

  it('by transcript is still told what was said when its process ended before the first prompt', async () => {
    await using rig = await rigWith();
    const peer = await rig.connect();
    const parent = await newSession(rig, peer);
    await prompt(peer, parent, [{ say: 'remember me' }]);
    const { sessionId } = await fork(rig, peer, parent);
    await peer.request('session/close', { sessionId });
    expect(ours(await load(rig, peer, sessionId))).toMatchObject({ restored: 'resume' });
    expect(await toldWith(peer, sessionId)).toContain('remember me');
    expect(await toldWith(peer, sessionId)).not.toContain('remember me');
  });

  it('is found by nobody before it is whole', async () => {
    await using store = openMemoryStore();
    const listed: number[] = [];
    let parent = '';
    const events = Object.create(store.events, {
      read: {
        value: async (...args: Parameters<typeof store.events.read>) => {
          // Only the copy reads the parent's log.
          if (args[0] === parent) listed.push((await store.sessions.list({ limit: 9 }))?.sessions.length ?? -1);
          return store.events.read(...args);
        },
      },
    }) as typeof store.events;
    await using rig = await startRig({ store: { ...store, events }, agents: { fake: [] } });
    const peer = await rig.connect();
    parent = await newSession(rig, peer);
    await prompt(peer, parent, [{ say: 'first answer' }]);
    const { sessionId } = await fork(rig, peer, parent);
    expect(listed).toEqual([1]);
    expect(await store.sessions.find(sessionId)).toMatchObject({ sessionId });
  });

  it('begins anew where a server died before the fork was whole', async () => {
    await using store = openMemoryStore();
    const lease = await store.events.acquire('left-behind' as SessionId, 'dead', 1);
    if (lease.kind !== 'acquired') throw new Error('held');
    const note = Buffer.from('{"type":"forked"}');
    const chunk = chunkOf(1 as EventSeq, [{ at: 1, source: 'reeve', kind: 'note', message: note }]);
    await store.events.append('left-behind' as SessionId, lease.epoch, chunk);
    await store.events.release('left-behind' as SessionId, lease.epoch);
    await using rig = await startRig({ store, agents: { fake: ['--session-id=left-behind'] } });
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    expect(sessionId).toBe('left-behind');
    expect((await eventsOf(peer, sessionId)).map(({ kind }) => kind)[0]).toBe('command');
  });

  it('leaves nothing to find when its name is taken meanwhile', async () => {
    await using rig = await rigWith();
    const peer = await rig.connect();
    const parent = await newSession(rig, peer);
    await prompt(peer, parent, [{ say: 'first answer' }]);
    const forks = await Promise.allSettled([1, 2].map(() => forkAs(rig, peer, parent, { requestedSessionId: 'one' })));
    expect(forks.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(forks.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: -32602 } });
    expect((await rig.store.sessions.list({ limit: 10 }))?.sessions).toHaveLength(2);
    expect(rig.directory.liveCount).toBe(2);
    await expect(forkAs(rig, peer, parent, { requestedSessionId: 'one' })).rejects.toMatchObject({ code: -32602 });
  });

  it('is refused for metadata that is amiss, before an agent is started', async () => {
    await using rig = await rigWith('--fork');
    const peer = await rig.connect();
    const parent = await newSession(rig, peer);
    await expect(forkAs(rig, peer, parent, { title: 5, boundary: {}, requestedSessionId: 'x' })).rejects.toMatchObject({
      code: -32602,
      data: { issues: [{ path: `_meta["${META_KEY}"].boundary` }] },
    });
    await expect(forkAs(rig, peer, parent, { requestedSessionId: '..' })).rejects.toMatchObject({
      data: { issues: [{ path: `_meta["${META_KEY}"].requestedSessionId` }] },
    });
    expect(rig.directory.liveCount).toBe(1);
  });

  it('is refused for a session that there is not, and for a directory that there is not', async () => {
    await using rig = await rigWith('--fork');
    const peer = await rig.connect();
    const parent = await newSession(rig, peer);
    await expect(fork(rig, peer, 'nope')).rejects.toMatchObject({ code: -32002 });
    const amiss = { sessionId: parent, cwd: join(rig.cwd, 'missing') };
    await expect(peer.request('session/fork', amiss)).rejects.toMatchObject({
      code: -32602,
      data: { issues: [{ path: 'cwd' }] },
    });
    expect(rig.directory.liveCount).toBe(1);
  });
});
