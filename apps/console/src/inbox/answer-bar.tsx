import type { ReactNode } from 'react';

/** The ways to answer at the foot of a card: in sight however long the card is. */
export function AnswerBar({ children }: { readonly children: ReactNode }) {
  return (
    <div className="sticky bottom-0 z-10 -mx-4 -mb-4 flex flex-wrap items-center gap-2 rounded-b-lg border-t bg-surface px-4 py-3">
      {children}
    </div>
  );
}
