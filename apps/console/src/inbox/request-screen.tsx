import { useInbox, useReeve } from '@reeve/client/react';
import { useCallback, useEffect } from 'react';
import { Link } from 'wouter';
import { useResource } from '../data/use-resource.ts';
import { visibleText } from '../hostile/visible-text.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';
import { Screen } from '../ui/screen.tsx';
import { outcomeText } from './outcome-text.ts';
import { RequestCard } from './request-card.tsx';
import { requestTitle } from './request-title.ts';
import { SessionFacts } from './session-facts.tsx';

/** One request by its address: to decide it, or to see how it was decided and by whom. */
export function RequestScreen({ id }: { readonly id: string }) {
  const reeve = useReeve();
  const { requests, resolved, state } = useInbox();
  const load = useCallback(() => reeve.requests.show(id), [reeve, id]);
  const { resource, reload } = useResource(load);
  const waiting = requests.find((request) => request.id === id);
  const settled = resolved.find((request) => request.id === id);
  const wasPending = resource.kind === 'ready' && resource.value.state.kind === 'pending';
  // Settled while nobody followed: ask again what became of it. As long as the inbox is not read nobody knows that, and what is there stays.
  const isGone = state.kind === 'live' && wasPending && !waiting && !settled;
  useEffect(() => {
    if (isGone) reload();
  }, [isGone, reload]);
  const request = waiting ?? settled ?? (resource.kind === 'ready' ? resource.value : undefined);
  return (
    <Screen
      title="Request"
      actions={
        <Link href="/" className="underline underline-offset-2">
          To the inbox
        </Link>
      }
    >
      {!request && resource.kind === 'loading' && <Loading what="the request" />}
      {!request && resource.kind === 'failed' && (
        <ErrorNotice what="The request could not be shown" error={resource.error} onRetry={reload} />
      )}
      {request?.state.kind === 'pending' && <RequestCard request={request} withSession />}
      {request && request.state.kind !== 'pending' && (
        <div className="grid grid-cols-1 gap-2 rounded-lg border bg-surface p-4 shadow-card">
          <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
            <SessionFacts sessionId={request.sessionId} />
          </p>
          <h2 className="text-base font-medium wrap-anywhere">{visibleText(requestTitle(request))}</h2>
          <p role="status">{visibleText(outcomeText(request))}</p>
        </div>
      )}
    </Screen>
  );
}
