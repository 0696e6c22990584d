import type { RequestStore, StoredRequest } from './request-store.ts';

/** A store of requests that tells of each that was opened or resolved, once that is on disk. */
export function watchedRequests(
  store: RequestStore,
  onChange: (kind: 'opened' | 'resolved', request: StoredRequest) => void,
): RequestStore {
  return {
    async add(request) {
      await store.add(request);
      onChange('opened', request);
    },
    async settle(id, state) {
      const settled = await store.settle(id, state);
      const request = settled ? await store.find(id) : undefined;
      if (request) onChange('resolved', request);
      return settled;
    },
    find: (id) => store.find(id),
    list: (filter) => store.list(filter),
    voidPending: (reason, at, sessionId) => store.voidPending(reason, at, sessionId),
    removeSession: (sessionId) => store.removeSession(sessionId),
  };
}
