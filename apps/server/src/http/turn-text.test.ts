import type { ConnectionId, EventSeq, SessionId } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import { chunkOf, type NewEvent } from '../events/event-chunk.ts';
import { createMemoryEventLog } from '../store/memory/memory-event-log.ts';
import { turnText } from './turn-text.ts';

const SESSION = 's' as SessionId;
const OURS = 'c' as ConnectionId;

async function told(updates: readonly object[], maxLength = 100) {
  const log = createMemoryEventLog(() => {});
  const lease = await log.acquire(SESSION, 'test', 1000);
  if (lease.kind !== 'acquired') throw new Error('held');
  const prompt: NewEvent = { at: 0, source: 'client', kind: 'prompt', connection: OURS, message: Buffer.from('{}') };
  const events = updates.map(
    (update): NewEvent => ({
      at: 0,
      source: 'agent',
      kind: 'update',
      message: Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { update } })),
    }),
  );
  await log.append(SESSION, lease.epoch, chunkOf(1 as EventSeq, [prompt, ...events]));
  const until = (1 + updates.length) as EventSeq;
  return turnText(log, SESSION, { connection: OURS, after: 0 as EventSeq, until }, maxLength);
}

const chunk = (text: string, messageId?: string): object => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
  ...(messageId === undefined ? {} : { messageId }),
});

describe('the text of a turn', () => {
  it('joins the chunks of v1, and is cut where it is too long', async () => {
    expect(await told([chunk('a'), { sessionUpdate: 'tool_call', title: 'x' }, chunk('b')])).toEqual({
      text: 'ab',
      truncated: false,
    });
    expect(await told([chunk('abc')], 2)).toEqual({ text: 'ab', truncated: true });
  });

  it('has what a message of v2 became, not what it was before', async () => {
    const whole = { sessionUpdate: 'agent_message', messageId: '2', content: [{ type: 'text', text: 'new' }] };
    const renamed = { sessionUpdate: 'agent_message', messageId: '2', _meta: {} };
    expect(await told([chunk('one ', '1'), chunk('old', '2'), whole, renamed, chunk('er', '2')])).toEqual({
      text: 'one newer',
      truncated: false,
    });
    expect(await told([chunk('gone', '1'), { sessionUpdate: 'agent_message', messageId: '1', content: null }])).toEqual(
      {
        text: '',
        truncated: false,
      },
    );
  });
});
