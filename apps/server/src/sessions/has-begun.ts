import { type EventSeq, isObject, type SessionId } from '@reeve/protocol';
import { eventsOf, lastSeqOf, type SessionEvent } from '../events/event-chunk.ts';
import type { EventLog } from '../events/event-log.ts';

const READ_BYTES = 64 * 1024;

/** Whether the agent may know anything of a session: somebody prompted, or it was taken over from the agent. Reads up to the first prompt. */
export async function hasBegun(log: EventLog, sessionId: SessionId): Promise<boolean> {
  const head = await log.head(sessionId);
  for (let cursor = 0 as EventSeq; cursor < head; ) {
    const chunks = await log.read(sessionId, cursor, READ_BYTES);
    if (chunks.length === 0) return false;
    for (const chunk of chunks) {
      for (const event of eventsOf(chunk)) if (event.kind === 'prompt' || isAdoption(event)) return true;
      cursor = lastSeqOf(chunk);
    }
  }
  return false;
}

function isAdoption({ kind, message }: SessionEvent): boolean {
  if (kind !== 'note') return false;
  const note: unknown = JSON.parse(message.toString());
  return isObject(note) && note.type === 'adopted';
}
