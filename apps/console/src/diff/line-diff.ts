/** One line of a comparison, with its number in the old and in the new text, from 1. */
export type DiffLine =
  | { readonly kind: 'same'; readonly text: string; readonly before: number; readonly after: number }
  | { readonly kind: 'removed'; readonly text: string; readonly before: number }
  | { readonly kind: 'added'; readonly text: string; readonly after: number };

/** A larger middle part is shown as replaced whole: comparing it would take too long. */
const MAX_CELLS = 4_000_000;

/** Compares two texts line by line: a shortest way from one to the other, removals before additions. */
export function lineDiff(oldText: string, newText: string): readonly DiffLine[] {
  const before = linesOf(oldText);
  const after = linesOf(newText);
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end += 1;
  }
  const lines: DiffLine[] = [];
  const same = (left: number, right: number): void => {
    lines.push({ kind: 'same', text: before[left] ?? '', before: left + 1, after: right + 1 });
  };
  for (let at = 0; at < start; at += 1) same(at, at);
  compareMiddle(before, after, { start, beforeEnd: before.length - end, afterEnd: after.length - end }, lines);
  for (let at = end; at > 0; at -= 1) same(before.length - at, after.length - at);
  return lines;
}

interface Middle {
  readonly start: number;
  readonly beforeEnd: number;
  readonly afterEnd: number;
}

function compareMiddle(before: readonly string[], after: readonly string[], middle: Middle, lines: DiffLine[]): void {
  const { start, beforeEnd, afterEnd } = middle;
  const rows = beforeEnd - start;
  const columns = afterEnd - start;
  const width = columns + 1;
  const tooLarge = rows * columns > MAX_CELLS;
  // common[row][column]: lines in common from there to the end.
  const common = new Uint32Array(tooLarge ? 0 : (rows + 1) * width);
  if (!tooLarge) {
    for (let row = rows - 1; row >= 0; row -= 1) {
      for (let column = columns - 1; column >= 0; column -= 1) {
        const at = row * width + column;
        common[at] =
          before[start + row] === after[start + column]
            ? (common[at + width + 1] ?? 0) + 1
            : Math.max(common[at + width] ?? 0, common[at + 1] ?? 0);
      }
    }
  }
  let row = 0;
  let column = 0;
  while (row < rows || column < columns) {
    const left = start + row;
    const right = start + column;
    const at = row * width + column;
    if (!tooLarge && row < rows && column < columns && before[left] === after[right]) {
      lines.push({ kind: 'same', text: before[left] ?? '', before: left + 1, after: right + 1 });
      row += 1;
      column += 1;
    } else if (row < rows && (tooLarge || column >= columns || (common[at + width] ?? 0) >= (common[at + 1] ?? 0))) {
      lines.push({ kind: 'removed', text: before[left] ?? '', before: left + 1 });
      row += 1;
    } else {
      lines.push({ kind: 'added', text: after[right] ?? '', after: right + 1 });
      column += 1;
    }
  }
}

/** A line feed at the end begins no line of its own. */
function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}
