import { StringDecoder } from 'node:string_decoder';

/** The last bytes that a command wrote, as text (ACP, terminals: truncation from the beginning, at a character boundary). */
export interface OutputTail {
  push(chunk: Buffer): void;
  /** Nothing comes any more: a character that was begun is shown as unfinished. */
  end(): void;
  /** At most the limit as UTF-8; bytes that are no UTF-8 stand as U+FFFD. */
  text(): string;
  /** Something was left out. */
  readonly truncated: boolean;
}

/** @param limitBytes at least 0; memory grows up to it, and by little more than one chunk beyond, as bytes come */
export function createOutputTail(limitBytes: number): OutputTail {
  const decoder = new StringDecoder('utf8');
  let kept = Buffer.alloc(0);
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let truncated = false;

  const fold = () => {
    const all = Buffer.concat([kept, ...pending]);
    pending = [];
    pendingBytes = 0;
    let from = Math.max(0, all.length - limitBytes);
    if (from > 0) truncated = true;
    while (from > 0 && from < all.length && ((all[from] as number) & 0xc0) === 0x80) from += 1;
    // A copy, so that a small tail doesn't keep a large chunk alive.
    kept = from > 0 ? Buffer.from(all.subarray(from)) : all;
  };
  const add = (text: string) => {
    const bytes = Buffer.from(text);
    pending.push(bytes);
    pendingBytes += bytes.length;
    // The count bounds what many tiny chunks cost beside their bytes.
    if (pendingBytes > limitBytes || pending.length >= 256) fold();
  };

  return {
    push: (chunk) => add(decoder.write(chunk)),
    end: () => add(decoder.end()),
    text() {
      fold();
      return kept.toString();
    },
    get truncated() {
      fold();
      return truncated;
    },
  };
}
