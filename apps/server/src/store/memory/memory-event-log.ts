import type { EventSeq, LeaseEpoch, SessionId } from '@reeve/protocol';
import { type EventChunk, lastSeqOf, sliceChunk } from '../../events/event-chunk.ts';
import type { EventLog } from '../../events/event-log.ts';
import { assertAppendable } from '../assert-appendable.ts';

interface Log {
  readonly chunks: EventChunk[];
  lastSeq: EventSeq;
  epoch: LeaseEpoch;
  owner: string | undefined;
  leaseUntil: number;
}

/** `assertOpen` throws when the store is closed. */
export function createMemoryEventLog(assertOpen: () => void): EventLog {
  const logs = new Map<SessionId, Log>();
  /** The highest epoch of an erased log: the owner of that one must not pass for the owner of a new log of the same name. */
  let epochFloor = 0;

  const owned = (session: SessionId, epoch: LeaseEpoch): Log | undefined => {
    const log = logs.get(session);
    return log?.epoch === epoch && log.owner !== undefined ? log : undefined;
  };

  return {
    async acquire(session, owner, ttlMs) {
      assertOpen();
      const now = Date.now();
      const log = logs.get(session);
      if (log?.owner !== undefined && log.owner !== owner && log.leaseUntil > now) {
        return { kind: 'held', owner: log.owner, untilMs: log.leaseUntil };
      }
      const epoch = ((log?.epoch ?? epochFloor) + 1) as LeaseEpoch;
      const lastSeq = log?.lastSeq ?? (0 as EventSeq);
      logs.set(session, { chunks: log?.chunks ?? [], lastSeq, epoch, owner, leaseUntil: now + ttlMs });
      return { kind: 'acquired', epoch, lastSeq };
    },

    async renew(session, epoch, ttlMs) {
      assertOpen();
      const log = owned(session, epoch);
      if (log) log.leaseUntil = Date.now() + ttlMs;
      return log !== undefined;
    },

    async release(session, epoch) {
      assertOpen();
      const log = owned(session, epoch);
      if (log) log.owner = undefined;
    },

    async append(session, epoch, chunk) {
      assertOpen();
      assertAppendable(chunk);
      const log = logs.get(session);
      if (log?.epoch !== epoch) return { kind: 'fenced' };
      if (log.lastSeq + 1 !== chunk.firstSeq) return { kind: 'conflict', actualSeq: log.lastSeq };
      log.chunks.push(chunk);
      log.lastSeq = lastSeqOf(chunk);
      return { kind: 'appended', lastSeq: log.lastSeq, chunk };
    },

    async read(session, afterSeq, maxBytes) {
      assertOpen();
      const chunks = logs.get(session)?.chunks ?? [];
      const found: EventChunk[] = [];
      let bytes = 0;
      for (let index = firstAfter(chunks, afterSeq); index < chunks.length; index += 1) {
        const chunk = sliceChunk(chunks[index] as EventChunk, afterSeq);
        found.push(chunk);
        bytes += chunk.body.byteLength;
        if (bytes >= maxBytes) break;
      }
      return found;
    },

    async head(session) {
      assertOpen();
      return logs.get(session)?.lastSeq ?? (0 as EventSeq);
    },

    async truncate(session, before) {
      assertOpen();
      const chunks = logs.get(session)?.chunks;
      chunks?.splice(0, firstAfter(chunks, before - 1));
    },

    async erase(session) {
      assertOpen();
      epochFloor = Math.max(epochFloor, logs.get(session)?.epoch ?? 0);
      logs.delete(session);
    },
  };
}

/** Index of the first chunk that holds an event after `seq`. */
function firstAfter(chunks: readonly EventChunk[], seq: number): number {
  let low = 0;
  let high = chunks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (lastSeqOf(chunks[middle] as EventChunk) > seq) high = middle;
    else low = middle + 1;
  }
  return low;
}
