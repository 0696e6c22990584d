import type { ChangedBoundary, ServerOutcomeInfo } from '@reeve/protocol';
import { exactText, visibleText } from '../hostile/visible-text.ts';

const WORDS: Readonly<Record<ServerOutcomeInfo['result'], string>> = {
  unaffected: 'is not affected',
  told: 'was told',
  gone: 'has lost it: checked from inside its sandbox',
  unverified: 'was restarted without it; whether it is gone could not be checked from inside',
  failed: 'could not be started again',
};

/** What became of a change, server by server. */
export function ChangeOutcome({ outcome }: { readonly outcome: ChangedBoundary }) {
  return (
    <div role="status" className="rounded-md border bg-ok-soft p-3 text-sm">
      <p className="font-medium">
        {outcome.kind === 'unchanged' ? 'Nothing had to be changed.' : `In force as revision ${outcome.revision}.`}
      </p>
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
