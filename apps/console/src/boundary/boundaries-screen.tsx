import { useReeve, useSessions } from '@reeve/client/react';
import { useCallback } from 'react';
import { useResource } from '../data/use-resource.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';
import { Screen } from '../ui/screen.tsx';
import { AlarmList } from './alarm-list.tsx';
import { RootList } from './root-list.tsx';
import { SandboxSummary } from './sandbox-summary.tsx';
import { SessionBoundary } from './session-boundary.tsx';

/** What every session and workspace may reach, what holds it, and what tried to reach further. */
export default function BoundariesScreen() {
  const reeve = useReeve();
  const { state, sessions } = useSessions();
  const { resource: workspaces } = useResource(useCallback(() => reeve.workspaces.list(), [reeve]));
  return (
    <Screen title="Boundaries" lead="What each session may reach, and what holds it there">
      <SandboxSummary />
      <AlarmList />
      <section aria-labelledby="of-sessions" className="mb-6">
        <h2 id="of-sessions" className="mb-2 text-base">
          Sessions
        </h2>
        {state.kind === 'loading' && <Loading what="the sessions" />}
        {state.kind === 'failed' && <ErrorNotice what="The sessions could not be listed" error={state.error} />}
        {state.kind === 'live' && sessions.length === 0 && (
          <EmptyState title="No session has a boundary yet">It appears here with the first session.</EmptyState>
        )}
        <ul className="grid grid-cols-1 gap-2">
          {sessions.map((session) => (
            <SessionBoundary key={session.sessionId} session={session} />
          ))}
        </ul>
      </section>
      {workspaces.kind === 'ready' && workspaces.value.length > 0 && (
        <section aria-labelledby="of-workspaces">
          <h2 id="of-workspaces" className="mb-2 text-base">
            Workspaces of the configuration
          </h2>
          <ul className="grid grid-cols-1 gap-2">
            {workspaces.value.map(({ name, roots, mcpServers }) => (
              <li key={name} className="rounded-lg border bg-surface p-3 shadow-card">
                <p className="mb-1 font-medium">{name}</p>
                <RootList roots={roots} />
                {mcpServers.length > 0 && <p className="mt-1 text-sm text-muted">Servers: {mcpServers.join(', ')}</p>}
              </li>
            ))}
          </ul>
        </section>
      )}
    </Screen>
  );
}
