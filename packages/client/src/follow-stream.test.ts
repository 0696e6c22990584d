import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { CallError } from './call-error.ts';
import { followStream, type ReconnectOptions } from './follow-stream.ts';
import { silenceOf } from './silence.ts';

/** Writes its events, and what comes after them: an end, an error, or nothing any more. */
type Stretch = {
  readonly events: readonly string[];
  readonly ends: 'end' | 'error' | 'silence';
  readonly afterMs?: number;
  readonly heartbeatMs?: number;
};

function bodyOf({ events, ends, afterMs = 0 }: Stretch, onCancel: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      for (const event of events) controller.enqueue(new TextEncoder().encode(event));
      await delay(afterMs);
      if (ends === 'end') controller.close();
      if (ends === 'error') controller.error(new Error('the line is gone'));
    },
    cancel: onCancel,
  });
}

/** Follows a stream that is opened once for each stretch, until it gave `wanted`. */
async function follow(stretches: readonly Stretch[], wanted: number, options: ReconnectOptions) {
  const given: string[] = [];
  const lost: CallError[] = [];
  let opened = 0;
  let cancelled = 0;
  const stream = followStream<string>(
    {
      what: 'events',
      async open() {
        const stretch = stretches[opened];
        opened += 1;
        if (!stretch) throw new CallError({ code: 'connection_lost', message: 'nobody is there', next: '' });
        const body = bodyOf(stretch, () => {
          cancelled += 1;
        });
        return { body, heartbeatMs: stretch.heartbeatMs };
      },
      read: ({ data }) => data,
    },
    { ...options, onLost: (error) => lost.push(error) },
  );
  for await (const data of stream) if (given.push(data) === wanted) break;
  return { given, lost, opened, cancelled };
}

describe('a stream that is followed', () => {
  it('is opened again when nothing comes any more, not even a heartbeat, as after the sleep of a machine', async () => {
    const silent: Stretch = { events: ['data: 1\n\n'], ends: 'silence' };
    const { given, lost, cancelled } = await follow([silent, { events: ['data: 2\n\n'], ends: 'silence' }], 2, {
      silenceMs: 50,
    });
    expect(given).toEqual(['1', '2']);
    expect(lost.map(({ message }) => message)).toEqual([expect.stringContaining('nothing was heard for 50 ms')]);
    expect(cancelled).toBe(2);
  });

  it('stays open as long as heartbeats come', async () => {
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        for (let beats = 0; beats < 10; beats += 1) {
          controller.enqueue(new TextEncoder().encode(': heartbeat\n\n'));
          await delay(50);
        }
        controller.enqueue(new TextEncoder().encode('data: at last\n\n'));
      },
    });
    let opened = 0;
    const stream = followStream<string>(
      {
        what: 'events',
        async open() {
          opened += 1;
          return { body };
        },
        read: ({ data }) => data,
      },
      { silenceMs: 250 },
    );
    for await (const data of stream) {
      expect(data).toBe('at last');
      break;
    }
    expect(opened).toBe(1);
  });

  it('has connections that lead nowhere found at once after a silence, and says only then that it is there again', async () => {
    const said: string[] = [];
    const stretches: Stretch[] = [
      { events: ['data: 1\n\n'], ends: 'end' },
      { events: ['data: 2\n\n'], ends: 'error', afterMs: 20 },
      { events: ['data: 3\n\n'], ends: 'silence' },
      { events: ['data: 4\n\n'], ends: 'silence' },
    ];
    const stream = followStream<string>(
      {
        what: 'changes',
        open: async () => ({ body: bodyOf(stretches.shift() as Stretch, () => {}) }),
        read: ({ data }) => data,
        async onSilence() {
          said.push('sweeping');
          await delay(500);
          said.push('swept');
        },
      },
      { silenceMs: 50, onConnected: () => said.push('connected') },
    );
    for await (const data of stream) {
      said.push(data);
      if (data === '4') break;
    }
    expect(said).toEqual(['connected', '1', 'connected', '2', 'connected', '3', 'sweeping', 'swept', 'connected', '4']);
  });

  it('is waited on for three heartbeats of its server, however seldom it has one, and a while at least', () => {
    expect([undefined, 10, 15_000, 60_000].map((ms) => silenceOf(ms))).toEqual([45_000, 5_000, 45_000, 180_000]);
    // A timer that is told more than it can count ends at once.
    expect(silenceOf(9_999_999_999)).toBe(2 ** 31 - 1);
  });

  it('is lost after three heartbeats as the server itself says how often it has one', async () => {
    vi.useFakeTimers();
    try {
      const seldom: Stretch = { events: ['data: 1\n\n'], ends: 'silence', heartbeatMs: 60_000 };
      const following = follow([seldom, { events: ['data: 2\n\n'], ends: 'end' }], 2, {});
      let opened: number | undefined;
      void following.then((ended) => {
        opened = ended.opened;
      });
      await vi.advanceTimersByTimeAsync(179_000);
      expect(opened).toBeUndefined();
      await vi.advanceTimersByTimeAsync(2_000);
      expect(opened).toBe(2);
      expect((await following).lost).toMatchObject([
        { code: 'connection_lost', message: 'nothing was heard for 180000 ms' },
      ]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is opened once more where nobody answered, as over a line from before the sleep of a machine', async () => {
    let opened = 0;
    const lost: CallError[] = [];
    const stream = followStream<string>(
      {
        what: 'events',
        open(signal) {
          opened += 1;
          if (opened > 1) return Promise.resolve({ body: bodyOf({ events: ['data: 1\n\n'], ends: 'end' }, () => {}) });
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        },
        read: ({ data }) => data,
      },
      { silenceMs: 50, onLost: (error) => lost.push(error) },
    );
    for await (const data of stream) {
      expect(data).toBe('1');
      break;
    }
    expect(lost).toMatchObject([{ code: 'connection_lost', message: 'nothing was heard for 50 ms' }]);
  });

  it('is tried again for as long as it may be, counted from when it was lost and not from its last event', async () => {
    const quiet: Stretch = { events: ['data: 1\n\n'], ends: 'error', afterMs: 100 };
    const { given } = await follow([quiet, { events: ['data: 2\n\n'], ends: 'end' }], 2, { giveUpMs: 50 });
    expect(given).toEqual(['1', '2']);
    await expect(follow([quiet], 2, { giveUpMs: 50 })).rejects.toThrow('nobody is there');
  });
});
