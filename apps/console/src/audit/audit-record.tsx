import type { AuditEntry } from '@reeve/client';
import { objectMember, textMember } from '../data/json-members.ts';
import { useSessionName } from '../data/use-session-name.ts';
import { visibleText } from '../hostile/visible-text.ts';
import { SessionLink } from '../shell/session-link.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import type { AuditFilter } from './audit-filter-form.tsx';
import { recordWords } from './record-kinds.ts';

const TONES: ReadonlyMap<string, Tone> = new Map([
  ['allow', 'ok'],
  ['deny', 'danger'],
]);

interface AuditRecordProps {
  readonly record: AuditEntry;
  /** Shows what else belongs to its trace, its session, or its server. */
  readonly onFilter: (filter: Partial<AuditFilter>) => void;
}

/** One record: what, when, of which session and server, by whom; the rest of it folded. */
export function AuditRecord({ record, onFilter }: AuditRecordProps) {
  const { seq, at, kind, by, decision, trace, session, facts } = record;
  const name = useSessionName(session ?? '');
  const server = textMember(objectMember(facts, 'server'), 'name');
  return (
    <li>
      <details className="px-3 py-1.5 text-sm">
        <summary className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="w-12 text-right text-xs text-muted">{seq}</span>
          <time dateTime={new Date(at).toISOString()} className="text-muted">
            {new Date(at).toLocaleString()}
          </time>
          <span className={kind === 'boundary.alarm' ? 'font-medium text-danger' : 'font-medium'}>
            {visibleText(recordWords(kind))}
          </span>
          <span className="font-mono text-xs text-muted">{visibleText(kind)}</span>
          {decision && (
            <Badge tone={TONES.get(decision) ?? 'neutral'}>{visibleText(decision.replaceAll('_', ' '))}</Badge>
          )}
          {server !== undefined && <span className="wrap-anywhere">MCP server “{visibleText(server)}”</span>}
          {session !== undefined && <span className="wrap-anywhere">in {name}</span>}
          {by && <span className="text-muted">by {visibleText(by)}</span>}
        </summary>
        <CodeBlock label={`Record ${seq}`} className="mt-1">
          {JSON.stringify(record, undefined, 2)}
        </CodeBlock>
        <p className="mt-1 flex flex-wrap items-center gap-2">
          {session !== undefined && <SessionLink id={session} />}
          {session !== undefined && (
            <Button small onClick={() => onFilter({ session })}>
              All of this session
            </Button>
          )}
          {server !== undefined && (
            <Button small onClick={() => onFilter({ server })}>
              All of this server
            </Button>
          )}
          {trace && (
            <Button small onClick={() => onFilter({ trace })}>
              All of this trace
            </Button>
          )}
        </p>
      </details>
    </li>
  );
}
