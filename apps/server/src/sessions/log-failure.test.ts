import { describe, expect, it } from 'vitest';
import { openMemoryStore } from '../store/memory/memory-store.ts';
import type { Store } from '../store/store.ts';
import { eventually, startRig } from './session.rig.ts';
import { load, newSession, prompt } from './session-calls.rig.ts';

/** A memory store whose log fails on command. */
function openFragileStore(): { store: Store; fail: { append: boolean; read: boolean; put: boolean } } {
  const memory = openMemoryStore();
  const fail = { append: false, read: false, put: false };
  const guard =
    <Args extends unknown[], Result>(what: keyof typeof fail, run: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (fail[what]) throw new Error('disk full');
      return run(...args);
    };
  return {
    fail,
    store: {
      ...memory,
      events: {
        ...memory.events,
        append: guard('append', memory.events.append),
        read: guard('read', memory.events.read),
      },
      sessions: { ...memory.sessions, put: guard('put', memory.sessions.put) },
    },
  };
}

describe('when the log of a session fails', () => {
  it('everybody who waits gets an error, the process ends, and the server and its other sessions live', async () => {
    const { store, fail } = openFragileStore();
    await using rig = await startRig({ store });
    const [peer, other] = [await rig.connect(), await rig.connect()];
    const sessionId = await newSession(rig, peer);
    await load(rig, other, sessionId);
    const running = prompt(
      peer,
      sessionId,
      [{ say: 'on disk' }, { sleep: 1000 }, { say: 'not on disk' }, { sleep: 60_000 }],
      { idempotencyKey: 'k' },
    );
    const joined = prompt(other, sessionId, 'same', { idempotencyKey: 'k' });
    const queued = prompt(other, sessionId, 'next');
    const waiting = Promise.allSettled([running, joined, queued]);
    await peer.waitFor(({ params }) => JSON.stringify(params ?? null).includes('on disk'));
    fail.append = true;
    for (const outcome of await waiting) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { code: -32603, message: expect.stringContaining('log') },
      });
    }
    expect(peer.agentTexts()).toEqual(['on disk']);
    await eventually(() => rig.directory.liveCount).toBe(0);
    fail.append = false;
    await expect(prompt(peer, sessionId, 'x')).rejects.toMatchObject({ code: -32002 });
    await load(rig, peer, sessionId);
    expect(peer.agentTexts()).toEqual(['on disk', 'on disk']);
    expect(await prompt(peer, sessionId, 'again')).toMatchObject({ stopReason: 'end_turn' });
    expect(rig.unforeseen).toEqual([]);
  });

  it('a turn whose end cannot be written is answered with an error too, and so is any other request', async () => {
    const { store, fail } = openFragileStore();
    await using rig = await startRig({ store });
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const turn = prompt(peer, sessionId, [{ sleep: 1000 }]);
    await eventually(() => rig.directory.live(sessionId as never)?.lastSeq).toBe(4);
    await rig.directory.live(sessionId as never)?.durable();
    fail.append = true;
    await expect(turn).rejects.toMatchObject({ code: -32603 });
    await eventually(() => rig.directory.liveCount).toBe(0);
    fail.append = false;
    await load(rig, peer, sessionId);
    fail.append = true;
    await expect(peer.request('session/set_mode', { sessionId, modeId: 'code' })).rejects.toMatchObject({
      code: -32603,
    });
  });

  it('a new session is refused and leaves nothing behind', async () => {
    const { store, fail } = openFragileStore();
    await using rig = await startRig({ store });
    const peer = await rig.connect();
    for (const what of ['append', 'put'] as const) {
      fail[what] = true;
      await expect(newSession(rig, peer)).rejects.toMatchObject({ code: -32603 });
      await eventually(() => rig.directory.liveCount).toBe(0);
      fail[what] = false;
    }
    expect(await prompt(peer, await newSession(rig, peer), 'fine')).toMatchObject({ stopReason: 'end_turn' });
  });

  it('a session whose record cannot be stored at its end still ends, and can be loaded again', async () => {
    const { store, fail } = openFragileStore();
    await using rig = await startRig({ store });
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, 'kept');
    fail.put = true;
    await expect(peer.request('session/close', { sessionId })).rejects.toMatchObject({ code: -32603 });
    fail.put = false;
    expect(rig.directory.liveCount).toBe(0);
    const other = await rig.connect();
    await load(rig, other, sessionId);
    expect(other.agentTexts()).toEqual(['kept']);
  });

  it('a client that cannot be served from it is cut off, with the reason, and comes back', async () => {
    const { store, fail } = openFragileStore();
    await using rig = await startRig({ store });
    const [peer, other] = [await rig.connect(), await rig.connect()];
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, 'kept');
    fail.read = true;
    await expect(load(rig, other, sessionId)).rejects.toThrow(/closed/);
    fail.read = false;
    const back = await rig.connect();
    await load(rig, back, sessionId);
    expect(back.agentTexts()).toEqual(['kept']);
    expect(rig.warnings).toHaveLength(1);
  });
});
