import type { AgentVersions, InstallableAgent } from '@reeve/client';
import { useState } from 'react';
import { visibleText } from '../hostile/visible-text.ts';
import { Badge } from '../ui/badge.tsx';
import { AgentVersionList } from './agent-version-list.tsx';
import { VersionsButton } from './versions-button.tsx';

interface InstallableAgentCardProps {
  readonly agent: InstallableAgent;
  readonly onInstalled: () => void;
}

/** An agent that the server knows and does not have: where it comes from, and a way to install it. */
export function InstallableAgentCard({ agent, onInstalled }: InstallableAgentCardProps) {
  const [versions, setVersions] = useState<AgentVersions>();
  const { name } = agent;
  return (
    <article className="grid grid-cols-1 gap-2 rounded-lg border border-dashed p-3">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="text-base">{name}</h3>
        <Badge>not installed</Badge>
        <span className="text-sm text-muted wrap-anywhere">npm package {visibleText(agent.package)}</span>
        {!versions && (
          <span className="ml-auto">
            <VersionsButton name={name} onListed={setVersions} />
          </span>
        )}
      </div>
      {versions && <AgentVersionList versions={versions} onInstalled={onInstalled} />}
    </article>
  );
}
