import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import type { FromWorker, ToWorker, WriteCall } from './operation.ts';
import { OperationQueue, UNHURRIED_MS } from './operation-queue.ts';

/** Keeps what it is sent until the test answers: the real thread is as fast as it is. */
class HeldWorker extends EventEmitter {
  readonly batches: Extract<ToWorker, { kind: 'batch' }>[] = [];
  readonly threadId = -1;

  postMessage(message: ToWorker): void {
    if (message.kind === 'batch') this.batches.push(message);
  }

  /** All writes of the last batch are on disk. */
  written(): void {
    const outcomes = (this.batches.at(-1)?.writes ?? []).map(() => ({ kind: 'done' as const, answer: 0 }));
    this.emit('message', { kind: 'written', outcomes } satisfies FromWorker);
  }
}

const write: WriteCall = { kind: 'keepAudit', name: 'a', value: 'b' };

function opened() {
  const worker = new HeldWorker();
  return { worker, queue: new OperationQueue(worker as unknown as Worker) };
}

describe('what nobody waits for', () => {
  it('shares one message with all that comes in a while', async () => {
    const { worker, queue } = opened();
    const all: Promise<unknown>[] = [];
    for (let tick = 0; tick < 5; tick += 1) {
      all.push(queue.write(write, 'unhurried'));
      await Promise.resolve();
    }
    expect(worker.batches).toEqual([]);
    await expect.poll(() => worker.batches.map(({ writes }) => writes.length), { interval: UNHURRIED_MS }).toEqual([5]);
    worker.written();
    await Promise.all(all);
  });

  it('goes with the next write that somebody waits for, before it', async () => {
    const { worker, queue } = opened();
    const left = queue.write({ ...write, value: 'first' }, 'unhurried');
    const awaited = queue.write({ ...write, value: 'second' });
    await Promise.resolve();
    expect(worker.batches.map(({ writes }) => writes)).toEqual([
      [
        { ...write, value: 'first' },
        { ...write, value: 'second' },
      ],
    ]);
    worker.written();
    await Promise.all([left, awaited]);
    // The time of the first has passed with it: nothing else is sent.
    await sleep(3 * UNHURRIED_MS);
    expect(worker.batches).toHaveLength(1);
  });

  it('goes before the next read', async () => {
    const { worker, queue } = opened();
    void queue.write(write, 'unhurried');
    void queue.read({ kind: 'lastCheckpoint' });
    await Promise.resolve();
    expect(worker.batches).toEqual([{ kind: 'batch', writes: [write], reads: [{ kind: 'lastCheckpoint' }] }]);
  });

  it('waits its while where the thread was busy when it came, and does not hold up what is awaited behind it', async () => {
    const { worker, queue } = opened();
    const busy = queue.write(write);
    await Promise.resolve();
    void queue.write({ ...write, value: 'later' }, 'unhurried');
    worker.written();
    await busy;
    await Promise.resolve();
    expect(worker.batches).toHaveLength(1);
    void queue.write({ ...write, value: 'now' });
    await Promise.resolve();
    expect(worker.batches.at(-1)?.writes).toHaveLength(2);
  });

  it('is written before the queue is closed', async () => {
    const { worker, queue } = opened();
    const left = queue.write(write, 'unhurried');
    const closed = queue.close();
    await Promise.resolve();
    expect(worker.batches).toHaveLength(1);
    worker.written();
    await left;
    await closed;
  });
});
