import type { AgentCheck, AgentInfo, AgentVersions } from '@reeve/client';
import { useReeve } from '@reeve/client/react';
import { useCallback, useState } from 'react';
import { useAttempt } from '../data/use-attempt.ts';
import { useResource } from '../data/use-resource.ts';
import { exactText, visibleText } from '../hostile/visible-text.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { AgentCheckResult } from './agent-check-result.tsx';
import { AgentVersionList } from './agent-version-list.tsx';
import { AnnouncedFacts } from './announced-facts.tsx';
import { VersionsButton } from './versions-button.tsx';

interface AgentCardProps {
  readonly agent: AgentInfo;
  readonly onInstalled: () => void;
}

/** One agent: its command, what it announced of itself in earlier sessions, whether it works, and its versions. */
export function AgentCard({ agent, onInstalled }: AgentCardProps) {
  const reeve = useReeve();
  const { busy, attempt } = useAttempt();
  const [check, setCheck] = useState<AgentCheck>();
  const [versions, setVersions] = useState<AgentVersions>();
  const { resource } = useResource(useCallback(() => reeve.agents.show(agent.name), [reeve, agent.name]));
  const known = resource.kind === 'ready' ? resource.value.initialize : undefined;
  const { name, command, args, available, problem, loginNeeded } = agent;
  return (
    <article className="grid grid-cols-1 gap-2 rounded-lg border bg-surface p-3 shadow-card">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="text-base">{name}</h2>
        {agent.default && <Badge tone="accent">default</Badge>}
        {available ? <Badge tone="ok">there</Badge> : <Badge tone="warn">not installed</Badge>}
        {loginNeeded && <Badge tone="warn">login needed</Badge>}
        <span className="ml-auto flex gap-2">
          <Button
            small
            busy={busy === 'check'}
            aria-label={`Try it: ${name}`}
            onClick={() =>
              void attempt('check', 'The agent could not be tried', async () =>
                setCheck(await reeve.agents.check(name)),
              )
            }
          >
            Try it
          </Button>
          <VersionsButton name={name} onListed={setVersions} />
        </span>
      </div>
      <CodeBlock label={`Command of ${name}`}>{[command, ...args].map(exactText).join(' ')}</CodeBlock>
      {problem && <p className="text-sm text-warn wrap-anywhere">{visibleText(problem)}</p>}
      {loginNeeded && (
        <p className="text-sm text-warn">
          Its newest session was refused: log in with the agent’s own command where the server runs, or from an editor.
          “Try it” tells which ways it has.
        </p>
      )}
      {known !== undefined && !check && <AnnouncedFacts initialize={known} />}
      {check && <AgentCheckResult check={check} loginNeeded={loginNeeded === true} />}
      {versions && <AgentVersionList versions={versions} onInstalled={onInstalled} />}
    </article>
  );
}
