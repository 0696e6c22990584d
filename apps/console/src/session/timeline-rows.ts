import type { TimelineItem } from '@reeve/client';

/** What the list draws: an item, or a piece of a long message, so that no row is larger than a screen or two. */
export interface TimelineRow {
  readonly key: string;
  readonly item: TimelineItem;
  /** The piece's own text; undefined where the row is the whole item. */
  readonly piece: string | undefined;
  /** The first row of its item. */
  readonly first: boolean;
}

/** Characters of a message beyond which it is cut into pieces. */
const PIECE = 3000;

const cut = new WeakMap<TimelineItem, readonly TimelineRow[]>();

/** The rows of items, cut anew only for those that changed. */
export function timelineRows(items: readonly TimelineItem[]): readonly TimelineRow[] {
  return items.flatMap((item) => {
    const rows = cut.get(item) ?? rowsOf(item);
    cut.set(item, rows);
    return rows;
  });
}

function rowsOf(item: TimelineItem): readonly TimelineRow[] {
  const text = longText(item);
  if (text === undefined) return [{ key: item.key, item, piece: undefined, first: true }];
  return pieces(text).map((piece, index) => ({
    key: `${item.key}/${index}`,
    item,
    piece,
    first: index === 0,
  }));
}

/** The text of a message of one block that is too long for a row. */
function longText(item: TimelineItem): string | undefined {
  if (item.kind !== 'agent' || item.blocks.length !== 1) return undefined;
  const text = item.blocks[0]?.text;
  return typeof text === 'string' && text.length > PIECE ? text : undefined;
}

/** Cuts at line ends where there are any; a fenced block that is cut is closed and opened again. */
export function pieces(text: string): readonly string[] {
  const result: string[] = [];
  let fence = '';
  for (let at = 0; at < text.length; ) {
    const limit = Math.min(at + PIECE, text.length);
    const lineEnd = limit === text.length ? limit : text.lastIndexOf('\n', limit) + 1;
    const end = lineEnd > at ? lineEnd : limit;
    const piece = text.slice(at, end);
    const before = fence;
    for (const [line] of piece.matchAll(/^ {0,3}(?:```|~~~).*$/gm)) fence = fence === '' ? line.trim() : '';
    result.push(`${before === '' ? '' : `${before}\n`}${piece}${fence === '' ? '' : `\n${fence.slice(0, 3)}`}`);
    at = end;
  }
  return result;
}
