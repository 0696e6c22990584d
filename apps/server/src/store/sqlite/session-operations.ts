import type { DatabaseSync } from 'node:sqlite';
import type { Handlers, Reads, Writes } from './operation.ts';

export function sessionWrites(db: DatabaseSync): Handlers<Pick<Writes, 'putSession' | 'removeSession' | 'putTurn'>> {
  // Ids and aliases of different sessions are one space of names.
  const put = db.prepare(`
    INSERT INTO session (id, alias, cwd, updated_at, record) SELECT ?1, ?2, ?3, ?4, ?5
    WHERE NOT EXISTS (SELECT 1 FROM session WHERE id <> ?1 AND (id = ?2 OR alias = ?2 OR alias = ?1))
    ON CONFLICT (id) DO UPDATE
    SET alias = excluded.alias, cwd = excluded.cwd, updated_at = excluded.updated_at, record = excluded.record`);
  const remove = db.prepare('DELETE FROM session WHERE id = ?');
  const removeTurns = db.prepare('DELETE FROM turn WHERE session = ?');
  const removeSaid = db.prepare('DELETE FROM said WHERE rowid IN (SELECT said FROM said_in WHERE session = ?)');
  const removePlaces = db.prepare('DELETE FROM said_in WHERE session = ?');
  const removeSearched = db.prepare('DELETE FROM searched WHERE session = ?');
  const putTurn = db.prepare(
    'INSERT INTO turn (session, idempotency_key, prompt_seq) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  return {
    putSession({ id, alias, cwd, updatedAt, record }) {
      return put.run(id, alias, cwd, updatedAt, record).changes === 1 ? 'stored' : 'alias-taken';
    },
    removeSession({ id }) {
      remove.run(id);
      removeTurns.run(id);
      if (removeSearched.run(id).changes === 0) return;
      removeSaid.run(id);
      removePlaces.run(id);
    },
    putTurn({ session, key, promptSeq }) {
      return putTurn.run(session, key, promptSeq).changes === 1;
    },
  };
}

export function sessionReads(
  db: DatabaseSync,
): Handlers<Pick<Reads, 'findSession' | 'findAgentSession' | 'listSessions' | 'findTurn'>> {
  const byId = db.prepare('SELECT record FROM session WHERE id = ?');
  const byAlias = db.prepare('SELECT record FROM session WHERE alias = ?');
  const byAgentSession = db.prepare(`
    SELECT record FROM session WHERE json_extract(record, '$.agentSessionId') = ? AND json_extract(record, '$.agent') = ?`);
  const after = 'updated_at <= ?1 AND (updated_at < ?1 OR id > ?2) ORDER BY updated_at DESC, id LIMIT ?3';
  const list = db.prepare(`SELECT record FROM session WHERE ${after}`);
  const listOfCwd = db.prepare(`SELECT record FROM session WHERE cwd = ?4 AND ${after}`);
  const turn = db.prepare('SELECT prompt_seq FROM turn WHERE session = ? AND idempotency_key = ?');
  return {
    findSession({ name }) {
      const row = byId.get(name) ?? byAlias.get(name);
      return row && String(row.record);
    },
    findAgentSession({ agent, agentSessionId }) {
      const row = byAgentSession.get(agentSessionId, agent);
      return row && String(row.record);
    },
    listSessions({ cwd, updatedAt, id, limit }) {
      const rows = cwd === null ? list.all(updatedAt, id, limit) : listOfCwd.all(updatedAt, id, limit, cwd);
      return rows.map((row) => String(row.record));
    },
    findTurn({ session, key }) {
      const row = turn.get(session, key);
      return row && Number(row.prompt_seq);
    },
  };
}
