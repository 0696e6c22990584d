import type { EventSeq, SessionId } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import { chunkOf } from '../events/event-chunk.ts';
import { createMemoryEventLog } from '../store/memory/memory-event-log.ts';
import { retell } from './transcript.ts';

const SESSION = 's' as SessionId;

async function told(updates: readonly object[], lastSeq = updates.length): Promise<string | undefined> {
  const log = createMemoryEventLog(() => {});
  const lease = await log.acquire(SESSION, 'test', 1000);
  if (lease.kind !== 'acquired') throw new Error('held');
  const events = updates.map((update) => ({
    at: 0,
    source: 'agent' as const,
    kind: 'update' as const,
    message: Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { update } })),
  }));
  if (events.length > 0) await log.append(SESSION, lease.epoch, chunkOf(1 as EventSeq, events));
  return retell(log, SESSION, lastSeq as EventSeq);
}

const user = (text: string) => ({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text } });
const agent = (text: string) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

describe('a transcript', () => {
  it('says who said what and which tools ran, and leaves thoughts out', async () => {
    const text = await told([
      user('Fix the '),
      user('bug'),
      { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hmm' } },
      agent('On '),
      agent('it.'),
      { sessionUpdate: 'tool_call', toolCallId: '1', title: 'Run tests' },
      { sessionUpdate: 'user_message_chunk', content: { type: 'resource_link', uri: 'file:///a' } },
      { sessionUpdate: 'user_message_chunk', content: { type: 'image', data: 'x' } },
    ]);
    expect(text).toContain('User: Fix the bug\n\nAssistant: On it.\n\nTool: Run tests\n\nUser: [file:///a][image]');
    expect(text).not.toContain('hmm');
  });

  it('is nothing when nothing was said', async () => {
    expect(await told([])).toBeUndefined();
    expect(await told([{ sessionUpdate: 'plan', entries: [] }, { odd: true }])).toBeUndefined();
  });

  it('keeps the end of a long conversation, and says that the beginning is left out', async () => {
    const text = (await told(
      Array.from({ length: 100 }, (_, n) => [user(`${n}?`), agent(`${n}! ${'x'.repeat(5000)}`)]).flat(),
    )) as string;
    expect(text.length).toBeLessThan(120_000);
    expect(text).toContain('The beginning is left out');
    expect(text).toContain('99!');
    expect(text).not.toContain('User: 1?');
  });
});
