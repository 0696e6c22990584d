import type { DatabaseSync } from 'node:sqlite';
import type { Handlers, Reads, Writes } from './operation.ts';

export function grantWrites(
  db: DatabaseSync,
): Handlers<Pick<Writes, 'putDecisions' | 'removeDecisions' | 'removeDecisionsOf'>> {
  const put = db.prepare(
    `INSERT INTO decision (id, about, fingerprint, scope, session, record) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET
       about = excluded.about, fingerprint = excluded.fingerprint, scope = excluded.scope, session = excluded.session,
       record = excluded.record`,
  );
  const remove = db.prepare('DELETE FROM decision WHERE id = ? AND about = ?');
  const removeOfSession = db.prepare('DELETE FROM decision WHERE session = ?');
  return {
    putDecisions({ about, decisions }) {
      for (const { id, fingerprint, scope, session, record } of decisions) {
        put.run(id, about, fingerprint, scope, session, record);
      }
    },
    removeDecisions({ about, ids }) {
      return ids.filter((id) => remove.run(id, about).changes === 1).length;
    },
    removeDecisionsOf({ session }) {
      removeOfSession.run(session);
    },
  };
}

export function grantReads(db: DatabaseSync): Handlers<Pick<Reads, 'listDecisions'>> {
  const list = db.prepare(
    `SELECT record FROM decision WHERE about = ?1 AND (?2 IS NULL OR fingerprint = ?2) AND (?3 IS NULL OR session = ?3)
     AND (?4 IS NULL OR scope = ?4) ORDER BY number`,
  );
  const ofServer = db.prepare(
    `SELECT record FROM decision WHERE about = ?1 AND fingerprint = ?2 AND (?3 IS NULL OR session = ?3)
     AND (?4 IS NULL OR scope = ?4) ORDER BY number`,
  );
  return {
    listDecisions({ about, fingerprint, session, scope }) {
      const statement = fingerprint === null ? list : ofServer;
      return statement.all(about, fingerprint, session, scope).map(({ record }) => String(record));
    },
  };
}
