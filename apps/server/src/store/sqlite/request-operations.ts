import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { Handlers, Reads, RequestRow, Writes } from './operation.ts';

type RequestWrites = Pick<Writes, 'addRequest' | 'settleRequest' | 'voidRequests' | 'removeRequests'>;

export function requestWrites(db: DatabaseSync): Handlers<RequestWrites> {
  const add = db.prepare(
    'INSERT INTO request (id, session, created_at, record, state) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
  );
  const settle = db.prepare('UPDATE request SET state = ?2 WHERE id = ?1 AND state IS NULL');
  const voidAll = db.prepare('UPDATE request SET state = ? WHERE state IS NULL');
  const voidOfSession = db.prepare('UPDATE request SET state = ? WHERE state IS NULL AND session = ?');
  const remove = db.prepare('DELETE FROM request WHERE session = ?');
  return {
    addRequest({ id, session, createdAt, record, state }) {
      return add.run(id, session, createdAt, record, state).changes === 1 ? 'stored' : 'duplicate';
    },
    settleRequest({ id, state }) {
      return settle.run(id, state).changes === 1;
    },
    voidRequests({ state, session }) {
      return Number((session === null ? voidAll.run(state) : voidOfSession.run(state, session)).changes);
    },
    removeRequests({ session }) {
      remove.run(session);
    },
  };
}

export function requestReads(db: DatabaseSync): Handlers<Pick<Reads, 'findRequest' | 'listRequests'>> {
  const find = db.prepare('SELECT record, state FROM request WHERE id = ?');
  const order = 'ORDER BY created_at, number';
  const all = db.prepare(`SELECT record, state FROM request ${order}`);
  const pending = db.prepare(`SELECT record, state FROM request WHERE state IS NULL ${order}`);
  const ofSession = db.prepare(`SELECT record, state FROM request WHERE session = ? ${order}`);
  const pendingOfSession = db.prepare(`SELECT record, state FROM request WHERE session = ? AND state IS NULL ${order}`);
  return {
    findRequest({ id }) {
      const row = find.get(id);
      return row && requestRow(row);
    },
    listRequests({ session, pendingOnly }) {
      if (session === null) return (pendingOnly ? pending : all).all().map(requestRow);
      return (pendingOnly ? pendingOfSession : ofSession).all(session).map(requestRow);
    },
  };
}

function requestRow(row: Record<string, SQLOutputValue>): RequestRow {
  return { record: String(row.record), state: typeof row.state === 'string' ? row.state : null };
}
