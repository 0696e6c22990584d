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
 * What the agent said in the turn that `connection` began: the text of its messages, joined (ACP v1 and v2, `agent_message_chunk`; v2,
 * `agent_message`). A session of v2 has no end of a turn in its log: there it is what was said up to `until`.
 * Nothing where that connection began none after `after`, as when the turn ran before under the same idempotency key.
 */
export async function turnText(
  log: EventLog,
  sessionId: SessionId,
  { connection, after, until }: { connection: ConnectionId; after: EventSeq; until: EventSeq },
  maxLength: number,
): Promise<Pick<TurnOutcome, 'text' | 'truncated'>> {
  let text: string | undefined;
  /** Where the text of a message begins that may still be replaced (ACP v2). */
  const begins = new Map<unknown, number>();
  for (let cursor = after; cursor < until; ) {
    const chunks = await log.read(sessionId, cursor, READ_BYTES);
    if (chunks.length === 0) break;
    for (const chunk of chunks) {
      for (const event of eventsOf(sliceChunk(chunk, cursor, until - cursor))) {
        cursor = event.seq;
        const own = event.connection === connection;
        if (own && event.kind === 'prompt') text = '';
        else if (own && event.kind === 'turn_end') return { text: text ?? '', truncated: false };
        else if (text !== undefined && event.kind === 'update') text = withMessage(text, begins, event.message);
        if (text !== undefined && text.length > maxLength) return { text: text.slice(0, maxLength), truncated: true };
      }
    }
  }
  return text === undefined ? {} : { text, truncated: false };
}

/** The text with what one update adds to it, or has in place of what the same message said before. */
function withMessage(before: string, begins: Map<unknown, number>, raw: Buffer): string {
  if (!raw.includes('agent_message')) return before;
  const parsed = parseMessage(raw.toString());
  const params = parsed.kind === 'notification' && isObject(parsed.params) ? parsed.params : {};
  const { update } = params;
  if (!isObject(update)) return before;
  const { sessionUpdate, messageId, content } = update;
  const begin = begins.get(messageId) ?? before.length;
  if (sessionUpdate === 'agent_message_chunk') {
    begins.set(messageId, begin);
    return before + textOf(content);
  }
  if (sessionUpdate !== 'agent_message' || content === undefined) return before;
  begins.set(messageId, begin);
  return before.slice(0, begin) + (Array.isArray(content) ? content.map(textOf).join('') : '');
}

function textOf(content: unknown): string {
  return isObject(content) && typeof content.text === 'string' ? content.text : '';
}
