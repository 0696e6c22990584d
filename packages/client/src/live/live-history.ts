import type { WireEvent } from '@reeve/protocol';
import { answeredInTime } from '../answered-in-time.ts';
import { CallError } from '../call-error.ts';
import type { Reeve } from '../connect-reeve.ts';
import { indexOfSeq, Timeline } from '../timeline/timeline.ts';
import type { TimelineItem, TimelineView } from '../timeline/timeline-item.ts';
import type { LiveState } from './live-value.ts';

/** Events that are read first, and with each older page. */
const PAGE = 500;
/** The most that the server gives at once. */
const MAX_PAGE = 1000;
const MAX_RAW = 1000;

export interface LiveHistory {
  state(): LiveState;
  timeline(): TimelineView;
  hasOlder(): boolean;
  isLoadingOlder(): boolean;
  loadOlder(): Promise<void>;
  jumpTo(seq: number): Promise<number | undefined>;
  rawOf(item: TimelineItem, signal?: AbortSignal): Promise<readonly WireEvent[]>;
  /** Reads the tail, then what comes, until `signal` aborts; goes on where it was when called again. Never rejects. */
  follow(signal: AbortSignal): Promise<void>;
  /** Drops all but the tail: who comes back begins with that. */
  forget(): void;
}

/** The events of one session as a timeline: the tail first, older ones by pages, each event once. */
export function liveHistory(
  reeve: Pick<Reeve, 'sessions' | 'followEvents'>,
  id: string,
  onChange: () => void,
): LiveHistory {
  let timeline = new Timeline();
  let state: LiveState = { kind: 'loading' };
  let hasOlder = false;
  let loading: Promise<void> | undefined;

  const become = (next: LiveState): void => {
    if (state.kind === next.kind && next.kind === 'live') return;
    state = next;
    onChange();
  };

  const loadPage = (limit: number): Promise<void> => {
    const { firstSeq } = timeline.view();
    if (!hasOlder || firstSeq <= 1) return Promise.resolve();
    const grown = timeline;
    loading ??= answeredInTime((signal) => reeve.sessions.events(id, { before: firstSeq, limit }, signal))
      .then(({ events, hasMore }) => {
        if (timeline !== grown) return;
        timeline.prepend(events);
        hasOlder = hasMore;
      })
      .finally(() => {
        loading = undefined;
        onChange();
      });
    onChange();
    return loading;
  };

  return {
    state: () => state,
    timeline: () => timeline.view(),
    hasOlder: () => hasOlder,
    isLoadingOlder: () => loading !== undefined,
    loadOlder: () => loadPage(PAGE),
    async jumpTo(seq) {
      while (hasOlder && timeline.view().firstSeq > seq) await loadPage(MAX_PAGE);
      const { items, firstSeq } = timeline.view();
      return indexOfSeq(items, seq) ?? (items.length > 0 && firstSeq <= seq ? 0 : undefined);
    },
    async rawOf({ ranges }, signal) {
      const events: WireEvent[] = [];
      for (const [first, last] of ranges) {
        const limit = Math.min(last - first + 1, MAX_RAW - events.length);
        if (limit <= 0) break;
        const page = await answeredInTime(
          (either) => reeve.sessions.events(id, { after: first - 1, limit }, either),
          signal,
        );
        events.push(...page.events);
      }
      return events;
    },
    async follow(signal) {
      state = { kind: 'loading' };
      try {
        const followed = reeve.followEvents(id, {
          tail: PAGE,
          ...(timeline.view().lastSeq > 0 ? { after: timeline.view().lastSeq } : {}),
          giveUpMs: Number.POSITIVE_INFINITY,
          signal,
          onTail(page) {
            timeline.append(page.events);
            hasOlder = page.hasMore;
            become({ kind: 'live' });
          },
          onConnected: () => become({ kind: 'live' }),
          onLost: (error, attempt) => become({ kind: 'reconnecting', attempt, error }),
        });
        for await (const event of followed) {
          timeline.append([event]);
          onChange();
        }
      } catch (error) {
        if (!signal.aborted) become({ kind: 'failed', error: CallError.of(error) });
      }
    },
    forget() {
      timeline = new Timeline();
      hasOlder = false;
      loading = undefined;
      state = { kind: 'loading' };
    },
  };
}
