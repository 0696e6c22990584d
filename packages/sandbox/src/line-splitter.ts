export interface LineSplitterOptions {
  /** The longest line that is delivered, without its line end. */
  readonly maxLineBytes: number;
  /**
   * A line without its line end, never empty. It may share memory with the chunk that it came in: whoever keeps a
   * short line for long should copy it. Must not throw: the rest of the chunk would be lost.
   */
  readonly onLine: (line: Buffer) => void;
  /** A line was too long and is dropped; called once, at its end, with its length in bytes. */
  readonly onOversize: (bytes: number) => void;
}

export interface LineSplitter {
  /** Delivers every line that ends in `chunk`. The chunk may not be written to afterwards. */
  push(chunk: Buffer): void;
  /** Delivers what stands behind the last newline as a line. The splitter is empty then. */
  end(): void;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** Parts of a line up to this size are gathered, so that a line that drips in costs no object for each drop. */
const SMALL_PART = 4096;
const SCRATCH_BYTES = 65_536;

/**
 * Splits a stream of bytes at newlines (ACP, stdio: one message a line), in time linear in the bytes however they are
 * cut. A carriage return before the newline belongs to the line end; empty lines are skipped. A line within one chunk
 * is not copied, any other once (its small parts twice). Holds at most `maxLineBytes` and one chunk.
 */
export function createLineSplitter({ maxLineBytes, onLine, onOversize }: LineSplitterOptions): LineSplitter {
  let parts: Buffer[] = [];
  let scratch: Buffer | undefined;
  let scratchLength = 0;
  /** Length of the line so far, with what was dropped of it. */
  let length = 0;
  let last: number | undefined;

  function hold(part: Buffer): void {
    if (part.length === 0) return;
    length += part.length;
    last = part[part.length - 1];
    // One more than the limit may be the carriage return.
    if (length > maxLineBytes + 1) {
      parts = [];
      scratchLength = 0;
    } else if (parts.length === 0) parts.push(part);
    else if (part.length > SMALL_PART) {
      emptyScratch();
      parts.push(part);
    } else {
      scratch ??= Buffer.allocUnsafeSlow(SCRATCH_BYTES);
      if (scratchLength + part.length > SCRATCH_BYTES) emptyScratch();
      scratchLength += part.copy(scratch, scratchLength);
    }
  }

  function emptyScratch(): void {
    if (scratch === undefined || scratchLength === 0) return;
    parts.push(Buffer.from(scratch.subarray(0, scratchLength)));
    scratchLength = 0;
  }

  function finish(): void {
    const lineLength = last === RETURN ? length - 1 : length;
    const line = lineLength > 0 && lineLength <= maxLineBytes ? joined().subarray(0, lineLength) : undefined;
    parts = [];
    scratchLength = 0;
    length = 0;
    last = undefined;
    if (line !== undefined) onLine(line);
    else if (lineLength > 0) onOversize(lineLength);
  }

  function joined(): Buffer {
    if (scratch !== undefined && scratchLength > 0) parts.push(scratch.subarray(0, scratchLength));
    const [first] = parts;
    return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts, length);
  }

  return {
    push(chunk) {
      let from = 0;
      let newline = chunk.indexOf(NEWLINE);
      if (newline >= 0 && length > 0) {
        hold(chunk.subarray(0, newline));
        finish();
        from = newline + 1;
        newline = chunk.indexOf(NEWLINE, from);
      }
      while (newline >= 0) {
        const end = newline > from && chunk[newline - 1] === RETURN ? newline - 1 : newline;
        if (end - from > maxLineBytes) onOversize(end - from);
        else if (end > from) onLine(chunk.subarray(from, end));
        from = newline + 1;
        newline = chunk.indexOf(NEWLINE, from);
      }
      hold(from === 0 ? chunk : chunk.subarray(from));
    },
    end: finish,
  };
}
