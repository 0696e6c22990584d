import type { SessionId } from '@reeve/protocol';
import type { SessionRecord, SessionStore, TurnRecord } from '../../sessions/session-store.ts';
import { decodeListCursor, encodeListCursor } from '../list-cursor.ts';
import type { MemorySearchIndex } from './memory-search-index.ts';

/** Records are kept as JSON text, so that what callers do to theirs changes nothing here. `assertOpen` throws when the store is closed. */
export function createMemorySessionStore(assertOpen: () => void, search: MemorySearchIndex): SessionStore {
  const rows = new Map<
    string,
    { readonly updatedAt: number; readonly cwd: string; readonly alias: string | undefined; readonly json: string }
  >();
  const idOfAlias = new Map<string, string>();
  const turns = new Map<string, Map<string, TurnRecord>>();

  const forget = (id: string): void => {
    const alias = rows.get(id)?.alias;
    if (alias !== undefined) idOfAlias.delete(alias);
    rows.delete(id);
  };
  const takenByOther = (name: string, id: string): boolean =>
    (name !== id && rows.has(name)) || (idOfAlias.get(name) ?? id) !== id;

  return {
    async put(record) {
      assertOpen();
      const { sessionId: id, alias, updatedAt, cwd } = record;
      if (takenByOther(id, id) || (alias !== undefined && takenByOther(alias, id))) return 'alias-taken';
      forget(id);
      rows.set(id, { updatedAt, cwd, alias, json: JSON.stringify(record) });
      if (alias !== undefined) idOfAlias.set(alias, id);
      return 'stored';
    },

    async find(idOrAlias) {
      assertOpen();
      const row = rows.get(idOrAlias) ?? rows.get(idOfAlias.get(idOrAlias) ?? '');
      return row && (JSON.parse(row.json) as SessionRecord);
    },

    async findByAgentSession(agent, agentSessionId) {
      assertOpen();
      for (const { json } of rows.values()) {
        const record = JSON.parse(json) as SessionRecord;
        if (record.agentSessionId === agentSessionId && record.agent === agent) return record;
      }
      return undefined;
    },

    async list({ cwd, cursor, limit, words = [] }) {
      assertOpen();
      const place = cursor === undefined ? { updatedAt: Number.POSITIVE_INFINITY, id: '' } : decodeListCursor(cursor);
      if (!place) return undefined;
      const after = [...rows]
        .map(([id, row]) => ({ id, ...row }))
        .filter((row) => cwd === undefined || row.cwd === cwd)
        .filter((row) => isAfter(row, place))
        .filter(({ id, json }) => words.every((word) => titleOf(json).includes(word) || search.has(id, word)))
        .sort((a, b) => (isAfter(a, b) ? 1 : -1));
      const page = after.slice(0, limit);
      const last = page.at(-1);
      return {
        sessions: page.map((row) => JSON.parse(row.json) as SessionRecord),
        ...(last && after.length > limit ? { nextCursor: encodeListCursor(last) } : {}),
      };
    },

    async remove(sessionId) {
      assertOpen();
      forget(sessionId);
      turns.delete(sessionId);
      search.remove(sessionId);
    },

    async putTurn(turn) {
      assertOpen();
      const ofSession = turns.get(turn.sessionId) ?? new Map<string, TurnRecord>();
      if (ofSession.has(turn.idempotencyKey)) return false;
      turns.set(turn.sessionId, ofSession.set(turn.idempotencyKey, { ...turn }));
      return true;
    },

    async findTurn(sessionId: SessionId, idempotencyKey) {
      assertOpen();
      return turns.get(sessionId)?.get(idempotencyKey);
    },
  };
}

function titleOf(json: string): string {
  return ((JSON.parse(json) as SessionRecord).title ?? '').toLowerCase();
}

interface Place {
  readonly updatedAt: number;
  readonly id: string;
}

function isAfter(row: Place, place: Place): boolean {
  return row.updatedAt < place.updatedAt || (row.updatedAt === place.updatedAt && row.id > place.id);
}
