import { type EventSeq, idKey, parseMessage, type SessionId } from '@reeve/protocol';
import { eventsOf, type SessionEvent } from '../events/event-chunk.ts';
import type { EventLog } from '../events/event-log.ts';

const READ_BYTES = 256 * 1024;

/** A prompt in the log of a session, and how far that log is looked through. */
export interface PastPrompt {
  readonly sessionId: SessionId;
  /** Of its `prompt` event. */
  readonly promptSeq: EventSeq;
  readonly lastSeq: EventSeq;
}

/**
 * The response of the turn that began with a prompt, copied from the log; undefined when it did not end: the server or the process ended
 * first. Prompts that wait may end before a turn that runs, so the end is known by its connection and id.
 */
export function readTurnEnd(log: EventLog, prompt: PastPrompt): Promise<Buffer | undefined> {
  return readAnswer(log, prompt, ({ kind, connection }, prompted) => {
    if (kind === 'prompt') return 'none';
    // The end of a turn whose client left carries no connection.
    return kind === 'turn_end' && (connection === undefined || connection === prompted) ? 'candidate' : 'other';
  });
}

/** How the agent answered a `session/prompt` of ACP v2, copied from the log; undefined when it did not. */
export function readPromptResponse(log: EventLog, prompt: PastPrompt): Promise<Buffer | undefined> {
  return readAnswer(log, prompt, ({ source, kind, connection }, prompted) =>
    source === 'agent' && kind === 'response' && connection === prompted ? 'candidate' : 'other',
  );
}

/** @param judge what an event behind the prompt is: an answer if it has the id of the prompt, or the sign that there is none */
async function readAnswer(
  log: EventLog,
  { sessionId, promptSeq, lastSeq }: PastPrompt,
  judge: (event: SessionEvent, prompted: string | undefined) => 'candidate' | 'other' | 'none',
): Promise<Buffer | undefined> {
  let prompt: { readonly connection: string | undefined; readonly id: string } | undefined;
  let cursor = (promptSeq - 1) as EventSeq;
  while (cursor < lastSeq) {
    const chunks = await log.read(sessionId, cursor, READ_BYTES);
    if (chunks.length === 0) return undefined;
    for (const chunk of chunks) {
      for (const event of eventsOf(chunk)) {
        cursor = event.seq;
        if (event.seq === promptSeq) prompt = { connection: event.connection, id: idOf(event.message) };
        if (event.seq <= promptSeq) continue;
        const what = judge(event, prompt?.connection);
        if (what === 'none') return undefined;
        if (what === 'candidate' && idOf(event.message) === prompt?.id) return Buffer.from(event.message);
      }
    }
  }
  return undefined;
}

function idOf(message: Buffer): string {
  const parsed = parseMessage(message.toString());
  return idKey('id' in parsed ? parsed.id : null);
}
