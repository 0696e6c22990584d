import { useReeve, useSessions } from '@reeve/client/react';
import type { GovernedServerInfo } from '@reeve/protocol';
import { useCallback, useEffect, useState } from 'react';
import { useResource } from '../data/use-resource.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';
import { Screen } from '../ui/screen.tsx';
import { ApprovalList } from './approval-list.tsx';
import { ServerCard } from './server-card.tsx';
import { ServerDialog } from './server-dialog.tsx';

/** The MCP servers of every live session, and what people decided about any. */
export default function ServersScreen() {
  const reeve = useReeve();
  const { sessions } = useSessions();
  const { resource, reload } = useResource(useCallback(() => reeve.servers.list(), [reeve]));
  const [shown, setShown] = useState<GovernedServerInfo>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: servers come and go with what sessions do
  useEffect(() => {
    reload();
  }, [sessions, reload]);
  return (
    <Screen title="Servers" lead="MCP servers that agents use, and what was decided about them">
      {resource.kind === 'loading' && <Loading what="the servers" />}
      {resource.kind === 'failed' && (
        <ErrorNotice what="The servers could not be listed" error={resource.error} onRetry={reload} />
      )}
      {resource.kind === 'ready' && resource.value.servers.length === 0 && (
        <EmptyState title="No MCP server runs">
          They come with sessions: from the configuration, a workspace, or the client that opens one.
        </EmptyState>
      )}
      {resource.kind === 'ready' && (
        <>
          <ul className="grid grid-cols-1 gap-2" aria-label="Servers">
            {resource.value.servers.map((server) => (
              <li key={`${server.sessionId}/${server.name}`}>
                <ServerCard server={server} onShow={() => setShown(server)} />
              </li>
            ))}
          </ul>
          <ApprovalList approvals={resource.value.approvals} onChange={reload} />
        </>
      )}
      {shown && <ServerDialog server={shown} onClose={() => setShown(undefined)} onChange={reload} />}
    </Screen>
  );
}
