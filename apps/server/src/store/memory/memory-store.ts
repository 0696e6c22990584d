import type { Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { createMemoryAuditStore } from './memory-audit-store.ts';
import { createMemoryEventLog } from './memory-event-log.ts';
import { createMemoryGrantStore } from './memory-grant-store.ts';
import { createMemoryRequestStore } from './memory-request-store.ts';
import { createMemorySearchIndex } from './memory-search-index.ts';
import { createMemorySessionStore } from './memory-session-store.ts';

/** A store for tests and for servers that need not remember: everything is gone with it. */
export function openMemoryStore(): Store {
  let closed = false;
  const assertOpen = (): void => {
    if (closed) throw new StoreError('closed', 'the store is closed: open a new one');
  };
  const search = createMemorySearchIndex(assertOpen);
  return {
    events: createMemoryEventLog(assertOpen),
    sessions: createMemorySessionStore(assertOpen, search),
    search,
    requests: createMemoryRequestStore(assertOpen),
    audit: createMemoryAuditStore(assertOpen),
    grants: createMemoryGrantStore(assertOpen),
    async [Symbol.asyncDispose]() {
      closed = true;
    },
  };
}
