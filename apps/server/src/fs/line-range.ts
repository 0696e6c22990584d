/**
 * Lines of a text, each with its own ending, so that the pieces of a file read in turn make up the file (ACP, fs/read_text_file).
 * @param line first line, from 1; 0 counts as 1
 * @param limit how many lines at most; all when left out
 */
export function lineRange(text: string, line = 1, limit = Number.POSITIVE_INFINITY): string {
  const from = skipLines(text, 0, Math.max(line, 1) - 1);
  return text.slice(from, skipLines(text, from, limit));
}

/** The index behind `count` lines from `index` on. */
function skipLines(text: string, index: number, count: number): number {
  if (count === Number.POSITIVE_INFINITY) return text.length;
  let at = index;
  for (let left = count; left > 0 && at < text.length; left -= 1) {
    const end = text.indexOf('\n', at);
    if (end === -1) return text.length;
    at = end + 1;
  }
  return at;
}
