import type { RequestItem } from '@reeve/client';
import { readableJson, textMember } from '../../data/json-members.ts';
import { exactText, visibleText } from '../../hostile/visible-text.ts';
import { PlaceLine } from '../../tools/place-line.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';

/** What agents have done for them (ACP, "File System"). */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['fs/read_text_file', 'Read a file'],
  ['fs/write_text_file', 'Wrote a file'],
]);

interface ServedCallProps {
  readonly item: RequestItem;
  readonly sessionId: string;
}

/** What was done for the agent without asking anybody; what went to and fro is folded. */
export function ServedCall({ item, sessionId }: ServedCallProps) {
  const { method, params, outcome } = item;
  const path = textMember(params, 'path');
  const { sessionId: _, path: __, ...input } = params;
  return (
    <details className="text-sm">
      <summary className="text-muted">
        <span className="inline-flex max-w-full flex-wrap items-center gap-2">
          {WORDS.get(method) ?? `The agent called ${exactText(method)}`}
          {path !== undefined && <PlaceLine path={path} sessionId={sessionId} />}
          {outcome.kind !== 'answered' && <span className="text-danger">{standing(outcome)}</span>}
        </span>
      </summary>
      <div className="mt-1 grid grid-cols-1 gap-2">
        {Object.keys(input).length > 0 && (
          <CodeBlock label="Input">{textMember(input, 'content') ?? readableJson(input)}</CodeBlock>
        )}
        {outcome.kind === 'answered' && Object.keys(outcome.result ?? {}).length > 0 && (
          <CodeBlock label="Output">{textMember(outcome.result, 'content') ?? readableJson(outcome.result)}</CodeBlock>
        )}
      </div>
    </details>
  );
}

function standing(outcome: Exclude<RequestItem['outcome'], { readonly kind: 'answered' }>): string {
  switch (outcome.kind) {
    case 'pending':
      return 'not done yet';
    case 'failed':
      return `refused: ${visibleText(outcome.message)}`;
    case 'void':
      return 'the agent process ended before it was done';
  }
}
