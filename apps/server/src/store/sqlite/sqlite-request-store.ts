import type { RequestState } from '@reeve/protocol';
import type { RequestStore, StoredRequest } from '../../requests/request-store.ts';
import { StoreError } from '../store-error.ts';
import type { RequestRow } from './operation.ts';
import type { OperationQueue } from './operation-queue.ts';

export function createSqliteRequestStore(queue: OperationQueue): RequestStore {
  return {
    async add({ state, ...request }) {
      const answer = await queue.write({
        kind: 'addRequest',
        id: request.id,
        session: request.sessionId,
        createdAt: request.createdAt,
        record: JSON.stringify(request),
        state: state.kind === 'pending' ? null : JSON.stringify(state),
      });
      if (answer === 'duplicate') {
        throw new StoreError('invalid', `request ${request.id} is stored already: give each one its own id`);
      }
    },

    settle: (id, state) => queue.write({ kind: 'settleRequest', id, state: JSON.stringify(state) }),

    async find(id) {
      const row = await queue.read({ kind: 'findRequest', id });
      return row && requestOf(row);
    },

    async list({ sessionId = null, pendingOnly = false }) {
      const rows = await queue.read({ kind: 'listRequests', session: sessionId, pendingOnly });
      return rows.map(requestOf);
    },

    voidPending(reason, at, sessionId) {
      const state: RequestState = { kind: 'void', at, reason };
      return queue.write({
        kind: 'voidRequests',
        state: JSON.stringify(state),
        session: sessionId ?? null,
      });
    },

    removeSession: (sessionId) => queue.write({ kind: 'removeRequests', session: sessionId }),
  };
}

function requestOf(row: RequestRow): StoredRequest {
  const state: RequestState = row.state === null ? { kind: 'pending' } : (JSON.parse(row.state) as RequestState);
  return { ...(JSON.parse(row.record) as Omit<StoredRequest, 'state'>), state };
}
