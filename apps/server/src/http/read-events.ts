import type { EventSeq, SessionId } from '@reeve/protocol';
import { type EventChunk, lastSeqOf, sliceChunk } from '../events/event-chunk.ts';
import type { EventLog } from '../events/event-log.ts';

const PAGE_BYTES = 1024 * 1024;

/** At most `limit` stored events after `after`, and below `end`. */
export async function readEvents(
  log: EventLog,
  session: SessionId,
  after: EventSeq,
  limit: number,
  end = Number.POSITIVE_INFINITY,
): Promise<EventChunk[]> {
  const chunks: EventChunk[] = [];
  let cursor = after;
  for (let left = limit; left > 0 && cursor + 1 < end; ) {
    const read = await log.read(session, cursor, PAGE_BYTES);
    if (read.length === 0) break;
    for (const whole of read) {
      const chunk = sliceChunk(whole, cursor, Math.min(left, end - whole.firstSeq));
      if (chunk.count === 0) return chunks;
      chunks.push(chunk);
      left -= chunk.count;
      cursor = lastSeqOf(chunk);
    }
  }
  return chunks;
}
