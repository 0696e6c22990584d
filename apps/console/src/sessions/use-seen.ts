import { useEffect, useSyncExternalStore } from 'react';
import { rememberSeen, seenSeq, watchSeen } from './seen-seqs.ts';

/** Whether a session has events that nobody has looked at in this browser. */
export function useUnread(sessionId: string, lastSeq: number): boolean {
  return useSyncExternalStore(watchSeen, () => lastSeq > seenSeq(sessionId));
}

/** Marks a session as looked at as far as it is shown: at once, or when the page is in sight again. */
export function useLookedAt(sessionId: string, lastSeq: number): void {
  useEffect(() => {
    if (lastSeq === 0) return;
    const look = (): void => {
      if (!document.hidden) rememberSeen(sessionId, lastSeq);
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [sessionId, lastSeq]);
}
