import type { AuditEntry } from '@reeve/client';
import { visibleText } from '../hostile/visible-text.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';

const TONES: ReadonlyMap<string, Tone> = new Map([
  ['allow', 'ok'],
  ['deny', 'danger'],
]);

interface AuditRecordProps {
  readonly record: AuditEntry;
  /** Shows what else belongs to a trace. */
  readonly onTrace: (trace: string) => void;
}

/** One record: what, when, by whom; the rest of it folded. */
export function AuditRecord({ record, onTrace }: AuditRecordProps) {
  const { seq, at, kind, by, decision, trace } = record;
  return (
    <li>
      <details className="px-3 py-1.5 text-sm">
        <summary className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="w-12 text-right text-xs text-muted">{seq}</span>
          <time dateTime={new Date(at).toISOString()} className="text-muted">
            {new Date(at).toLocaleString()}
          </time>
          <span className="font-medium">{visibleText(kind)}</span>
          {decision && <Badge tone={TONES.get(decision) ?? 'neutral'}>{visibleText(decision)}</Badge>}
          {by && <span className="text-muted">by {visibleText(by)}</span>}
        </summary>
        <CodeBlock label={`Record ${seq}`} className="mt-1">
          {JSON.stringify(record, undefined, 2)}
        </CodeBlock>
        {trace && (
          <Button small className="mt-1" onClick={() => onTrace(trace)}>
            All of this trace
          </Button>
        )}
      </details>
    </li>
  );
}
