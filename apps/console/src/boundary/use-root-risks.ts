import { useReeve } from '@reeve/client/react';
import type { RootRisk } from '@reeve/protocol';
import { type RefObject, useCallback, useEffect, useState } from 'react';
import { useResource } from '../data/use-resource.ts';

/** What the roots of a session are, asked for once its place in the list comes into sight; again for another `revision`. */
export function useRootRisks(
  place: RefObject<HTMLElement | null>,
  sessionId: string,
  revision: number | undefined,
): readonly RootRisk[] {
  const reeve = useReeve();
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (!place.current) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [place]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another revision has other roots
  const load = useCallback(
    async () => (seen ? ((await reeve.boundaries.show(sessionId)).risks ?? []) : []),
    [reeve, sessionId, seen, revision],
  );
  const { resource } = useResource(load);
  return resource.kind === 'ready' ? resource.value : [];
}
