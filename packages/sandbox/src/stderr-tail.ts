import { StringDecoder } from 'node:string_decoder';

/** The last bytes of a stream that nobody may be reading. */
export interface StderrTail {
  push(chunk: Buffer): void;
  /** At most the limit, in bytes; a character cut by either end is left out. */
  text(): string;
}

/** @param limitBytes at least 0; memory grows up to it as bytes come. */
export function createStderrTail(limitBytes: number): StderrTail {
  let kept = Buffer.alloc(0);
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let truncated = false;

  const fold = () => {
    const all = Buffer.concat([kept, ...pending]);
    const excess = all.length - limitBytes;
    if (excess > 0) truncated = true;
    // A copy, so that a small tail doesn't keep a large chunk alive.
    kept = excess > 0 ? Buffer.from(all.subarray(excess)) : all;
    pending = [];
    pendingBytes = 0;
  };

  return {
    push(chunk) {
      pending.push(chunk);
      pendingBytes += chunk.length;
      // The count bounds what many tiny chunks cost beside their bytes.
      if (pendingBytes > limitBytes || pending.length >= 256) fold();
    },
    text() {
      fold();
      return new StringDecoder('utf8').write(truncated ? kept.subarray(continuationBytes(kept)) : kept);
    },
  };
}

/** How many bytes at the start belong to a character whose first byte is gone: 0 to 3. */
function continuationBytes(bytes: Buffer): number {
  let count = 0;
  while (count < 3 && count < bytes.length && ((bytes[count] ?? 0) & 0xc0) === 0x80) count += 1;
  return count;
}
