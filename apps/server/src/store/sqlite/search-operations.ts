import type { DatabaseSync } from 'node:sqlite';
import type { Handlers, Reads, Writes } from './operation.ts';

export function searchWrites(db: DatabaseSync): Handlers<Pick<Writes, 'indexText'>> {
  const advance = db.prepare(`
    INSERT INTO searched (session, seq) SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM session WHERE id = ?1)
    ON CONFLICT (session) DO UPDATE SET seq = excluded.seq WHERE excluded.seq > seq`);
  const place = db.prepare('INSERT INTO said_in (session) VALUES (?)');
  const add = db.prepare('INSERT INTO said (rowid, text) VALUES (?, ?)');
  return {
    indexText({ session, seq, text }) {
      if (advance.run(session, seq).changes === 1 && text.trim() !== '')
        add.run(place.run(session).lastInsertRowid, text);
    },
  };
}

export function searchReads(db: DatabaseSync): Handlers<Pick<Reads, 'indexedSeq' | 'searchSessions'>> {
  const indexed = db.prepare('SELECT seq FROM searched WHERE session = ?');
  const found = `(
    id IN (SELECT session FROM said_in WHERE said IN (SELECT rowid FROM said WHERE said MATCH ?))
    OR instr(lower(coalesce(json_extract(record, '$.title'), '')), ?) > 0)`;
  return {
    indexedSeq({ session }) {
      return Number(indexed.get(session)?.seq ?? 0);
    },
    searchSessions({ words, cwd, updatedAt, id, limit }) {
      // Words are letters and digits alone: see `wordsOf`.
      const search = db.prepare(`
        SELECT record FROM session
        WHERE ${words.map(() => found).join(' AND ')} AND (? IS NULL OR cwd = ?)
        AND updated_at <= ? AND (updated_at < ? OR id > ?) ORDER BY updated_at DESC, id LIMIT ?`);
      const asked = words.flatMap((word) => [`"${word}"*`, word]);
      const rows = search.all(...asked, cwd, cwd, updatedAt, updatedAt, id, limit);
      return rows.map((row) => String(row.record));
    },
  };
}
