import { objectMember, objectsIn, readableJson, textMember } from '../data/json-members.ts';
import { visibleText } from '../hostile/visible-text.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { CodeBlock } from '../ui/code-block.tsx';

const OUTCOMES: ReadonlyMap<string | undefined, readonly [tone: Tone, words: string]> = new Map([
  ['allow', ['ok', 'allowed']],
  ['ask_user', ['warn', 'a person is asked']],
  ['ask_admin', ['warn', 'an administrator is asked']],
  ['deny', ['danger', 'refused']],
]);

/** An explained decision (`POST /v1/policies/explain`): what comes of the case, by which policies, and what would change that. */
export function DecisionTold({ explanation }: { readonly explanation: unknown }) {
  const outcome = textMember(objectMember(explanation, 'decision'), 'outcome');
  const deciding = objectsIn(explanation, 'steps').flatMap((step) => objectsIn(step, 'policies'));
  const differences = objectsIn(explanation, 'differences');
  return (
    <div role="status" className="mt-2 grid grid-cols-1 gap-2 rounded-md border bg-surface p-3 text-sm">
      <p className="flex flex-wrap items-center gap-2">
        <Outcome outcome={outcome} />
        {visibleText(textMember(explanation, 'words') ?? '')}
      </p>
      <ul aria-label="Policies that decided" className="grid grid-cols-1 gap-1">
        {deciding.map((policy, index) => (
          <li key={index} className="wrap-anywhere">
            <span className="font-medium">{visibleText(textMember(policy, 'id') ?? '')}</span>
            {`: ${visibleText(textMember(policy, 'reason') ?? 'it gives no reason')} `}
            <span className="text-xs text-muted">
              {visibleText(textMember(policy, 'file') ?? '')}:{String(policy.line)}
            </span>
          </li>
        ))}
      </ul>
      {deciding.length === 0 && <p>No policy speaks for it.</p>}
      {differences.length > 0 && (
        <div>
          <p className="font-medium">It would be otherwise with one other fact:</p>
          <ul aria-label="What would change it" className="grid grid-cols-1 gap-1">
            {differences.map((difference, index) => (
              <li key={index} className="flex flex-wrap items-center gap-2">
                <code>{visibleText(`${textMember(difference, 'fact')}: ${String(difference.to)}`)}</code>
                <Outcome outcome={textMember(difference, 'outcome')} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <details>
        <summary>Step by step</summary>
        <CodeBlock label="Decision">{readableJson(explanation)}</CodeBlock>
      </details>
    </div>
  );
}

function Outcome({ outcome }: { readonly outcome: string | undefined }) {
  const [tone, words] = OUTCOMES.get(outcome) ?? ['neutral', outcome ?? 'unknown'];
  return <Badge tone={tone}>{visibleText(words)}</Badge>;
}
