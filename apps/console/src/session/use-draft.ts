import { type Dispatch, type SetStateAction, useEffect, useState } from 'react';

/** What somebody has written and not sent: it survives a reload of the page. */
export function useDraft(sessionId: string): [string, Dispatch<SetStateAction<string>>] {
  const key = `reeve.draft.${sessionId}`;
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '');
  useEffect(() => {
    if (text === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  }, [key, text]);
  return [text, setText];
}
