import type { AuditEntry } from '@reeve/client';
import { useReeve } from '@reeve/client/react';
import { useCallback } from 'react';
import { objectMember, textMember } from '../data/json-members.ts';
import { useResource } from '../data/use-resource.ts';
import { exactText } from '../hostile/visible-text.ts';
import { RelativeTime } from '../ui/relative-time.tsx';

interface LastVerifiedProps {
  readonly sessionId: string;
  /** Another one is worth another look. */
  readonly revision: number;
  /** The agent has a process now. */
  readonly isRunning: boolean;
}

/** When it was last found out, by trying, that the boundary holds: from the audit log. */
export function LastVerified({ sessionId, revision, isRunning }: LastVerifiedProps) {
  const reeve = useReeve();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the boundary, and another process, bring new records
  const load = useCallback(async () => {
    const newest = async (kind: string): Promise<AuditEntry | undefined> =>
      (await reeve.audit.list({ session: sessionId, kind, limit: 1 })).records[0];
    return { started: await newest('agent.started'), taken: await newest('boundary.verified') };
  }, [reeve, sessionId, revision, isRunning]);
  const { resource } = useResource(load);
  if (resource.kind !== 'ready') return null;
  const { started, taken } = resource.value;
  const tried = isRunning && textMember(objectMember(started?.facts, 'enforcement'), 'verified') === 'machine';
  if (!tried && !taken) return null;
  return (
    <ul aria-label="Last verified" className="grid grid-cols-1 gap-1 text-sm">
      {started && tried && (
        <li>
          The sandbox of the agent was tried out on this machine, by a process that attempted to get out; the agent runs
          in it since <RelativeTime at={started.at} />.
        </li>
      )}
      {taken && (
        <li>
          <RelativeTime at={taken.at} /> it was looked from inside server “
          {exactText(textMember(objectMember(taken.facts, 'server'), 'name') ?? '')}” whether what was taken away is
          gone: {taken.facts.result === 'gone' ? 'it is.' : 'that could not be found out.'}
        </li>
      )}
    </ul>
  );
}
