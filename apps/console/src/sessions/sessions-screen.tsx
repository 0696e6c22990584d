import { useSessions } from '@reeve/client/react';
import { Plus, Search } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useSettled } from '../data/use-settled.ts';
import { later } from '../later-files.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';
import { Screen } from '../ui/screen.tsx';
import { SessionRow } from './session-row.tsx';

const NewSessionDialog = lazy(later('sessions/new-session-dialog.tsx', () => import('./new-session-dialog.tsx')));

/** How long nobody types before it is searched. */
const SEARCH_MS = 200;

/** All sessions, newest first, with a search over titles and messages. */
export function SessionsScreen() {
  const [search, setSearch] = useState('');
  const [creating, setCreating] = useState(false);
  const words = useSettled(search.trim(), SEARCH_MS);
  const { state, sessions, hasMore, loadMore } = useSessions(words === '' ? {} : { q: words });
  const isEmpty = state.kind !== 'loading' && state.kind !== 'failed' && sessions.length === 0;
  return (
    <Screen
      title="Sessions"
      actions={
        <Button kind="primary" onClick={() => setCreating(true)}>
          <Plus aria-hidden className="size-4" /> New session
        </Button>
      }
    >
      <label className="relative mb-3 block">
        <span className="sr-only">Search titles and messages</span>
        <Search aria-hidden className="pointer-events-none absolute top-2.5 left-2.5 size-4 text-muted" />
        <input
          type="search"
          className="input w-full pl-8!"
          placeholder="Search titles and messages"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </label>
      {state.kind === 'failed' && <ErrorNotice what="The sessions could not be listed" error={state.error} />}
      {state.kind === 'loading' && <Loading what="the sessions" />}
      {isEmpty && words !== '' && <EmptyState title="No session matches">Try fewer or other words.</EmptyState>}
      {isEmpty && words === '' && (
        <EmptyState title="No sessions yet">
          Start one here, from your editor, or with <code>reeve run</code>.
        </EmptyState>
      )}
      {sessions.length > 0 && (
        <ul className="divide-y overflow-hidden rounded-lg border bg-surface shadow-card" aria-label="Sessions">
          {sessions.map((session) => (
            <SessionRow key={session.sessionId} session={session} />
          ))}
        </ul>
      )}
      {hasMore && (
        <Button className="mt-3" onClick={() => void loadMore()}>
          Older sessions
        </Button>
      )}
      {creating && (
        <Suspense fallback={null}>
          <NewSessionDialog onClose={() => setCreating(false)} />
        </Suspense>
      )}
    </Screen>
  );
}
