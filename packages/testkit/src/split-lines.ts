/**
 * Splits a byte stream at `\n`, and only there: U+2028, U+2029 and a lone `\r` may stand inside JSON text, so
 * `node:readline` is not usable for JSON-RPC. A line has no length limit here; what it yields has no newline.
 * Call the result with each chunk; a last line without a newline is dropped, as a torn write must be.
 */
export function splitLines(onLine: (line: Buffer) => void): (chunk: Buffer) => void {
  let pending: Buffer[] = [];
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      const tail = chunk.subarray(start, end);
      const line = pending.length === 0 ? tail : Buffer.concat([...pending, tail]);
      pending = [];
      start = end + 1;
      onLine(line);
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
  };
}
