import type { WireEvent } from '@reeve/protocol';
import { type Draft, viewOf } from './draft.ts';
import { foldEvent } from './fold-event.ts';
import { type FoldState, newFold } from './fold-state.ts';
import { joinFolds } from './join-folds.ts';
import type { PlanItem, TerminalItem, TimelineItem, TimelineView, UsageItem } from './timeline-item.ts';

/**
 * The events of a session as the items that people look at. Grows at its end in constant time per event, and at its beginning by
 * pages: read from the tail backwards it comes to the same as read from the start.
 */
export class Timeline {
  #state: FoldState = newFold();
  #view: TimelineView | undefined;
  /** The items as they were shown last. */
  #items: TimelineItem[] = [];
  #terminals: ReadonlyMap<string, TerminalItem> = new Map();

  /** Events after those that it has, in order; the ones that it has already are passed over. */
  append(events: Iterable<WireEvent>): void {
    for (const event of events) {
      if (event.seq <= this.#state.lastSeq) continue;
      foldEvent(this.#state, event);
      this.#view = undefined;
    }
  }

  /** Events before those that it has, in order: a whole page that ends where it begins. */
  prepend(events: Iterable<WireEvent>): void {
    const older = newFold();
    const { firstSeq } = this.#state;
    for (const event of events) if (firstSeq === 0 || event.seq < firstSeq) foldEvent(older, event);
    if (older.firstSeq === 0) return;
    joinFolds(older, this.#state);
    this.#state = older;
    // All places are others now: the items are gathered anew.
    older.changed.length = 0;
    this.#items = [];
    this.#view = undefined;
  }

  /** The same object until something changes. */
  view(): TimelineView {
    this.#view ??= viewOfState(this.#state, this.#shown(), this.#shownTerminals());
    return this.#view;
  }

  /** Takes only what is new and what has changed, however long the timeline is. */
  #shown(): readonly TimelineItem[] {
    const { drafts, changed } = this.#state;
    for (const { index } of changed.splice(0)) this.#items[index] = viewOf(drafts[index] as Draft);
    for (let index = this.#items.length; index < drafts.length; index += 1)
      this.#items.push(viewOf(drafts[index] as Draft));
    return [...this.#items];
  }

  #shownTerminals(): ReadonlyMap<string, TerminalItem> {
    const { terminals, terminalsChanged } = this.#state;
    if (terminalsChanged) {
      this.#terminals = new Map(
        [...terminals].map(([id, draft]) => [id, viewOf(draft as unknown as Draft) as TerminalItem]),
      );
      this.#state.terminalsChanged = false;
    }
    return this.#terminals;
  }
}

export function timelineOf(events: Iterable<WireEvent>): TimelineView {
  const timeline = new Timeline();
  timeline.append(events);
  return timeline.view();
}

/** The index of the item that an event is part of, or that stands nearest before it; undefined before the first. */
export function indexOfSeq(items: readonly TimelineItem[], seq: number): number | undefined {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle] as TimelineItem).firstSeq <= seq) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return undefined;
  for (let index = low - 1; index >= 0; index -= 1) if (hasSeq(items[index] as TimelineItem, seq)) return index;
  return low - 1;
}

/** Whether the event is one of those that made the item. */
export function hasSeq({ ranges, lastSeq }: TimelineItem, seq: number): boolean {
  return seq <= lastSeq && ranges.some(([first, last]) => first <= seq && seq <= last);
}

function viewOfState(
  state: FoldState,
  items: readonly TimelineItem[],
  terminals: ReadonlyMap<string, TerminalItem>,
): TimelineView {
  const { firstSeq, lastSeq, running, modeId, configOptions, commands, title } = state;
  const usage = state.newestUsage && (viewOf(state.newestUsage as unknown as Draft) as UsageItem);
  const plan = state.newestPlan && (viewOf(state.newestPlan as unknown as Draft) as PlanItem);
  return {
    items,
    terminals,
    firstSeq,
    lastSeq,
    running: running ?? false,
    ...(usage ? { usage } : {}),
    ...(plan ? { plan } : {}),
    ...(modeId === undefined ? {} : { modeId }),
    ...(configOptions === undefined ? {} : { configOptions }),
    ...(commands === undefined ? {} : { commands }),
    ...(title === undefined ? {} : { title }),
  };
}
