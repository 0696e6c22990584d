import type { EventSeq } from '@reeve/protocol';
import type { SessionRecord, SessionStore } from '../../sessions/session-store.ts';
import { decodeListCursor, encodeListCursor } from '../list-cursor.ts';
import { jsonOfRecord } from './json-of-record.ts';
import type { OperationQueue } from './operation-queue.ts';

export function createSqliteSessionStore(queue: OperationQueue): SessionStore {
  const records = new ReadRecords();
  return {
    put(record) {
      const { sessionId: id, alias = null, cwd, updatedAt } = record;
      return queue.write({
        kind: 'putSession',
        id,
        alias,
        cwd,
        updatedAt,
        record: jsonOfRecord(record),
      });
    },

    async find(idOrAlias) {
      const json = await queue.read({ kind: 'findSession', name: idOrAlias });
      return json === undefined ? undefined : records.of(json);
    },

    async findByAgentSession(agent, agentSessionId) {
      const json = await queue.read({ kind: 'findAgentSession', agent, agentSessionId });
      return json === undefined ? undefined : records.of(json);
    },

    async list({ cwd = null, cursor, limit, words = [] }) {
      const place = cursor === undefined ? { updatedAt: Number.POSITIVE_INFINITY, id: '' } : decodeListCursor(cursor);
      if (!place) return undefined;
      // One more than asked tells whether there is a next page.
      const asked = { cwd, ...place, limit: limit + 1 };
      const rows = await (words.length > 0
        ? queue.read({ kind: 'searchSessions', words, ...asked })
        : queue.read({ kind: 'listSessions', ...asked }));
      const sessions = rows.slice(0, limit).map((json) => records.of(json));
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

/** Records of this many characters and more are kept once they are read: they name thousands of roots. */
const LARGE = 64 * 1024;
const MAX_KEPT = 4;

/** Makes records of their JSON; a large one that is read again and again is made once for each change. */
class ReadRecords {
  /** Those that were wanted last come first. */
  readonly #kept: { readonly json: string; readonly record: SessionRecord }[] = [];

  of(json: string): SessionRecord {
    if (json.length < LARGE) return JSON.parse(json) as SessionRecord;
    const at = this.#kept.findIndex((one) => one.json === json);
    const [known = { json, record: JSON.parse(json) as SessionRecord }] = at === -1 ? [] : this.#kept.splice(at, 1);
    this.#kept.unshift(known);
    this.#kept.length = Math.min(this.#kept.length, MAX_KEPT);
    return known.record;
  }
}
