import { type EventSeq, type JsonObject, parseEventSeq, ReeveError, type SessionId } from '@reeve/protocol';
import { eventsOf, sliceChunk } from '../events/event-chunk.ts';
import type { SessionDirectory } from '../sessions/session-directory.ts';

const EVENTS_PAGE_BYTES = 1024 * 1024;
const MAX_EVENTS = 1000;

/** A page of a session's log as JSON text: `{events, nextAfter, hasMore}`. Messages are spliced in as they are. */
async function eventsPage(
  directory: SessionDirectory,
  sessionId: SessionId,
  after: EventSeq,
  limit: number,
): Promise<string> {
  const { log } = directory.services;
  const head = await log.head(sessionId);
  const parts: string[] = [];
  let cursor = after;
  let bytes = 0;
  while (parts.length < limit && cursor < head && bytes < EVENTS_PAGE_BYTES) {
    const chunks = await log.read(sessionId, cursor, EVENTS_PAGE_BYTES);
    if (chunks.length === 0) break;
    for (const chunk of chunks) {
      for (const event of eventsOf(sliceChunk(chunk, cursor, limit - parts.length))) {
        const { message, ...facts } = event;
        parts.push(`${JSON.stringify(facts).slice(0, -1)},"message":${message.toString()}}`);
        bytes += message.byteLength;
        cursor = event.seq;
      }
    }
  }
  return `{"events":[${parts.join(',')}],"nextAfter":${cursor},"hasMore":${cursor < head}}`;
}

/** `_sandboxagent/session/events` {sessionId, after?, limit?}: a view of the log; the stream stays canonical. */
export async function pollEvents(directory: SessionDirectory, params: JsonObject): Promise<string> {
  const { sessionId } = await directory.record(params.sessionId);
  const after = parseEventSeq(params.after ?? 0);
  const limit = params.limit ?? 100;
  if (after === undefined) throw new ReeveError('invalid_params', { message: 'after: a whole number from 0' });
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > MAX_EVENTS) {
    throw new ReeveError('invalid_params', { message: `limit: a whole number from 1 to ${MAX_EVENTS}` });
  }
  const lastSeq = await directory.services.log.head(sessionId);
  if (after > lastSeq) {
    throw new ReeveError('invalid_params', {
      message: `after: the last seq of this session is ${lastSeq}`,
      data: { after, lastSeq },
    });
  }
  return eventsPage(directory, sessionId, after, limit);
}
