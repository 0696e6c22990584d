import type { DatabaseSync } from 'node:sqlite';
import { labelsOf, numbered } from '../../audit/audit-record.ts';
import { type Frontier, grown, packRoots, unpackRoots } from '../../audit/merkle-tree.ts';
import type { AuditRow, Handlers, Reads, Writes } from './operation.ts';

type AuditWrites = Pick<Writes, 'appendAudit' | 'addCheckpoint' | 'keepAudit'>;
type AuditReads = Pick<
  Reads,
  'readAudit' | 'auditTree' | 'auditLeaves' | 'listCheckpoints' | 'lastCheckpoint' | 'keptAudit'
>;

export function auditWrites(db: DatabaseSync): Handlers<AuditWrites> {
  const add = db.prepare(
    'INSERT INTO audit_record (seq, at, session, kind, decision, body, leaf) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const addLabel = db.prepare('INSERT INTO audit_label (label, seq) VALUES (?, ?)');
  const grow = db.prepare('UPDATE audit_tree SET size = ?, roots = ?');
  const addCheckpoint = db.prepare('INSERT OR REPLACE INTO audit_checkpoint (size, note) VALUES (?, ?)');
  const keep = db.prepare('INSERT OR REPLACE INTO audit_kept (name, value) VALUES (?, ?)');
  const tree = treeReader(db);
  return {
    appendAudit({ record }) {
      const before = tree();
      const { seq, body, leaf } = numbered(record, before.size);
      const { at, session = null, kind, decision = null } = record.rest;
      add.run(seq, at, session, kind, decision, body, leaf);
      for (const label of labelsOf(record)) addLabel.run(label, seq);
      const after = grown(before, leaf);
      grow.run(after.size, packRoots(after));
      return seq;
    },
    addCheckpoint({ size, note }) {
      addCheckpoint.run(size, note);
    },
    keepAudit({ name, value }) {
      keep.run(name, value);
    },
  };
}

export function auditReads(db: DatabaseSync): Handlers<AuditReads> {
  const conditions = `
    seq BETWEEN :low AND :high
    AND (:session IS NULL OR session = :session) AND (:ofKind IS NULL OR kind = :ofKind)
    AND (:decision IS NULL OR decision = :decision)
    AND (:server IS NULL OR :server IN (json_extract(body, '$.facts.server.name'),
      json_extract(body, '$.facts.server.fingerprint'), json_extract(body, '$.facts.fingerprint')))
    AND (:since IS NULL OR at >= :since) AND (:until IS NULL OR at < :until)
    AND (:label IS NULL OR seq IN (SELECT seq FROM audit_label WHERE label = :label AND seq BETWEEN :low AND :high))
    AND (:trace IS NULL OR seq IN (SELECT seq FROM audit_label WHERE label = :trace AND seq BETWEEN :low AND :high))`;
  const oldest = db.prepare(`SELECT seq, body, leaf FROM audit_record WHERE ${conditions} ORDER BY seq LIMIT :limit`);
  const newest = db.prepare(
    `SELECT seq, body, leaf FROM audit_record WHERE ${conditions} ORDER BY seq DESC LIMIT :limit`,
  );
  const leaves = db.prepare('SELECT leaf FROM audit_record WHERE seq >= ? AND seq < ? ORDER BY seq');
  const checkpoints = db.prepare('SELECT note FROM audit_checkpoint ORDER BY size');
  const last = db.prepare('SELECT note FROM audit_checkpoint ORDER BY size DESC LIMIT 1');
  const kept = db.prepare('SELECT value FROM audit_kept WHERE name = ?');
  const tree = treeReader(db);
  return {
    readAudit({ order, low, high, session, ofKind, decision, server, label, trace, since, until, limit }) {
      const query = { low, high, session, ofKind, decision, server, label, trace, since, until, limit };
      const rows = (order === 'oldest' ? oldest : newest).all(query);
      return rows.map(
        (row): AuditRow => ({
          seq: Number(row.seq),
          body: String(row.body),
          leaf: row.leaf as Uint8Array,
        }),
      );
    },
    auditTree() {
      const { size, roots } = tree();
      return { size, roots: packRoots({ size, roots }) };
    },
    auditLeaves({ from, to }) {
      return Buffer.concat(leaves.all(from, to).map((row) => row.leaf as Uint8Array));
    },
    listCheckpoints() {
      return checkpoints.all().map((row) => String(row.note));
    },
    lastCheckpoint() {
      const row = last.get();
      return row && String(row.note);
    },
    keptAudit({ name }) {
      const row = kept.get(name);
      return row && String(row.value);
    },
  };
}

function treeReader(db: DatabaseSync): () => Frontier {
  const read = db.prepare('SELECT size, roots FROM audit_tree');
  return () => {
    const row = read.get() as { readonly size: number; readonly roots: Uint8Array };
    return unpackRoots(Number(row.size), row.roots);
  };
}
