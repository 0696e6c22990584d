import { type EventSeq, idKey, type JsonRpcId, parseMessage, type SessionId } from '@reeve/protocol';
import { eventsOf } from '../events/event-chunk.ts';
import type { EventLog } from '../events/event-log.ts';

const READ_BYTES = 256 * 1024;

/**
 * How the agent answered the `session/prompt` of ACP v2 whose event has `promptSeq`, copied from the log; undefined when it did not: the
 * server or the process ended first.
 */
export async function readPromptResponse(
  log: EventLog,
  sessionId: SessionId,
  promptSeq: EventSeq,
  lastSeq: EventSeq,
): Promise<Buffer | undefined> {
  let prompt: { readonly connection: string | undefined; readonly id: string } | undefined;
  let cursor = (promptSeq - 1) as EventSeq;
  while (cursor < lastSeq) {
    const chunks = await log.read(sessionId, cursor, READ_BYTES);
    if (chunks.length === 0) return undefined;
    for (const chunk of chunks) {
      for (const { seq, source, kind, connection, message } of eventsOf(chunk)) {
        cursor = seq;
        if (seq === promptSeq) prompt = { connection, id: idKey(idOf(message)) };
        else if (source !== 'agent' || kind !== 'response' || connection !== prompt?.connection) continue;
        else if (idKey(idOf(message)) === prompt?.id) return Buffer.from(message);
      }
    }
  }
  return undefined;
}

function idOf(message: Buffer): JsonRpcId {
  const parsed = parseMessage(message.toString());
  return 'id' in parsed ? parsed.id : null;
}
