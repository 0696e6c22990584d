import type { RequestId, RequestState } from '@reeve/protocol';
import type { RequestStore, StoredRequest } from '../../requests/request-store.ts';
import { StoreError } from '../store-error.ts';

/** Requests are kept as JSON text, so that what callers do to theirs changes nothing here. `assertOpen` throws when the store is closed. */
export function createMemoryRequestStore(assertOpen: () => void): RequestStore {
  const rows = new Map<RequestId, string>();
  const find = (id: RequestId): StoredRequest | undefined => {
    const json = rows.get(id);
    return json === undefined ? undefined : (JSON.parse(json) as StoredRequest);
  };
  const settle = (id: RequestId, state: RequestState): boolean => {
    const request = find(id);
    if (request?.state.kind !== 'pending') return false;
    rows.set(id, JSON.stringify({ ...request, state }));
    return true;
  };
  const all = (): StoredRequest[] => [...rows.values()].map((json) => JSON.parse(json) as StoredRequest);

  return {
    async add(request) {
      assertOpen();
      if (rows.has(request.id))
        throw new StoreError('invalid', `request ${request.id} is stored already: give each one its own id`);
      rows.set(request.id, JSON.stringify(request));
    },

    async settle(id, state) {
      assertOpen();
      return settle(id, state);
    },

    async find(id) {
      assertOpen();
      return find(id);
    },

    async list({ sessionId, pendingOnly }) {
      assertOpen();
      return all()
        .filter((request) => sessionId === undefined || request.sessionId === sessionId)
        .filter((request) => !pendingOnly || request.state.kind === 'pending')
        .sort((a, b) => a.createdAt - b.createdAt);
    },

    async voidPending(reason, at, sessionId) {
      assertOpen();
      return all()
        .filter((request) => sessionId === undefined || request.sessionId === sessionId)
        .filter((request) => settle(request.id, { kind: 'void', at, reason })).length;
    },

    async removeSession(sessionId) {
      assertOpen();
      for (const request of all()) if (request.sessionId === sessionId) rows.delete(request.id);
    },
  };
}
