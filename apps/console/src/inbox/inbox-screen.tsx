import { useInbox } from '@reeve/client/react';
import { useMemo, useRef } from 'react';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';
import { Screen } from '../ui/screen.tsx';
import { NotifyButton } from './notify-button.tsx';
import { RequestCard } from './request-card.tsx';
import { ResolvedList } from './resolved-list.tsx';
import { useInboxKeys } from './use-inbox-keys.ts';

/** What waits for a person, over all sessions, newest last. */
export function InboxScreen() {
  const { state, requests, resolved } = useInbox();
  const list = useRef<HTMLUListElement>(null);
  const shown = useMemo(() => requests.map(({ id }) => id), [requests]);
  useInboxKeys(list, shown);
  const lead =
    requests.length === 0 ? undefined : (
      <span className="hidden sm:inline">
        <kbd>j</kbd> <kbd>k</kbd> go through them, <kbd>a</kbd> allows the chosen one once, <kbd>d</kbd> denies it
      </span>
    );
  return (
    <Screen title="Inbox" lead={lead} actions={<NotifyButton />}>
      {state.kind === 'failed' && <ErrorNotice what="What waits could not be listed" error={state.error} />}
      {state.kind === 'loading' && <Loading what="what waits" />}
      {state.kind !== 'loading' && state.kind !== 'failed' && requests.length === 0 && (
        <EmptyState title="Nothing waits for you">
          Permissions, questions and reviews of every session appear here as soon as an agent asks.
        </EmptyState>
      )}
      <ul ref={list} tabIndex={-1} className="grid grid-cols-1 gap-3 outline-none" aria-label="Waiting">
        {requests.map((request) => (
          <li key={request.id}>
            <RequestCard request={request} withSession />
          </li>
        ))}
      </ul>
      <ResolvedList resolved={resolved} />
    </Screen>
  );
}
