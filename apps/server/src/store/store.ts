import type { AuditStore } from '../audit/audit-store.ts';
import type { GrantStore } from '../boundary/grant-store.ts';
import type { EventLog } from '../events/event-log.ts';
import type { RequestStore } from '../requests/request-store.ts';
import type { SearchIndex } from '../sessions/search-index.ts';
import type { SessionStore } from '../sessions/session-store.ts';

/**
 * Everything that outlives the process. Writes take effect in the order of their calls across all members: a
 * request row written before an append is durable when the append resolves, also if nobody waited for the row.
 *
 * Disposing finishes what was called before, and rejects what is called after with the code `closed`; it may be repeated.
 */
export type Store = AsyncDisposable & {
  readonly events: EventLog;
  readonly sessions: SessionStore;
  readonly search: SearchIndex;
  readonly requests: RequestStore;
  readonly audit: AuditStore;
  readonly grants: GrantStore;
};
