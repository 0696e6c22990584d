import type { DatabaseSync } from 'node:sqlite';
import type { EventSeq, LeaseEpoch } from '@reeve/protocol';
import { type EventChunk, sliceChunk } from '../../events/event-chunk.ts';
import type { Handlers, Reads, StoredChunk, Writes } from './operation.ts';

type EventWrites = Pick<Writes, 'acquire' | 'renew' | 'release' | 'append' | 'truncate' | 'erase' | 'sweep'>;
type EventReads = Pick<Reads, 'readLog' | 'head'>;

/** What one operation removes at most, so that no append waits long for a big log to go. */
const REMOVE_BYTES = 4 * 1024 * 1024;
const REMOVE_ROWS = 1000;
/** Chunks at least as big are handed out as they are; smaller ones are joined. */
const JOIN_BYTES = 64 * 1024;

export function eventWrites(db: DatabaseSync): Handlers<EventWrites> {
  const logOf = db.prepare('SELECT session_key, last_seq, epoch, owner, lease_until FROM log WHERE session = ?');
  const insertLog = db.prepare(
    'INSERT INTO log (session, last_seq, epoch, owner, lease_until) SELECT ?, 0, epoch + 1, ?, ? FROM epoch_floor RETURNING epoch',
  );
  const takeLog = db.prepare(
    'UPDATE log SET epoch = epoch + 1, owner = ?, lease_until = ? WHERE session_key = ? RETURNING epoch',
  );
  const renewLog = db.prepare('UPDATE log SET lease_until = ? WHERE session = ? AND epoch = ? AND owner IS NOT NULL');
  const releaseLog = db.prepare('UPDATE log SET owner = NULL WHERE session = ? AND epoch = ?');
  const advance = db.prepare(
    'UPDATE log SET last_seq = ? WHERE session = ? AND epoch = ? AND last_seq = ? RETURNING session_key',
  );
  const insertChunk = db.prepare(
    'INSERT INTO chunk (session_key, first_seq, last_seq, at, body) VALUES (?, ?, ?, ?, ?)',
  );
  const sizes = db.prepare(
    `SELECT last_seq, length(body) AS size FROM chunk WHERE session_key = ? AND last_seq < ? ORDER BY last_seq LIMIT ${REMOVE_ROWS}`,
  );
  const removeTo = db.prepare('DELETE FROM chunk WHERE session_key = ? AND last_seq <= ?');
  const removeLog = db.prepare('DELETE FROM log WHERE session_key = ?');
  const raiseFloor = db.prepare('UPDATE epoch_floor SET epoch = max(epoch, ?)');
  const insertErased = db.prepare('INSERT INTO erased_log VALUES (?)');
  const anyErased = db.prepare('SELECT session_key FROM erased_log LIMIT 1');
  const removeErased = db.prepare('DELETE FROM erased_log WHERE session_key = ?');

  /** True when no chunk below `before` is left. */
  const removeSome = (sessionKey: number, before: number): boolean => {
    let bytes = 0;
    let rows = 0;
    let last = 0;
    for (const row of sizes.iterate(sessionKey, before)) {
      rows += 1;
      bytes += Number(row.size);
      last = Number(row.last_seq);
      if (bytes >= REMOVE_BYTES) break;
    }
    if (rows > 0) removeTo.run(sessionKey, last);
    return bytes < REMOVE_BYTES && rows < REMOVE_ROWS;
  };

  return {
    acquire({ session, owner, now, ttlMs }) {
      const log = logOf.get(session);
      const until = now + ttlMs;
      if (!log) {
        const epoch = Number(insertLog.get(session, owner, until)?.epoch) as LeaseEpoch;
        return { kind: 'acquired', epoch, lastSeq: 0 as EventSeq };
      }
      if (typeof log.owner === 'string' && log.owner !== owner && Number(log.lease_until) > now) {
        return { kind: 'held', owner: log.owner, untilMs: Number(log.lease_until) };
      }
      const epoch = Number(takeLog.get(owner, until, Number(log.session_key))?.epoch) as LeaseEpoch;
      return { kind: 'acquired', epoch, lastSeq: Number(log.last_seq) as EventSeq };
    },

    renew({ session, epoch, now, ttlMs }) {
      return renewLog.run(now + ttlMs, session, epoch).changes === 1;
    },

    release({ session, epoch }) {
      releaseLog.run(session, epoch);
    },

    append({ session, epoch, firstSeq, count, body, giveBack }) {
      const lastSeq = firstSeq + count - 1;
      const log = advance.get(lastSeq, session, epoch, firstSeq - 1);
      if (log) {
        insertChunk.run(Number(log.session_key), firstSeq, lastSeq, timeOfFirst(body), body);
        return giveBack ? { kind: 'appended', body } : { kind: 'appended' };
      }
      const actual = logOf.get(session);
      return actual?.epoch === epoch ? { kind: 'conflict', actualSeq: Number(actual.last_seq) } : { kind: 'fenced' };
    },

    truncate({ session, before }) {
      const log = logOf.get(session);
      return log === undefined || removeSome(Number(log.session_key), before);
    },

    erase({ session }) {
      const log = logOf.get(session);
      if (!log) return;
      const sessionKey = Number(log.session_key);
      removeLog.run(sessionKey);
      raiseFloor.run(Number(log.epoch));
      insertErased.run(sessionKey);
    },

    sweep() {
      const erased = anyErased.get();
      if (!erased) return true;
      const sessionKey = Number(erased.session_key);
      if (removeSome(sessionKey, Number.MAX_SAFE_INTEGER)) removeErased.run(sessionKey);
      return false;
    },
  };
}

