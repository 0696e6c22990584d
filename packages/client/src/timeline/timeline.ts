import type { WireEvent } from '@reeve/protocol';
import { viewOf } from './draft.ts';
import { foldEvent } from './fold-event.ts';
import { type FoldState, newFold } from './fold-state.ts';
import { joinFolds } from './join-folds.ts';
import type { PlanItem, TimelineItem, TimelineView, UsageItem } from './timeline-item.ts';

/**
 * The events of a session as the items that people look at. Grows at its end in constant time per event, and at its beginning by
 * pages: read from the tail backwards it comes to the same as read from the start.
 */
export class Timeline {
  #state: FoldState = newFold();
  #view: TimelineView | undefined;

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
    this.#view = undefined;
  }

  /** The same object until something changes. */
  view(): TimelineView {
    this.#view ??= viewOfState(this.#state);
    return this.#view;
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

function viewOfState(state: FoldState): TimelineView {
  const { firstSeq, lastSeq, running, modeId, configOptions, commands, title } = state;
  const items = state.drafts.map(viewOf);
  const usage = items.findLast((item): item is UsageItem => item.kind === 'usage');
  const plan = items.findLast((item): item is PlanItem => item.kind === 'plan');
  return {
    items,
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
