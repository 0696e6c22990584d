import type { ChangedBoundary, ServerOutcomeInfo } from '@reeve/protocol';
import { exactText, visibleText } from '../hostile/visible-text.ts';

const WORDS: Readonly<Record<ServerOutcomeInfo['result'], string>> = {
  unaffected: 'is not affected',
  told: 'was told',
  gone: 'has lost it: checked from inside its sandbox',
  unverified: 'was restarted without it; whether it is gone could not be checked from inside',
  failed: 'could not be started again',
};

/** What was under way at the agent when something was taken from it. */
export interface EndedWork {
  readonly hadTurn: boolean;
  /** Permissions and questions that waited for an answer. */
  readonly asked: number;
}

interface ChangeOutcomeProps {
  readonly outcome: ChangedBoundary;
  /** Undefined where the agent goes on. */
  readonly ended: EndedWork | undefined;
}

/** What became of a change, for the agent and server by server. */
export function ChangeOutcome({ outcome, ended }: ChangeOutcomeProps) {
  return (
    <div role="status" className="rounded-md border bg-ok-soft p-3 text-sm">
      <p className="font-medium">
        {outcome.kind === 'unchanged' ? 'Nothing had to be changed.' : `In force as revision ${outcome.revision}.`}
      </p>
      {ended && outcome.kind === 'changed' && <p>{endedText(ended)}</p>}
      <ul>
        {outcome.servers.map(({ server, result, detail }) => (
          <li key={server}>
            {exactText(server)} {WORDS[result] ?? result}
            {detail && `: ${visibleText(detail)}`}
          </li>
        ))}
      </ul>
    </div>
  );
}

function endedText({ hadTurn, asked }: EndedWork): string {
  const again = 'The next prompt starts the agent in the new boundary.';
  if (!hadTurn) return `The agent process was ended. ${again}`;
  const voided =
    asked === 0
      ? ''
      : asked === 1
        ? ', and what it asked of you is void'
        : `, and the ${asked} things that it asked of you are void`;
  return `The agent process was ended with the turn that ran${voided}. ${again}`;
}
