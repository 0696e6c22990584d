import type { SessionId } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import { ChangeFeed } from '../events/change-feed.ts';
import { EventFeed } from '../events/event-feed.ts';
import { createControlApi } from './control-api.ts';
import { FAKE_REQUEST, FAKE_SESSION, FakeControlPort } from './fake-control-port.ts';
import { noticeOf, tellChanges } from './tell-changes.ts';

const S1 = 's1' as SessionId;

function rig() {
  const changes = new ChangeFeed();
  const feed = new EventFeed();
  const port = new FakeControlPort();
  const asked: string[] = [];
  const state = { session: FAKE_SESSION };
  const errors: unknown[] = [];
  const teller = tellChanges({
    feed,
    changes,
    session: async (id) => {
      asked.push(id);
      if (id === 'broken') throw new Error('the store failed');
      return id === S1 ? state.session : undefined;
    },
    onError: (error) => errors.push(error),
  });
  const stopping = new AbortController();
  const api = createControlApi({
    port,
    changes,
    version: '1.2.3',
    maxBodyBytes: 1024,
    heartbeatMs: 20,
    stopping: stopping.signal,
  });
  const follow = async (lastEventId?: string) => {
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const response = await api.request('/v1/events', { headers }, { authenticated: true });
    const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const until = async (part: string): Promise<string> => {
      while (!text.includes(part)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`ended without ${part}: ${text}`);
        text += value;
      }
      return text;
    };
    return { response, until, leave: () => reader.cancel(), rest: () => reader.read() };
  };
  return { changes, feed, asked, state, errors, teller, stopping, follow };
}

describe('GET /v1/events', () => {
  it('tells what became of a session once for all that happened to it in a moment, and what waits for a person', async () => {
    const { changes, feed, asked, state, follow, teller } = rig();
    const reader = await follow();
    expect(reader.response.headers.get('content-type')).toBe('text/event-stream');
    expect(reader.response.headers.get('reeve-heartbeat')).toBe('20');
    await reader.until('event: resync');
    for (let count = 0; count < 50; count += 1) feed.wake(S1);
    feed.wake('gone' as SessionId);
    changes.publish({ kind: 'request.opened', request: FAKE_REQUEST });
    const text = await reader.until('event: session.removed');
    expect(text).toContain('data: {"kind":"session.changed","session":{"sessionId":"s1"');
    expect(text).toContain('"request":{"id":"r1"');
    expect(asked).toEqual(['s1', 'gone']);
    const boundary = { roots: [], revision: 1, enforcement: {} };
    for (const revision of [1, 2]) {
      state.session = { ...FAKE_SESSION, boundary: { ...boundary, revision } };
      feed.wake(S1);
      await reader.until(`"revision":${revision},"enforcement"`);
    }
    expect(await reader.until('boundary.changed')).toContain(
      '{"kind":"boundary.changed","sessionId":"s1","revision":2}',
    );
    await reader.leave();
    teller[Symbol.dispose]();
  });

  it('tells alarms without the path', () => {
    const server = { name: 'files', fingerprint: 'f' };
    const alarm = { at: 1, session: S1, server, path: '/home/me/.ssh', access: 'ro', by: 'agent', count: 2 } as const;
    expect(noticeOf(alarm)).toEqual({ at: 1, sessionId: 's1', server: 'files', access: 'ro', by: 'agent', count: 2 });
  });

  it('goes on where a reader was, unless something was missed', async () => {
    const { changes, feed, follow, teller } = rig();
    const first = await follow();
    const id = /id: (\S+)/.exec(await first.until('resync'))?.[1];
    await first.leave();
    changes.publish({ kind: 'request.resolved', request: FAKE_REQUEST });
    const second = await follow(id);
    expect(await second.until('request.resolved')).not.toContain('resync');
    await second.leave();
    feed.wake(S1);
    const third = await follow(id);
    await third.until('resync');
    await third.leave();
    teller[Symbol.dispose]();
  });

  it('outlives a session that cannot be read, and ends with the server', async () => {
    const { feed, errors, stopping, follow, teller } = rig();
    const reader = await follow();
    await reader.until('resync');
    for (const id of ['broken', 's1']) feed.wake(id as SessionId);
    await reader.until('session.changed');
    expect(errors).toHaveLength(1);
    stopping.abort();
    for (;;) if ((await reader.rest()).done) break;
    teller[Symbol.dispose]();
  });
});
