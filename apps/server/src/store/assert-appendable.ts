import type { EventChunk } from '../events/event-chunk.ts';
import { StoreError } from './store-error.ts';

/** The smallest record: a header without connection and message (events/event-chunk.ts). */
const MIN_RECORD_BYTES = 16;

/** Throws `invalid` for a chunk that would spoil the log: an empty one, or one whose body was moved away by an earlier append. */
export function assertAppendable(chunk: EventChunk): void {
  if (chunk.count >= 1 && chunk.firstSeq >= 1 && chunk.body.byteLength >= chunk.count * MIN_RECORD_BYTES) return;
  throw new StoreError(
    'invalid',
    `a chunk of ${chunk.count} events from seq ${chunk.firstSeq} with ${chunk.body.byteLength} bytes cannot be appended: give a full chunk whose body was not appended before`,
  );
}
