import type { SeqRange, TimelineItem } from './timeline-item.ts';

type Writable<T> = {
  -readonly [Member in keyof T]: T[Member] extends readonly (infer Element)[] ? Element[] : T[Member];
};

/** An item of one kind while it can still grow. */
export type DraftItem<Kind extends TimelineItem['kind'] = TimelineItem['kind']> = Kind extends unknown
  ? Writable<Extract<TimelineItem, { kind: Kind }>>
  : never;

/** What a timeline keeps of an item: written in place, shown as a copy that is made when somebody looks. */
export interface Draft<Kind extends TimelineItem['kind'] = TimelineItem['kind']> {
  readonly item: DraftItem<Kind>;
  /** What was shown last; undefined when the item has changed since. */
  view: TimelineItem | undefined;
  /** Its beginning was not read: it lies in an older page, or nowhere. */
  orphan: boolean;
  /** Its content was set whole by an event that was read: what older pages have of it is past. */
  whole: boolean;
  /** Its status was told, of a tool call. */
  hasStatus: boolean;
  /** A prompt, as a client gave it: nothing is added to what it says. */
  isPrompt: boolean;
}

/** Where an event stands: for items it is all that counts beside the message. */
export interface Stamp {
  readonly seq: number;
  readonly at: number;
}

export function draftOf<Kind extends TimelineItem['kind']>(item: DraftItem<Kind>, orphan = false): Draft<Kind> {
  return { item, view: undefined, orphan, whole: false, hasStatus: false, isPrompt: false };
}

export function baseAt({ seq, at }: Stamp) {
  return { key: String(seq), firstSeq: seq, lastSeq: seq, ranges: [[seq, seq] as SeqRange], at, lastAt: at };
}

/** An event more that made the item. */
export function touch(draft: Draft, { seq, at }: Stamp): void {
  const { item } = draft;
  draft.view = undefined;
  if (seq <= item.lastSeq) return;
  addRange(item.ranges, [seq, seq]);
  item.lastSeq = seq;
  item.lastAt = at;
}

/** Lengthens the last run or begins one; `range` lies after all of them. */
export function addRange(ranges: SeqRange[], range: SeqRange): void {
  const last = ranges.at(-1);
  if (last && last[1] + 1 === range[0]) ranges[ranges.length - 1] = [last[0], range[1]];
  else ranges.push(range);
}

/** The item as it is now; the same object until it changes. */
export function viewOf(draft: Draft): TimelineItem {
  draft.view ??= Object.freeze(copyOf(draft.item)) as TimelineItem;
  return draft.view;
}

function copyOf(item: DraftItem): object {
  return Object.fromEntries(
    Object.entries(item).map(([member, value]) => [member, Array.isArray(value) ? [...(value as unknown[])] : value]),
  );
}
