import type { AgentCheck } from '@reeve/client';
import { objectMember, objectsIn, readableJson, textMember } from '../data/json-members.ts';
import { visibleText } from '../hostile/visible-text.ts';
import { CodeBlock } from '../ui/code-block.tsx';
import { duration } from '../ui/duration.ts';

/** What came of trying an agent: its version, what it can do, and whether it wants a login. */
export function AgentCheckResult({ check }: { readonly check: AgentCheck }) {
  if (!check.ok) {
    return (
      <div role="status" className="rounded-md bg-danger-soft p-2 text-sm">
        <p className="font-medium text-danger">It does not work</p>
        <p className="wrap-anywhere">{visibleText(textMember(check.error, 'message') ?? readableJson(check.error))}</p>
      </div>
    );
  }
  const info = objectMember(check.initialize, 'agentInfo');
  const logins = objectsIn(check.initialize, 'authMethods');
  return (
    <div role="status" className="grid grid-cols-1 gap-1 rounded-md bg-ok-soft p-2 text-sm">
      <p>
        It works{textMember(info, 'version') && `: version ${visibleText(textMember(info, 'version') ?? '')}`}, in{' '}
        {duration(check.durationMs)}.
      </p>
      {logins.length > 0 && (
        <p>It may want a login: {logins.map((login) => visibleText(textMember(login, 'name') ?? '')).join(', ')}.</p>
      )}
      <details>
        <summary>What it announces</summary>
        <CodeBlock label="What it announces">{readableJson(check.initialize)}</CodeBlock>
      </details>
    </div>
  );
}
