import type { Writable } from 'node:stream';

/** Up to so many bytes a copy with its newline costs less than a second piece to write. */
const COPIED_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/** Writes a message of newline-delimited JSON. @param onFlushed called when the stream has given it to the system */
export function writeLine(stream: Writable, raw: Buffer, onFlushed?: () => void): void {
  if (raw.length <= COPIED_BYTES) {
    const line = Buffer.allocUnsafe(raw.length + 1);
    line.set(raw);
    line[raw.length] = NEWLINE;
    stream.write(line, onFlushed);
    return;
  }
  stream.cork();
  stream.write(raw);
  stream.write('\n', onFlushed);
  stream.uncork();
}
