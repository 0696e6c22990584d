import {
  type NewRecord,
  type PackedRecord,
  packRecord,
  type StoredRecord,
  traceLabel,
} from '../../audit/audit-record.ts';
import type { AuditStore } from '../../audit/audit-store.ts';
import { unpackRoots } from '../../audit/merkle-tree.ts';
import { afterLook, nextLook } from '../audit-page.ts';
import { StoreError } from '../store-error.ts';
import type { OperationQueue } from './operation-queue.ts';

/** How many leaf hashes one read hands out: 1 MiB. */
const LEAVES_PER_READ = 32 * 1024;

export function createSqliteAuditStore(queue: OperationQueue): AuditStore {
  return {
    async append(record, pace) {
      return queue.write({ kind: 'appendAudit', record: sendable(record) }, pace);
    },

    async tree() {
      const { size, roots } = await queue.read({ kind: 'auditTree' });
      return unpackRoots(size, roots);
    },

    async read({ order, from, limit, ...filter }) {
      const { size } = await queue.read({ kind: 'auditTree' });
      const { session = null, kind: ofKind = null, decision = null, server = null } = filter;
      const { label = null, since = null, until = null } = filter;
      const trace = filter.trace === undefined ? null : traceLabel(filter.trace);
      const records: StoredRecord[] = [];
      let at = from;
      for (let look = nextLook(order, at, size); look; look = nextLook(order, at, size)) {
        const wanted = limit - records.length;
        const query = { session, ofKind, decision, server, label, trace, since, until, ...look, limit: wanted + 1 };
        // One more than asked tells whether there is a next page.
        const rows = await queue.read({ kind: 'readAudit', order, ...query });
        records.push(...rows.slice(0, wanted));
        const next = rows[wanted];
        if (next) return { records, next: next.seq };
        at = afterLook(order, look);
        if (at < 0) break;
      }
      return { records };
    },

    async leaves(size) {
      const parts: Uint8Array[] = [];
      for (let from = 0; from < size; from += LEAVES_PER_READ) {
        parts.push(await queue.read({ kind: 'auditLeaves', from, to: Math.min(from + LEAVES_PER_READ, size) }));
      }
      return Buffer.concat(parts);
    },

    addCheckpoint: (size, note) => queue.write({ kind: 'addCheckpoint', size, note }),
    checkpoints: () => queue.read({ kind: 'listCheckpoints' }),
    lastCheckpoint: () => queue.read({ kind: 'lastCheckpoint' }),
    keep: (name, value) => queue.write({ kind: 'keepAudit', name, value }),
    kept: (name) => queue.read({ kind: 'keptAudit', name }),
  };
}

function sendable(record: NewRecord): PackedRecord {
  try {
    return packRecord(record);
  } catch (error) {
    throw new StoreError('invalid', (error as Error).message);
  }
}
