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
        record: textOf(record),
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

/** Of what changes seldom, and may name thousands of roots. */
const texts = new WeakMap<object, string>();

/** JSON of a record, whose place and metadata are the same objects as long as they are the same. */
function textOf({ place, metadata, ...rest }: SessionRecord): string {
  const members = Object.entries({ place, metadata }).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const text = texts.get(value) ?? JSON.stringify(value);
    texts.set(value, text);
    return [`${JSON.stringify(name)}:${text}`];
  });
  return `${[JSON.stringify(rest).slice(0, -1), ...members].join(',')}}`;
}
