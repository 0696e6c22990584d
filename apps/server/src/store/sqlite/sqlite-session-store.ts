import type { EventSeq } from '@reeve/protocol';
import type { SessionRecord, SessionStore } from '../../sessions/session-store.ts';
import { decodeListCursor, encodeListCursor } from '../list-cursor.ts';
import type { OperationQueue } from './operation-queue.ts';

export function createSqliteSessionStore(queue: OperationQueue): SessionStore {
  return {
    put(record) {
      const { sessionId: id, alias = null, cwd, updatedAt } = record;
      return queue.write({
        kind: 'putSession',
        id,
        alias,
        cwd,
        updatedAt,
        record: JSON.stringify(record),
      });
    },

    async find(idOrAlias) {
      const json = await queue.read({ kind: 'findSession', name: idOrAlias });
      return json === undefined ? undefined : (JSON.parse(json) as SessionRecord);
    },

    async findByAgentSession(agent, agentSessionId) {
      const json = await queue.read({ kind: 'findAgentSession', agent, agentSessionId });
      return json === undefined ? undefined : (JSON.parse(json) as SessionRecord);
    },

    async list({ cwd = null, cursor, limit, words = [] }) {
      const place = cursor === undefined ? { updatedAt: Number.POSITIVE_INFINITY, id: '' } : decodeListCursor(cursor);
      if (!place) return undefined;
      // One more than asked tells whether there is a next page.
      const asked = { cwd, ...place, limit: limit + 1 };
      const rows = await (words.length > 0
        ? queue.read({ kind: 'searchSessions', words, ...asked })
        : queue.read({ kind: 'listSessions', ...asked }));
      const sessions = rows.slice(0, limit).map((json) => JSON.parse(json) as SessionRecord);
      const last = sessions.at(-1);
      if (!last || rows.length <= limit) return { sessions };
      return { sessions, nextCursor: encodeListCursor({ updatedAt: last.updatedAt, id: last.sessionId }) };
    },

    remove: (sessionId) => queue.write({ kind: 'removeSession', id: sessionId }),

    putTurn: ({ sessionId, idempotencyKey, promptSeq }) =>
      queue.write({ kind: 'putTurn', session: sessionId, key: idempotencyKey, promptSeq }),

    async findTurn(sessionId, idempotencyKey) {
      const promptSeq = await queue.read({ kind: 'findTurn', session: sessionId, key: idempotencyKey });
      return promptSeq === undefined ? undefined : { sessionId, idempotencyKey, promptSeq: promptSeq as EventSeq };
    },
  };
}
