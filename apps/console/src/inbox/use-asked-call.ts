import type { RequestInfo } from '@reeve/client';
import { useReeve } from '@reeve/client/react';
import type { JsonObject } from '@reeve/protocol';
import { useCallback, useMemo } from 'react';
import { objectMember } from '../data/json-members.ts';
import { useResource } from '../data/use-resource.ts';
import { tellsWhatItDoes, withEarlierFacts } from './asked-call.ts';

/** How far back the log is searched for what the agent told of a call before it asked. */
const EVENTS = 500;

/** The tool call that a permission is asked for. Agents that tell its input beforehand leave it out of the request. */
export function useAskedCall({ sessionId, params }: RequestInfo): JsonObject {
  const reeve = useReeve();
  const asked = useMemo(() => objectMember(params, 'toolCall'), [params]);
  const isWhole = tellsWhatItDoes(asked);
  const load = useCallback(async () => {
    if (isWhole) return undefined;
    return (await reeve.sessions.events(sessionId, { before: Number.MAX_SAFE_INTEGER, limit: EVENTS })).events;
  }, [reeve, sessionId, isWhole]);
  const { resource } = useResource(load);
  const events = resource.kind === 'ready' ? resource.value : undefined;
  return useMemo(() => (events ? withEarlierFacts(asked, events) : asked), [asked, events]);
}