export function eventReads(db: DatabaseSync): Handlers<EventReads> {
  const lastSeq = db.prepare('SELECT last_seq FROM log WHERE session = ?');
  const chunks = db.prepare(
    `SELECT first_seq, last_seq, body FROM chunk
     WHERE session_key = (SELECT session_key FROM log WHERE session = ?) AND last_seq > ? ORDER BY last_seq`,
  );
  return {
    head({ session }) {
      return Number(lastSeq.get(session)?.last_seq ?? 0);
    },

    readLog({ session, afterSeq, maxBytes }) {
      const found: EventChunk[] = [];
      let bytes = 0;
      for (const row of chunks.iterate(session, afterSeq)) {
        const firstSeq = Number(row.first_seq) as EventSeq;
        const blob = row.body as Uint8Array;
        const body = Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength);
        const chunk = sliceChunk({ firstSeq, count: Number(row.last_seq) - firstSeq + 1, body }, afterSeq);
        found.push(chunk);
        bytes += chunk.body.byteLength;
        if (bytes >= maxBytes) break;
      }
      return joinSmall(found);
    },
  };
}

/** Milliseconds since the epoch of a body's first event (events/event-chunk.ts). */
function timeOfFirst(body: Uint8Array): number {
  return new DataView(body.buffer, body.byteOffset, body.byteLength).getFloat64(8, true);
}

/** Runs of small chunks as one each: records need no framing of their own, and moving a thousand buffers costs more than copying them. */
function joinSmall(chunks: readonly EventChunk[]): readonly StoredChunk[] {
  const joined: StoredChunk[] = [];
  let run: EventChunk[] = [];
  const flush = (): void => {
    const [first] = run;
    if (first && run.length > 1) {
      const bytes = run.reduce((sum, chunk) => sum + chunk.body.byteLength, 0);
      const body = new Uint8Array(bytes);
      let at = 0;
      let count = 0;
      for (const chunk of run) {
        body.set(chunk.body, at);
        at += chunk.body.byteLength;
        count += chunk.count;
      }
      joined.push({ firstSeq: first.firstSeq, count, body });
    } else if (first) joined.push(first);
    run = [];
  };
  for (const chunk of chunks) {
    if (chunk.body.byteLength < JOIN_BYTES) run.push(chunk);
    else {
      flush();
      joined.push(chunk);
    }
  }
  flush();
  return joined;
}
