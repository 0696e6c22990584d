import { useReeve } from '@reeve/client/react';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { useAttempt } from '../data/use-attempt.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';
import { Screen } from '../ui/screen.tsx';
import { type AuditFilter, AuditFilterForm, NO_FILTER, queryOf } from './audit-filter-form.tsx';
import { AuditRecord } from './audit-record.tsx';
import { saveLines } from './save-lines.ts';
import { useAuditRecords } from './use-audit-records.ts';
import { VerifyButton } from './verify-button.tsx';

/** What was decided, by whom, and what depended on it; to filter, to check, and to take away. */
export default function AuditScreen() {
  const reeve = useReeve();
  const [filter, setFilter] = useState<AuditFilter>(NO_FILTER);
  const { state, records, hasMore, loadMore } = useAuditRecords(filter);
  const { busy, attempt } = useAttempt();
  return (
    <Screen
      title="Audit"
      lead="What was decided, by whom, and what depended on it"
      actions={
        <>
          <VerifyButton />
          <Button
            busy={busy === 'export'}
            onClick={() =>
              void attempt('export', 'The log was not exported', () =>
                saveLines(reeve.audit.export(queryOf(filter)), 'reeve-audit.jsonl'),
              )
            }
          >
            <Download aria-hidden className="size-4" /> Export
          </Button>
        </>
      }
    >
      <AuditFilterForm filter={filter} onChange={setFilter} />
      {state.kind === 'failed' && <ErrorNotice what="The records could not be listed" error={state.error} />}
      {state.kind === 'loading' && records.length === 0 && <Loading what="the records" />}
      {state.kind === 'ready' && records.length === 0 && <EmptyState title="No record matches" />}
      {records.length > 0 && (
        <ol aria-label="Records" className="divide-y rounded-lg border bg-surface shadow-card">
          {records.map((record) => (
            <AuditRecord
              key={record.seq}
              record={record}
              onFilter={(wanted) => setFilter({ ...NO_FILTER, ...wanted })}
            />
          ))}
        </ol>
      )}
      {hasMore && (
        <Button className="mt-3" busy={state.kind === 'loading'} onClick={loadMore}>
          Older records
        </Button>
      )}
    </Screen>
  );
}
