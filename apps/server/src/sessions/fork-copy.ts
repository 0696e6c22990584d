import { type EventSeq, isObject, parseMessage, ReeveError, type SessionId, setMember } from '@reeve/protocol';
import { eventsOf, lastSeqOf, type NewEvent, type SessionEvent } from '../events/event-chunk.ts';
import type { EventLog } from '../events/event-log.ts';
import type { SessionRecord } from './session-store.ts';

const READ_BYTES = 256 * 1024;

/**
 * The conversation of a session up to `lastSeq` as events of another one: prompts, what was said, what terminals showed, ends
 * of turns, with the id of the other session, and of no connection. `append` is called in order; `written` is awaited now and then.
 * Throws `not_found` when the log is gone.
 */
export async function copyConversation(
  log: EventLog,
  parent: Pick<SessionRecord, 'sessionId' | 'alias'>,
  lastSeq: EventSeq,
  sessionId: SessionId,
  append: (event: NewEvent) => void,
  written: () => Promise<void>,
): Promise<void> {
  let cursor = 0 as EventSeq;
  while (cursor < lastSeq) {
    const chunks = await log.read(parent.sessionId, cursor, READ_BYTES);
    if (chunks.length === 0) {
      throw new ReeveError('not_found', {
        message: 'the session was deleted while it was forked',
        data: { sessionId: parent.sessionId },
      });
    }
    for (const chunk of chunks) {
      for (const event of eventsOf(chunk)) {
        if (event.seq > lastSeq) break;
        if (isConversation(event)) append(copied(event, parent, sessionId));
      }
      cursor = lastSeqOf(chunk);
    }
    await written();
  }
}

/** How the notes begin that say what terminals showed: tool calls of the conversation name these. */
const OF_TERMINAL = Buffer.from('{"type":"terminal_');

function isConversation({ kind, message }: SessionEvent): boolean {
  if (kind === 'note') return message.subarray(0, OF_TERMINAL.length).equals(OF_TERMINAL);
  return kind === 'update' || kind === 'prompt' || kind === 'turn_end';
}

function copied(
  event: SessionEvent,
  parent: Pick<SessionRecord, 'sessionId' | 'alias'>,
  sessionId: SessionId,
): NewEvent {
  const { at, source, kind } = event;
  const message = Buffer.from(event.message);
  const parsed = parseMessage(message.toString());
  const params = 'params' in parsed && isObject(parsed.params) ? parsed.params : {};
  const named =
    params.sessionId === parent.sessionId || (params.sessionId !== undefined && params.sessionId === parent.alias);
  return {
    at,
    source,
    kind,
    message: named ? setMember(message, ['params', 'sessionId'], JSON.stringify(sessionId)) : message,
  };
}
