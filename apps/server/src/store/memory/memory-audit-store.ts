import {
  labelsOf,
  type NewRecord,
  numbered,
  packRecord,
  type StoredRecord,
  tellsOf,
  traceLabel,
} from '../../audit/audit-record.ts';
import type { AuditStore, RecordFilter } from '../../audit/audit-store.ts';
import { EMPTY, type Frontier, grown } from '../../audit/merkle-tree.ts';
import { StoreError } from '../store-error.ts';

interface Row {
  readonly record: NewRecord;
  readonly labels: ReadonlySet<string>;
  readonly stored: StoredRecord;
}

/** `assertOpen` throws when the store is closed. */
export function createMemoryAuditStore(assertOpen: () => void): AuditStore {
  const rows: Row[] = [];
  const checkpoints = new Map<number, string>();
  const kept = new Map<string, string>();
  let tree: Frontier = EMPTY;

  return {
    async append(record) {
      assertOpen();
      const stored = storable(record, rows.length);
      rows.push({ record: structuredClone(record), labels: labelsOf(packRecord(record)), stored });
      tree = grown(tree, stored.leaf);
      return stored.seq;
    },

    async tree() {
      assertOpen();
      return tree;
    },

    async read({ order, from, limit, ...filter }) {
      assertOpen();
      const step = order === 'oldest' ? 1 : -1;
      const found: StoredRecord[] = [];
      for (let seq = from ?? (step === 1 ? 0 : rows.length - 1); rows[seq]; seq += step) {
        const row = rows[seq] as Row;
        if (!matches(row, filter)) continue;
        if (found.length === limit) return { records: found, next: seq };
        found.push(row.stored);
      }
      return { records: found };
    },

    async leaves(size) {
      assertOpen();
      return Buffer.concat(rows.slice(0, size).map(({ stored }) => stored.leaf));
    },

    async addCheckpoint(size, note) {
      assertOpen();
      checkpoints.set(size, note);
    },

    async checkpoints() {
      assertOpen();
      return [...checkpoints].sort(([a], [b]) => a - b).map(([, note]) => note);
    },

    async lastCheckpoint() {
      assertOpen();
      return checkpoints.get(Math.max(...checkpoints.keys()));
    },

    async keep(name, value) {
      assertOpen();
      kept.set(name, value);
    },

    async kept(name) {
      assertOpen();
      return kept.get(name);
    },
  };
}

function storable(record: NewRecord, seq: number): StoredRecord {
  try {
    return numbered(packRecord(record), seq);
  } catch (error) {
    throw new StoreError('invalid', (error as Error).message);
  }
}

function matches({ record, labels }: Row, filter: RecordFilter): boolean {
  const { session, kind, decision, server, label, trace, since, until } = filter;
  return (
    (session === undefined || record.session === session) &&
    (kind === undefined || record.kind === kind) &&
    (decision === undefined || record.decision === decision) &&
    (server === undefined || tellsOf(server, record)) &&
    (label === undefined || labels.has(label)) &&
    (trace === undefined || labels.has(traceLabel(trace))) &&
    (since === undefined || record.at >= since) &&
    (until === undefined || record.at < until)
  );
}
