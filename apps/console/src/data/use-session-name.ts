import { useSessions } from '@reeve/client/react';
import { visibleText } from '../hostile/visible-text.ts';

/** What a session is called: its title as far as it is listed, else the beginning of its id. */
export function useSessionName(id: string): string {
  const listed = useSessions().sessions.find(({ sessionId }) => sessionId === id);
  return visibleText(listed?.title ?? `Session ${id.slice(0, 8)}`);
}
