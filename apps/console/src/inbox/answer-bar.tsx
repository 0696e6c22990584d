import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { classNames } from '../ui/class-names.ts';

/** Of what scrolls around the card: a bar that takes more than this would leave no room to read what is decided. */
const MOST = 0.55;

/** The ways to answer at the foot of a card: in sight however long the card is, where they leave room for it. */
export function AnswerBar({ children }: { readonly children: ReactNode }) {
  const bar = useRef<HTMLDivElement>(null);
  const [fits, setFits] = useState(true);
  useLayoutEffect(() => {
    const element = bar.current;
    const around = element?.closest('[data-cards], main');
    if (!element || !around) return;
    const observer = new ResizeObserver(() => setFits(element.offsetHeight <= around.clientHeight * MOST));
    observer.observe(element);
    observer.observe(around);
    return () => observer.disconnect();
  }, []);
  return (
    <div
      ref={bar}
      className={classNames(
        fits && 'sticky bottom-0 z-10',
        '-mx-4 -mb-4 flex flex-wrap items-center gap-2 rounded-b-lg border-t bg-surface px-4 py-3',
      )}
    >
      {children}
    </div>
  );
}
