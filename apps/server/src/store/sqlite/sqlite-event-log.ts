import { isMarkedAsUntransferable } from 'node:worker_threads';
import type { EventSeq } from '@reeve/protocol';
import { lastSeqOf } from '../../events/event-chunk.ts';
import type { EventLog } from '../../events/event-log.ts';
import { assertAppendable } from '../assert-appendable.ts';
import { type OperationQueue, PACKED_BYTES } from './operation-queue.ts';

/** One read hands out no more than this and one chunk: a longer one would keep writes waiting. */
const MAX_READ_BYTES = 2 * 1024 * 1024;

export function createSqliteEventLog(queue: OperationQueue): EventLog {
  /** Memory that an append was given: a second chunk over the same memory needs its own. */
  const given = new WeakSet<ArrayBufferLike>();

  /** The body itself where its memory can be moved to the worker; a copy where others have a part in it. */
  const movable = (body: Buffer): Uint8Array => {
    const memory = body.buffer;
    const shared =
      !(memory instanceof ArrayBuffer) ||
      body.byteOffset !== 0 ||
      isMarkedAsUntransferable(memory) ||
      given.has(memory);
    if (shared) return new Uint8Array(body);
    given.add(memory);
    return body;
  };

  /** In the background: what is left when the store closes goes on when it is opened again. */
  const sweep = async (): Promise<void> => {
    try {
      while (!(await queue.write({ kind: 'sweep' })));
    } catch {
      // The store is closed, full or broken: whoever uses it is told; the next erase or start sweeps again.
    }
  };
  void sweep();

  return {
    acquire: (session, owner, ttlMs) => queue.write({ kind: 'acquire', session, owner, now: Date.now(), ttlMs }),
    renew: (session, epoch, ttlMs) => queue.write({ kind: 'renew', session, epoch, now: Date.now(), ttlMs }),
    release: (session, epoch) => queue.write({ kind: 'release', session, epoch }),

    async append(session, epoch, chunk) {
      assertAppendable(chunk);
      const { firstSeq, count, body } = chunk;
      const giveBack = body.byteLength > PACKED_BYTES;
      const answer = await queue.write({
        kind: 'append',
        session,
        epoch,
        firstSeq,
        count,
        body: giveBack ? movable(body) : body,
        giveBack,
      });
      if (answer.kind === 'conflict') return { kind: 'conflict', actualSeq: answer.actualSeq as EventSeq };
      if (answer.kind === 'fenced') return answer;
      const stored = answer.body ? { firstSeq, count, body: bufferOf(answer.body) } : chunk;
      return { kind: 'appended', lastSeq: lastSeqOf(chunk), chunk: stored };
    },

    async read(session, afterSeq, maxBytes) {
      const call = { kind: 'readLog', session, afterSeq, maxBytes: Math.min(maxBytes, MAX_READ_BYTES) } as const;
      const chunks = await queue.read(call);
      return chunks.map(({ firstSeq, count, body }) => ({
        firstSeq: firstSeq as EventSeq,
        count,
        body: bufferOf(body),
      }));
    },

    async head(session) {
      return (await queue.read({ kind: 'head', session })) as EventSeq;
    },

    async truncate(session, before) {
      while (!(await queue.write({ kind: 'truncate', session, before })));
    },

    async erase(session) {
      await queue.write({ kind: 'erase', session });
      void sweep();
    },
  };
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
