import type { AuditEntry } from '@reeve/client';
import { useReeve } from '@reeve/client/react';
import { useEffect, useRef, useState } from 'react';
import { useSettled } from '../data/use-settled.ts';
import { type AuditFilter, queryOf } from './audit-filter-form.tsx';

export interface AuditRecords {
  readonly state: { readonly kind: 'loading' | 'ready' } | { readonly kind: 'failed'; readonly error: unknown };
  /** Newest first. */
  readonly records: readonly AuditEntry[];
  readonly hasMore: boolean;
  loadMore(): void;
}

const PAGE = 50;
/** How long nobody types before the records are asked for. */
const FILTER_MS = 250;

/** The records that a filter leaves, page by page. */
export function useAuditRecords(filter: AuditFilter): AuditRecords {
  const reeve = useReeve();
  const wanted = useSettled(filter, FILTER_MS);
  const [state, setState] = useState<AuditRecords['state']>({ kind: 'loading' });
  const [records, setRecords] = useState<readonly AuditEntry[]>([]);
  const [cursor, setCursor] = useState<string>();
  const round = useRef(0);

  const load = async (after: string | undefined): Promise<void> => {
    const mine = ++round.current;
    setState({ kind: 'loading' });
    try {
      const page = await reeve.audit.list({ ...queryOf(wanted), cursor: after, limit: PAGE });
      if (mine !== round.current) return;
      setRecords((now) => (after === undefined ? page.records : [...now, ...page.records]));
      setCursor(page.nextCursor);
      setState({ kind: 'ready' });
    } catch (error) {
      if (mine === round.current) setState({ kind: 'failed', error });
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter is another first page
  useEffect(() => {
    void load(undefined);
  }, [reeve, wanted]);

  return { state, records, hasMore: cursor !== undefined, loadMore: () => void load(cursor) };
}
