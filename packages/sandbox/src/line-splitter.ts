export interface LineSplitterOptions {
  /** The longest line that is delivered, without its line end. */
  readonly maxLineBytes: number;
  /**
   * A line without its line end, never empty. It may share memory with the chunk that it came in: whoever keeps a
   * short line for long should copy it. Must not throw: the rest of the chunk would be lost.
   */
  readonly onLine: (line: Buffer) => void;
  /** A line was too long and is dropped; called once, at its end, with its length in bytes and what it begins and ends with. */
  readonly onOversize: (bytes: number, edges: LineEdges) => void;
}

/** At most 256 bytes each. */
export interface LineEdges {
  readonly head: Buffer;
  readonly tail: Buffer;
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
const EDGE_BYTES = 256;

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
  /** Of a line that is too long. */
  let edges: LineEdges | undefined;

  function hold(part: Buffer): void {
    if (part.length === 0) return;
    length += part.length;
    last = part[part.length - 1];
    // One more than the limit may be the carriage return.
    if (length > maxLineBytes + 1) {
      edges = edges ? { head: edges.head, tail: endOf([edges.tail, part]) } : edgesOf([...parts, scratched(), part]);
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
    if (scratchLength === 0) return;
    parts.push(Buffer.from(scratched()));
    scratchLength = 0;
  }

  function scratched(): Buffer {
    return scratch === undefined ? NOTHING : scratch.subarray(0, scratchLength);
  }

  function finish(): void {
    const lineLength = last === RETURN ? length - 1 : length;
    const fits = lineLength > 0 && lineLength <= maxLineBytes;
    const line = fits ? joined().subarray(0, lineLength) : undefined;
    const cut = fits || lineLength === 0 ? undefined : (edges ?? edgesOf([...parts, scratched()]));
    parts = [];
    scratchLength = 0;
    length = 0;
    last = undefined;
    edges = undefined;
    if (line !== undefined) onLine(line);
    else if (cut !== undefined) onOversize(lineLength, cut);
  }

  function joined(): Buffer {
    if (scratchLength > 0) parts.push(scratched());
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
        if (end - from > maxLineBytes) onOversize(end - from, edgesOf([chunk.subarray(from, end)]));
        else if (end > from) onLine(chunk.subarray(from, end));
        from = newline + 1;
        newline = chunk.indexOf(NEWLINE, from);
      }
      hold(from === 0 ? chunk : chunk.subarray(from));
    },
    end: finish,
  };
}

const NOTHING = Buffer.alloc(0);

function edgesOf(parts: readonly Buffer[]): LineEdges {
  const first: Buffer[] = [];
  for (let length = 0, at = 0; at < parts.length && length < EDGE_BYTES; at += 1) {
    const part = (parts[at] as Buffer).subarray(0, EDGE_BYTES - length);
    length += part.length;
    first.push(part);
  }
  return { head: Buffer.concat(first), tail: endOf(parts) };
}

/** A copy: the parts may be written to. */
function endOf(parts: readonly Buffer[]): Buffer {
  const last: Buffer[] = [];
  for (let length = 0, at = parts.length - 1; at >= 0 && length < EDGE_BYTES; at -= 1) {
    const part = (parts[at] as Buffer).subarray(-(EDGE_BYTES - length));
    length += part.length;
    last.unshift(part);
  }
  return Buffer.concat(last);
}
