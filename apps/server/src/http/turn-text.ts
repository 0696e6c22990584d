import {
  type ConnectionId,
  type EventSeq,
  isObject,
  parseMessage,
  type SessionId,
  type TurnOutcome,
} from '@reeve/protocol';
import { eventsOf, sliceChunk } from '../events/event-chunk.ts';
import type { EventLog } from '../events/event-log.ts';

const READ_BYTES = 1024 * 1024;

/**
 * What the agent said in the turn that `connection` began: the text of its message chunks, joined (ACP, `agent_message_chunk`).
 * Nothing where that connection began none after `after`, as when the turn ran before under the same idempotency key.
 */
export async function turnText(
  log: EventLog,
  sessionId: SessionId,
  { connection, after, until }: { connection: ConnectionId; after: EventSeq; until: EventSeq },
  maxLength: number,
): Promise<Pick<TurnOutcome, 'text' | 'truncated'>> {
  let text: string | undefined;
  for (let cursor = after; cursor < until; ) {
    const chunks = await log.read(sessionId, cursor, READ_BYTES);
    if (chunks.length === 0) break;
    for (const chunk of chunks) {
      for (const event of eventsOf(sliceChunk(chunk, cursor, until - cursor))) {
        cursor = event.seq;
        const own = event.connection === connection;
        if (own && event.kind === 'prompt') text = '';
        else if (own && event.kind === 'turn_end') return { text: text ?? '', truncated: false };
        else if (text !== undefined && event.kind === 'update') text += chunkText(event.message);
        if (text !== undefined && text.length > maxLength) return { text: text.slice(0, maxLength), truncated: true };
      }
    }
  }
  return text === undefined ? {} : { text, truncated: false };
}

function chunkText(message: Buffer): string {
  if (!message.includes('agent_message_chunk')) return '';
  const parsed = parseMessage(message.toString());
  const params = parsed.kind === 'notification' && isObject(parsed.params) ? parsed.params : {};
  const { update } = params;
  if (!isObject(update) || update.sessionUpdate !== 'agent_message_chunk' || !isObject(update.content)) return '';
  return typeof update.content.text === 'string' ? update.content.text : '';
}
