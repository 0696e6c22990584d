const NEWLINE = 0x0a;

/** Cuts a byte stream into lines. A line longer than the limit is passed over, and told as `undefined`. */
export class JsonLines {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  #skipping = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that `chunk` ended, without their newline; empty ones are left out. */
  *push(chunk: Buffer): Generator<Buffer | undefined> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      start = end + 1;
      yield* this.end();
    }
    this.#add(chunk.subarray(start));
  }

  /** What stands after the last newline: a stream may end without one. */
  *end(): Generator<Buffer | undefined> {
    const line = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
    const skipped = this.#skipping;
    this.#parts = [];
    this.#bytes = 0;
    this.#skipping = false;
    if (skipped) yield undefined;
    else if (line && !isBlank(line)) yield line;
  }

  #add(part: Buffer): void {
    if (part.byteLength === 0) return;
    this.#bytes += part.byteLength;
    if (this.#bytes > this.#maxBytes) {
      this.#skipping = true;
      this.#parts = [];
    } else if (!this.#skipping) this.#parts.push(part);
  }
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
