import { useState } from 'react';
import { useNotices } from '../ui/notice-board.tsx';

/** Does one thing at a time and tells what went wrong with it; `busy` is the name of what is under way. */
export function useAttempt(): {
  readonly busy: string | undefined;
  attempt(name: string, failure: string, act: () => Promise<void>): Promise<void>;
} {
  const notices = useNotices();
  const [busy, setBusy] = useState<string>();
  return {
    busy,
    attempt: async (name, failure, act) => {
      if (busy !== undefined) return;
      setBusy(name);
      try {
        await act();
      } catch (error) {
        notices.fail(failure, error);
      } finally {
        setBusy(undefined);
      }
    },
  };
}
