import type { PolicyInfo } from '@reeve/protocol';
import { Badge } from '../ui/badge.tsx';
import { CodeBlock } from '../ui/code-block.tsx';

/** One policy: what it does and why, its text folded. */
export function PolicyCard({ policy }: { readonly policy: PolicyInfo }) {
  const { id, effect, reason, file, line, text } = policy;
  return (
    <details className="rounded-lg border bg-surface px-3 py-2 shadow-card">
      <summary className="flex flex-wrap items-center gap-2">
        <Badge tone={effect === 'permit' ? 'ok' : 'danger'}>{effect}</Badge>
        <span className="font-medium">{id}</span>
        {reason && <span className="text-sm text-muted">{reason}</span>}
        <span className="ml-auto text-xs text-muted">
          {file}:{line}
        </span>
      </summary>
      <CodeBlock label={`Text of ${id}`} className="mt-2">
        {text}
      </CodeBlock>
    </details>
  );
}
