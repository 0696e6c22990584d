import type { JsonObject } from '@reeve/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SessionRig, startRig } from '../sessions/session.rig.ts';
import { newSession, prompt } from '../sessions/session-calls.rig.ts';

describe('_sandboxagent/session/events', () => {
  const EVENTS = '_sandboxagent/session/events';

  interface Page {
    readonly events: readonly { readonly seq: number; readonly message: JsonObject }[];
    readonly nextAfter: number;
    readonly hasMore: boolean;
  }

  let rig: SessionRig;

  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  it('gives the log in order, page by page, to whoever asks, attached or not, live or closed', async () => {
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer, { requestedSessionId: 'polled' });
    await prompt(peer, sessionId, [{ flood: { count: 40, bytes: 8 } }]);
    const reader = await rig.connect();
    const read = async (limit: number): Promise<number[]> => {
      const seqs: number[] = [];
      for (let after = 0, more = true; more; ) {
        const page = await reader.request<Page>(EVENTS, { sessionId: 'polled', after, limit });
        expect(page.events.length).toBeLessThanOrEqual(limit);
        expect(page.nextAfter).toBe(page.events.at(-1)?.seq ?? after);
        seqs.push(...page.events.map(({ seq }) => seq));
        after = page.nextAfter;
        more = page.hasMore;
      }
      return seqs;
    };
    const all = await read(1000);
    expect(all.length).toBeGreaterThan(40);
    expect(all).toEqual(all.map((_, index) => index + 1));
    expect(await read(1)).toEqual(all);
    expect(await read(7)).toEqual(all);
    await peer.request('session/close', { sessionId });
    expect((await read(1000)).slice(0, all.length)).toEqual(all);
    expect(reader.updates()).toEqual([]);
    await peer.request('session/delete', { sessionId });
    await expect(reader.request(EVENTS, { sessionId })).rejects.toMatchObject({ code: -32002 });
  });

  it('takes a limit from 1 to 1000 and a cursor up to the last event, and says so otherwise', async () => {
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const { nextAfter } = await peer.request<Page>(EVENTS, { sessionId, limit: 1000 });
    for (const limit of [0, 1001, 1.5, '10']) {
      await expect(peer.request(EVENTS, { sessionId, limit })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('limit: a whole number from 1 to 1000'),
      });
    }
    for (const after of [-1, 1.5, 'x']) {
      await expect(peer.request(EVENTS, { sessionId, after })).rejects.toMatchObject({ code: -32602 });
    }
    expect(await peer.request(EVENTS, { sessionId, after: nextAfter })).toEqual({
      events: [],
      nextAfter,
      hasMore: false,
    });
    await expect(peer.request(EVENTS, { sessionId, after: nextAfter + 1 })).rejects.toMatchObject({
      code: -32602,
      data: { after: nextAfter + 1, lastSeq: nextAfter },
    });
  });

  it('ends a page when it has a mebibyte, with at least one event', async () => {
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, [{ bigLine: 700_000 }, { bigLine: 700_000 }, { bigLine: 700_000 }]);
    let after = 0;
    let pages = 0;
    for (let more = true; more; pages++) {
      const page = await peer.request<Page>(EVENTS, { sessionId, after, limit: 1000 });
      expect(page.events.length).toBeGreaterThan(0);
      expect(JSON.stringify(page).length).toBeLessThan(2_200_000);
      after = page.nextAfter;
      more = page.hasMore;
    }
    expect(pages).toBeGreaterThan(1);
  });
});
