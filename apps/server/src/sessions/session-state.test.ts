import { mkdtempDisposable, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, SessionId } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import { openMemoryStore } from '../store/memory/memory-store.ts';
import { eventually, type SessionRig, startRig } from './session.rig.ts';
import { load, newSession, prompt } from './session-calls.rig.ts';
import { sessionState, toldOfTurns } from './told-of-turns.ts';

/** As everybody is told of it who asks now. */
async function told(rig: SessionRig, sessionId: string) {
  const record = await rig.directory.record(sessionId);
  const live = rig.directory.live(sessionId as SessionId);
  return { state: sessionState(record, live), ...toldOfTurns(live?.record ?? record, live) };
}

describe('a session whose agent process ended in the middle of a turn', () => {
  it('has failed, with why, until a turn ends well; in lists over ACP too, and after it has left memory', async () => {
    await using store = await openMemoryStore();
    await using rig = await startRig({ store, limits: { idleAgentMs: 0 } });
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const before = Date.now();
    await prompt(peer, sessionId, [{ crash: { code: 3, stderr: 'my last words' } }]).catch(() => {});
    const failure = { during: 'turn', message: 'agent "fake" exited with code 3; it last said: my last words' };
    expect(await told(rig, sessionId)).toMatchObject({ state: 'failed', failure });
    expect((await told(rig, sessionId)).failure?.at).toBeGreaterThanOrEqual(before);
    const { sessions } = await peer.request<{ sessions: JsonObject[] }>('session/list', {});
    expect(sessions[0]?._meta).toMatchObject({ 'sandboxagent.dev': { state: 'failed', failure } });
    await peer.close();
    await eventually(() => rig.directory.liveCount).toBe(0);
    expect(await told(rig, sessionId)).toMatchObject({ state: 'failed', failure });

    const other = await rig.connect();
    await load(rig, other, sessionId);
    expect(await told(rig, sessionId)).toMatchObject({ state: 'idle', failure });
    await prompt(other, sessionId, 'well');
    expect(await told(rig, sessionId)).toEqual({ state: 'idle' });
  });

  it('has not failed where the turn was cancelled, or the process ended between turns', async () => {
    await using rig = await startRig();
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, [{ late: { afterMs: 1, text: 'x' } }]);
    await rig.directory.close(sessionId);
    await eventually(() => rig.directory.liveCount).toBe(0);
    expect(await told(rig, sessionId)).toEqual({ state: 'closed' });
    await load(rig, peer, sessionId);
    const turn = prompt(peer, sessionId, [{ untilCancel: true }]);
    await eventually(async () => (await told(rig, sessionId)).state).toBe('running');
    await peer.request('_sandboxagent/session/terminate', { sessionId });
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    await eventually(() => rig.directory.liveCount).toBe(0);
    expect(await told(rig, sessionId)).toEqual({ state: 'dormant' });
  });
});

describe('a session whose agent cannot be started again', () => {
  it('has failed, with why, until one comes up', async () => {
    const code = `process.stdin.on('data', (d) => { for (const line of String(d).trim().split('\\n')) { const m = JSON.parse(line);
      const say = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: m.id, result }) + '\\n');
      if (process.env.BROKEN_FILE && require('node:fs').existsSync(process.env.BROKEN_FILE)) process.exit(7);
      if (m.method === 'initialize') say({ protocolVersion: 1, agentCapabilities: { loadSession: true } });
      if (m.method === 'session/new') say({ sessionId: 's1' });
      if (m.method === 'session/load') say({});
      if (m.method === 'session/prompt') say({ stopReason: 'end_turn' }); } });`;
    await using folder = await mkdtempDisposable(join(tmpdir(), 'reeve-state-'));
    const file = join(folder.path, 'broken');
    const commands = { own: { command: process.execPath, args: ['-e', code], env: { BROKEN_FILE: file } } };
    await using rig = await startRig({ agents: {}, commands });
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, 'one');
    await rig.directory.terminate(sessionId, 'somebody');
    await writeFile(file, '');
    await expect(load(rig, peer, sessionId)).rejects.toMatchObject({ code: expect.any(Number) });
    const failure = { during: 'start', message: expect.stringContaining('exited with code 7') };
    expect(await told(rig, sessionId)).toMatchObject({ state: 'failed', failure });
    await rm(file);
    await load(rig, peer, sessionId);
    expect(await told(rig, sessionId)).toEqual({ state: 'idle' });
  });
});

describe('prompts that wait for their turn', () => {
  it('are told in their order, with who sent them, until they begin or are cancelled', async () => {
    await using rig = await startRig();
    const peer = await rig.connect({ name: 'one' });
    const sessionId = await newSession(rig, peer);
    const turns = [prompt(peer, sessionId, [{ untilCancel: true }])];
    await eventually(async () => (await told(rig, sessionId)).state).toBe('running');
    await eventually(async () => (await told(rig, sessionId)).queuedPrompts).toBeUndefined();
    const woken: string[] = [];
    rig.directory.services.feed.listen((id) => woken.push(id));
    turns.push(prompt(peer, sessionId, 'a'.repeat(3000), { idempotencyKey: 'k1' }));
    turns.push(
      peer.request('session/prompt', {
        sessionId,
        prompt: [
          { type: 'text', text: 'second' },
          { type: 'resource_link', uri: 'file:///x', name: 'x' },
        ],
      }),
    );
    await eventually(async () => (await told(rig, sessionId)).queuedPrompts?.length).toBe(2);
    const { queuedPrompts } = await told(rig, sessionId);
    expect(queuedPrompts).toMatchObject([
      { id: 'k1', by: expect.stringContaining('one'), text: 'a'.repeat(2000), truncated: true },
      { text: 'second', attachments: 1 },
    ]);
    expect(queuedPrompts?.[0]).not.toHaveProperty('attachments');
    // Whoever follows the changes is told at once, though nothing of it is in the log yet.
    expect(woken.filter((id) => id === sessionId).length).toBeGreaterThanOrEqual(2);
    peer.notify('session/cancel', { sessionId });
    await Promise.all(turns);
    expect((await told(rig, sessionId)).queuedPrompts).toBeUndefined();
  });
});
