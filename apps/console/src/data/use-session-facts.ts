import type { SessionInfo } from '@reeve/client';
import { useReeve, useSessions } from '@reeve/client/react';
import { useCallback } from 'react';
import { useResource } from '../data/use-resource.ts';

/** What is known of a session: from the list that is followed, else asked for once. Undefined until then. */
export function useSessionFacts(id: string): SessionInfo | undefined {
  const listed = useSessions().sessions.find(({ sessionId }) => sessionId === id);
  const reeve = useReeve();
  const isListed = listed !== undefined;
  const load = useCallback(async () => (isListed ? undefined : reeve.sessions.show(id)), [reeve, id, isListed]);
  const { resource } = useResource(load);
  return listed ?? (resource.kind === 'ready' ? resource.value : undefined);
}
