import type { AgentCheck } from '@reeve/client';
import { objectMember, readableJson, textMember } from '../data/json-members.ts';
import { visibleText } from '../hostile/visible-text.ts';
import { CodeBlock } from '../ui/code-block.tsx';
import { duration } from '../ui/duration.ts';
import { AnnouncedFacts } from './announced-facts.tsx';

interface AgentCheckResultProps {
  readonly check: AgentCheck;
  /** It refused its newest session until somebody logs in. */
  readonly loginNeeded: boolean;
}

/** What came of trying an agent: its version, what it can do, and whether it wants a login. */
export function AgentCheckResult({ check, loginNeeded }: AgentCheckResultProps) {
  if (!check.ok) {
    return (
      <div role="status" className="rounded-md bg-danger-soft p-2 text-sm">
        <p className="font-medium text-danger">It does not work</p>
        <p className="wrap-anywhere">{visibleText(textMember(check.error, 'message') ?? readableJson(check.error))}</p>
      </div>
    );
  }
  const version = textMember(objectMember(check.initialize, 'agentInfo'), 'version');
  return (
    <div
      role="status"
      className={`grid grid-cols-1 gap-1 rounded-md p-2 text-sm ${loginNeeded ? 'bg-warn-soft' : 'bg-ok-soft'}`}
    >
      <p>
        {loginNeeded ? 'It answers, and wants a login' : 'It works'}
        {version && `: version ${visibleText(version)}`}, in {duration(check.durationMs)}.
      </p>
      <AnnouncedFacts initialize={check.initialize} />
      <details>
        <summary>What it announces</summary>
        <CodeBlock label="What it announces">{readableJson(check.initialize)}</CodeBlock>
      </details>
    </div>
  );
}
