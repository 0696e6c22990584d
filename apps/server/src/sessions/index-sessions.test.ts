import type { EventSeq, LeaseEpoch, SessionId } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import { chunkOf } from '../events/event-chunk.ts';
import { openMemoryStore } from '../store/memory/memory-store.ts';
import { indexSessions } from './index-sessions.ts';
import type { SessionRecord } from './session-store.ts';

const session = 's' as SessionId;
const update = (members: object, at = 1) => ({
  at,
  source: 'agent' as const,
  kind: 'update' as const,
  message: Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { update: members } })),
});
const chunk = (text: string) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

async function rig() {
  const store = openMemoryStore();
  const record = { sessionId: session, agent: 'a', cwd: '/', createdAt: 1, updatedAt: Date.now() };
  await store.sessions.put(record as SessionRecord);
  const lease = await store.events.acquire(session, 'me', 1000);
  const epoch = (lease as { epoch: LeaseEpoch }).epoch;
  let next = 1;
  const append = async (...events: Parameters<typeof chunkOf>[1]) => {
    await store.events.append(session, epoch, chunkOf(next as EventSeq, events));
    next += events.length;
  };
  const search = indexSessions({ log: store.events, store: store.sessions, index: store.search });
  const finds = async (...words: string[]) => (await store.sessions.list({ limit: 1, words }))?.sessions.length === 1;
  return { store, append, search, finds };
}
const forever = new AbortController().signal;

describe('what was said', () => {
  it('is indexed when somebody searches, and what comes later by the next search', async () => {
    const { store, append, search, finds } = await rig();
    await append(
      update({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'question' } }),
      chunk('an ans'),
      chunk('wer'),
      update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'secretly' } }),
      update({ sessionUpdate: 'tool_call', title: 'Read file' }),
      update({ sessionUpdate: 'agent_message', messageId: 'm', content: [{ type: 'text', text: 'whole' }] }),
      { at: 1, source: 'agent', kind: 'update', message: Buffer.from('{"odd"') },
    );
    expect(await finds('answer')).toBe(false);
    expect(await search(forever)).toBe(true);
    for (const word of ['question', 'answer', 'read', 'whole']) expect(await finds(word), word).toBe(true);
    expect(await finds('secretly')).toBe(false);
    expect(await store.search.indexedSeq(session)).toBe(7);
    await append(chunk('later'));
    await search(forever);
    expect(await finds('later', 'answer')).toBe(true);
  });

  it('is left for the next search when the time is over', async () => {
    const { append, search, finds } = await rig();
    await append(chunk('word'));
    expect(await search(AbortSignal.abort())).toBe(false);
    expect(await finds('word')).toBe(false);
    expect(await Promise.all([search(forever), search(forever)])).toEqual([true, true]);
    expect(await finds('word')).toBe(true);
  });
});
