import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';

interface StickOptions {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly virtualizer: Virtualizer<HTMLElement, Element>;
  readonly rows: readonly unknown[];
  readonly lastSeq: number;
}

export interface StickToEnd {
  readonly isAtEnd: boolean;
  onScroll(): void;
  /** Goes to the end, and stays there. */
  go(): void;
  /** Lets what comes go on below. */
  leave(): void;
}

/** Nearer than this to the end counts as there. */
const SLACK_PX = 40;

/** Keeps a list at its end while it grows, for as long as whoever reads is there; never pulls somebody back who has scrolled up. */
export function useStickToEnd({ scroller, virtualizer, rows, lastSeq }: StickOptions): StickToEnd {
  const sticking = useRef(true);
  const formerTop = useRef(0);
  const [isAtEnd, setAtEnd] = useState(true);
  const total = virtualizer.getTotalSize();

  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, [scroller]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there is more, or rows turn out to be taller
  useLayoutEffect(() => {
    if (sticking.current) toEnd();
  }, [rows.length, lastSeq, total, toEnd]);

  // Cards that appear below take room from the list.
  useLayoutEffect(() => {
    if (!scroller.current) return;
    const observer = new ResizeObserver(() => {
      if (sticking.current) toEnd();
    });
    observer.observe(scroller.current);
    return () => observer.disconnect();
  }, [scroller, toEnd]);

  return {
    isAtEnd,
    onScroll: () => {
      const element = scroller.current;
      if (!element) return;
      const distance = element.scrollHeight - element.scrollTop - element.clientHeight;
      // Growth moves the end away too; only whoever scrolls up leaves it.
      if (distance <= SLACK_PX) sticking.current = true;
      else if (element.scrollTop < formerTop.current - 2) sticking.current = false;
      formerTop.current = element.scrollTop;
      setAtEnd(sticking.current);
    },
    go: () => {
      sticking.current = true;
      setAtEnd(true);
      toEnd();
    },
    leave: () => {
      sticking.current = false;
      setAtEnd(false);
    },
  };
}
