import { useReeve } from '@reeve/client/react';
import { useCallback } from 'react';
import { useResource } from '../data/use-resource.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';
import { Screen } from '../ui/screen.tsx';
import { AgentCard } from './agent-card.tsx';
import { InstallableAgentCard } from './installable-agent-card.tsx';

/** The agents that sessions can be started with. */
export default function AgentsScreen() {
  const reeve = useReeve();
  const { resource, reload } = useResource(
    useCallback(async () => {
      const [agents, installable] = await Promise.all([reeve.agents.list(), reeve.agents.installable()]);
      return { agents, installable };
    }, [reeve]),
  );
  return (
    <Screen title="Agents" lead="What sessions can be started with">
      {resource.kind === 'loading' && <Loading what="the agents" />}
      {resource.kind === 'failed' && (
        <ErrorNotice what="The agents could not be listed" error={resource.error} onRetry={reload} />
      )}
      {resource.kind === 'ready' && resource.value.agents.length === 0 && (
        <EmptyState title="No agent is configured">
          Install one of those below, or name one under <code>agents</code> in the configuration file.
        </EmptyState>
      )}
      {resource.kind === 'ready' && (
        <ul className="grid grid-cols-1 gap-2" aria-label="Agents">
          {resource.value.agents.map((agent) => (
            <li key={agent.name}>
              <AgentCard agent={agent} onInstalled={reload} />
            </li>
          ))}
        </ul>
      )}
      {resource.kind === 'ready' && resource.value.installable.length > 0 && (
        <section aria-labelledby="installable" className="mt-6">
          <h2 id="installable" className="mb-2 text-lg">
            Can be installed
          </h2>
          <ul className="grid grid-cols-1 gap-2">
            {resource.value.installable.map((agent) => (
              <li key={agent.name}>
                <InstallableAgentCard agent={agent} onInstalled={reload} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </Screen>
  );
}
