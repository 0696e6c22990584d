import type { AgentVersions, InstallableAgent } from '@reeve/client';
import { useReeve } from '@reeve/client/react';
import { useState } from 'react';
import { useAttempt } from '../data/use-attempt.ts';
import { visibleText } from '../hostile/visible-text.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { AgentVersionList } from './agent-version-list.tsx';

interface InstallableAgentCardProps {
  readonly agent: InstallableAgent;
  readonly onInstalled: () => void;
}

/** An agent that the server knows and does not have: where it comes from, and a way to install it. */
export function InstallableAgentCard({ agent, onInstalled }: InstallableAgentCardProps) {
  const reeve = useReeve();
  const { busy, attempt } = useAttempt();
  const [versions, setVersions] = useState<AgentVersions>();
  const { name } = agent;
  return (
    <article className="grid grid-cols-1 gap-2 rounded-lg border border-dashed p-3">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="text-base">{name}</h3>
        <Badge>not installed</Badge>
        <span className="text-sm text-muted wrap-anywhere">npm package {visibleText(agent.package)}</span>
        {!versions && (
          <Button
            small
            className="ml-auto"
            busy={busy !== undefined}
            aria-label={`Versions of ${name}`}
            onClick={() =>
              void attempt('versions', 'Its versions could not be listed', async () =>
                setVersions(await reeve.agents.versions(name)),
              )
            }
          >
            Versions
          </Button>
        )}
      </div>
      {versions && <AgentVersionList versions={versions} onInstalled={onInstalled} />}
    </article>
  );
}
