import type { SessionView, TimelineItem } from '@reeve/client';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { type Ref, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { useNotices } from '../ui/notice-board.tsx';
import { RawDialog } from './raw-dialog.tsx';
import { TimelineRowView } from './timeline-row-view.tsx';
import { type TimelineRow, timelineRows } from './timeline-rows.ts';
import { useStickToEnd } from './use-stick-to-end.ts';

export interface TimelineHandle {
  /** Loads what is missing and shows the item with the event. */
  jump(seq: number): void;
}

interface TimelineProps {
  readonly session: SessionView;
  readonly ref: Ref<TimelineHandle>;
}

const NEAR_TOP_PX = 600;
const ESTIMATED_ROW_PX = 64;

/** What happened, newest last: only what is in sight is drawn, older pages come as somebody scrolls up. */
export function Timeline({ session, ref }: TimelineProps) {
  const notices = useNotices();
  const scroller = useRef<HTMLElement>(null);
  const [raw, setRaw] = useState<TimelineItem>();
  /** The event that was last gone to; each time another object, so that whoever goes there again is shown it again. */
  const [marked, setMarked] = useState<{ readonly seq: number }>();
  /** The event to go to as soon as it has a row. */
  const wanted = useRef<number>(undefined);
  const rows = useMemo(() => timelineRows(session.timeline.items), [session.timeline.items]);
  const isSilent = !session.hasOlder && rows.every(({ item }) => item.kind === 'note' || item.kind === 'mode');
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ESTIMATED_ROW_PX,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 6,
    useFlushSync: false,
  });
  const end = useStickToEnd({ scroller, virtualizer, rows, lastSeq: session.timeline.lastSeq });

  // Older events push what is in sight down, also where they are the beginning of the first row's message: the view goes with it.
  const { firstSeq } = session.timeline;
  const total = virtualizer.getTotalSize();
  const former = useRef({ firstSeq, total });
  useLayoutEffect(() => {
    const before = former.current;
    former.current = { firstSeq, total };
    if (scroller.current && firstSeq > 0 && firstSeq < before.firstSeq)
      scroller.current.scrollTop += total - before.total;
  }, [firstSeq, total]);

  useImperativeHandle(ref, () => ({
    jump: (seq) => {
      end.leave();
      session.jumpTo(seq).then(
        (index) => {
          if (index === undefined) return notices.say(`Event ${seq} is not in the log any more.`);
          wanted.current = seq;
          setMarked({ seq });
        },
        (error: unknown) => notices.fail('The event could not be shown', error),
      );
    },
  }));
  // The rows of a page that was loaded for a jump come a moment after it.
  useLayoutEffect(() => {
    if (wanted.current === undefined || firstSeq > wanted.current) return;
    const index = rowWith(rows, wanted.current);
    if (index < 0) return;
    wanted.current = undefined;
    // What was loaded for it was above the end, where the view may have stayed so far.
    end.leave();
    virtualizer.scrollToIndex(index, { align: 'center' });
  });

  /** The first event when older ones could not be loaded: tried again as somebody scrolls, not by itself. */
  const failedAt = useRef<number>(undefined);
  const loadNearTop = (): void => {
    const element = scroller.current;
    if (!element || element.scrollTop >= NEAR_TOP_PX || !session.hasOlder || session.isLoadingOlder) return;
    session.loadOlder().catch((error: unknown) => {
      failedAt.current = firstSeq;
      notices.fail('Older events could not be loaded', error);
    });
  };
  // Whoever stands at the top makes no event by scrolling on.
  useLayoutEffect(() => {
    if (firstSeq > 0 && failedAt.current !== firstSeq) loadNearTop();
  });
  const onScroll = (): void => {
    end.onScroll();
    loadNearTop();
  };

  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={scroller}
        aria-label="Timeline"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard (WCAG 2.1.1)
        tabIndex={0}
        onScroll={onScroll}
        className="h-full overflow-y-auto [overflow-anchor:none]"
      >
        {session.hasOlder && (
          <p className="p-2 text-center text-sm text-muted">
            {session.isLoadingOlder ? 'Loading older events …' : ' '}
          </p>
        )}
        {isSilent && <EmptyState title="Nothing was said yet">Say what is to be done, below.</EmptyState>}
        <div className="relative mx-auto w-full max-w-4xl" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, key, start }) => {
            const row = rows[index];
            if (!row) return null;
            const isMarked = marked !== undefined && holds(row, marked.seq);
            return (
              <div
                key={key}
                data-index={index}
                ref={virtualizer.measureElement}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${start}px)` }}
              >
                <TimelineRowView row={row} marked={isMarked} onRaw={setRaw} sessionId={session.info?.sessionId ?? ''} />
              </div>
            );
          })}
        </div>
      </section>
      {!end.isAtEnd && (
        <Button small className="absolute right-4 bottom-3 shadow-pop" onClick={end.go}>
          <ArrowDown aria-hidden className="size-3.5" /> To the end
        </Button>
      )}
      {raw && <RawDialog item={raw} session={session} onClose={() => setRaw(undefined)} />}
    </div>
  );
}

function holds({ item }: TimelineRow, seq: number): boolean {
  return item.firstSeq <= seq && seq <= item.lastSeq;
}

/** The row of the event; where it has none of its own, the one before it, or the first. */
function rowWith(rows: readonly TimelineRow[], seq: number): number {
  const own = rows.findIndex((row) => holds(row, seq));
  return own < 0
    ? Math.max(
        rows.findLastIndex(({ item }) => item.firstSeq < seq),
        Math.min(0, rows.length - 1),
      )
    : own;
}
