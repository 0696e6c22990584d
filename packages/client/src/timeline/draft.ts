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
  /** Of the item: to be looked at in thousands, items of many shapes are slow to ask. */
  readonly kind: Kind;
  readonly item: DraftItem<Kind>;
  /** Its place in the timeline. */
  index: number;
  /** Where it is put when it changes after it was shown. */
  changed: ChangedDraft[];
  /** What was shown last; undefined when the item has changed since. */
  view: TimelineItem | undefined;
  /** Its beginning was not read: it lies in an older page, or nowhere. */
  orphan: boolean;
  /** Its content was set whole by an event that was read: what older pages have of it is past. */
  whole: boolean;
  /** Its status was told, of a tool call. */
  hasStatus: boolean;
  /** Of a terminal: seq of the question that its output answers. */
  outputOf: number;
  /** A prompt, as a client gave it: nothing is added to what it says. */
  isPrompt: boolean;
}

/** As much of a draft as its kind does not matter to. */
export interface ChangedDraft {
  readonly index: number;
  view: TimelineItem | undefined;
  readonly changed: ChangedDraft[];
}

/** Where an event stands: for items it is all that counts beside the message. */
export interface Stamp {
  readonly seq: number;
  readonly at: number;
}

export function draftOf<Kind extends TimelineItem['kind']>(
  item: DraftItem<Kind>,
  index: number,
  changed: ChangedDraft[],
): Draft<Kind> {
  const untold = { orphan: false, whole: false, hasStatus: false, outputOf: 0, isPrompt: false };
  return { kind: item.kind as Kind, item, index, changed, view: undefined, ...untold };
}

/** It looks different now. */
export function markChanged(draft: ChangedDraft): void {
  if (draft.view === undefined) return;
  draft.view = undefined;
  draft.changed.push(draft);
}

export function baseAt({ seq, at }: Stamp) {
  return { key: String(seq), firstSeq: seq, lastSeq: seq, ranges: [[seq, seq] as SeqRange], at, lastAt: at };
}

/** An event more that made the item. */
export function touch(draft: Draft, { seq, at }: Stamp): void {
  const { item } = draft;
  markChanged(draft);
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
  draft.view ??= copyOf(draft.item);
  return draft.view;
}

/** What grows in place is copied. */
function copyOf(item: DraftItem): TimelineItem {
  const ranges = [...item.ranges];
  if ('blocks' in item) return { ...item, ranges, blocks: [...item.blocks] };
  if (item.kind === 'tool') return { ...item, ranges, content: [...item.content] };
  return { ...item, ranges };
}
