import { type EventSeq, idKey, type JsonRpcId, parseMessage, type SessionId } from '@reeve/protocol';
import { eventsOf } from '../events/event-chunk.ts';
import type { EventLog } from '../events/event-log.ts';

const READ_BYTES = 256 * 1024;

/**
 * The response of the turn whose `prompt` event has `promptSeq`, copied from the log; undefined when it did not end: the server or
 * the process ended first. Prompts that wait may end before a turn that runs, so the end is known by its connection and id.
 */
export async function readTurnEnd(
  log: EventLog,
  sessionId: SessionId,
  promptSeq: EventSeq,
  lastSeq: EventSeq,
): Promise<Buffer | undefined> {
  let prompt: { readonly connection: string | undefined; readonly id: JsonRpcId } | undefined;
  let cursor = (promptSeq - 1) as EventSeq;
  while (cursor < lastSeq) {
    const chunks = await log.read(sessionId, cursor, READ_BYTES);
    if (chunks.length === 0) return undefined;
    for (const chunk of chunks) {
      for (const { seq, kind, connection, message } of eventsOf(chunk)) {
        cursor = seq;
        if (seq === promptSeq) prompt = { connection, id: idOf(message) };
        else if (kind === 'prompt') return undefined;
        else if (kind === 'turn_end' && prompt && idKey(idOf(message)) === idKey(prompt.id)) {
          // The end of a turn whose client left carries no connection.
          if (connection === undefined || connection === prompt.connection) return Buffer.from(message);
        }
      }
    }
  }
  return undefined;
}

function idOf(message: Buffer): JsonRpcId {
  const parsed = parseMessage(message.toString());
  return 'id' in parsed ? parsed.id : null;
}
