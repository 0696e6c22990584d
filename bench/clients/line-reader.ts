const NEWLINE = 0x0a;

/** Calls `onLine` for each whole line of `bytes[0..end)`; gives where the first incomplete one begins. */
export function readLines(
  bytes: Buffer,
  end: number,
  onLine: (bytes: Buffer, start: number, end: number) => void,
): number {
  let at = 0;
  for (;;) {
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline === -1 || newline >= end) return at;
    onLine(bytes, at, newline);
    at = newline + 1;
  }
}
