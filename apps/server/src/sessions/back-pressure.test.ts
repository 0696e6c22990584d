import type { SessionId } from '@reeve/protocol';
import { type FloodSpec, floodIndex } from '@reeve/testkit';
import { describe, expect, it } from 'vitest';
import { openMemoryStore } from '../store/memory/memory-store.ts';
import type { Store } from '../store/store.ts';
import { eventually, type SessionRig, startRig } from './session.rig.ts';
import { newSession, prompt } from './session-calls.rig.ts';

/** A memory store whose disk stands still while it is held. */
function openHeldStore(): { store: Store; hold(): void; release(): void } {
  const memory = openMemoryStore();
  let held: PromiseWithResolvers<void> | undefined;
  const append: typeof memory.events.append = async (...appended) => {
    await held?.promise;
    return memory.events.append(...appended);
  };
  return {
    store: { ...memory, events: { ...memory.events, append } },
    hold() {
      held = Promise.withResolvers();
    },
    release() {
      held?.resolve();
      held = undefined;
    },
  };
}

const lastSeq = (rig: SessionRig, sessionId: string): number =>
  rig.directory.live(sessionId as SessionId)?.lastSeq ?? 0;

describe('a session whose disk is slow', () => {
  it('reads its agent up to the limit and no further, and loses nothing', async () => {
    const { store, hold, release } = openHeldStore();
    await using _store = store;
    const limit = 256 * 1024;
    await using rig = await startRig({ store, limits: { agentBacklogBytes: limit } });
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const within: FloodSpec = { count: 100, bytes: 1000, label: 'within' };
    const beyond: FloodSpec = { count: 4000, bytes: 1000, label: 'beyond' };

    await rig.directory.live(sessionId as SessionId)?.durable();
    const before = lastSeq(rig, sessionId);
    hold();
    const turn = prompt(peer, sessionId, [{ flood: within }, { sleep: 100 }, { flood: beyond }, { say: 'end' }]);
    await eventually(() => lastSeq(rig, sessionId)).toBeGreaterThanOrEqual(before + within.count);
    // What one read of the pipe brings at once comes on top of the limit.
    const most = before + (limit + 3 * 64 * 1024) / 1000;
    await eventually(() => lastSeq(rig, sessionId)).toBeGreaterThan(before + within.count + 10);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(lastSeq(rig, sessionId)).toBeLessThan(most);
    expect(peer.agentTexts()).toEqual([]);

    release();
    await turn;
    const texts = peer.agentTexts();
    expect(texts).toHaveLength(within.count + beyond.count + 1);
    const inOrder = (spec: FloodSpec, from: number): boolean =>
      texts.slice(from, from + spec.count).every((text, place) => floodIndex(spec, text) === place);
    expect([inOrder(within, 0), inOrder(beyond, within.count)]).toEqual([true, true]);
  });
});

describe('a session whose agent does not read', () => {
  it('takes no prompt while more than the limit waits for it, and says which setting that is', async () => {
    const deaf = `
      const { stdin } = process;
      stdin.on('data', (chunk) => {
        for (const line of String(chunk).trim().split('\\n')) {
          const { id, method } = JSON.parse(line);
          const result = method === 'initialize' ? { protocolVersion: 1 } : { sessionId: 'x' };
          console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
          if (method === 'session/new') stdin.pause();
        }
      });`;
    const commands = { deaf: { command: process.execPath, args: ['-e', deaf] } };
    const agentInputBytes = 100_000;
    await using rig = await startRig({ agents: {}, commands, limits: { agentInputBytes } });
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const turns = [prompt(peer, sessionId, 'one'), prompt(peer, sessionId, 'two')];
    for (const turn of turns) turn.catch(() => undefined);
    // The pipe and the agent itself take some of it.
    peer.notify('_vendor/big', { sessionId, pad: 'x'.repeat(agentInputBytes + 1024 * 1024) });
    await expect(prompt(peer, sessionId, 'three')).rejects.toMatchObject({
      code: 47010,
      message: expect.stringContaining('limits.agentInputBytes'),
      data: { unreadBytes: expect.any(Number) },
    });
    expect(rig.unforeseen).toEqual([]);
  });
});
