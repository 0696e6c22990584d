import type { ServerChange } from '@reeve/protocol';
import { describe, expect, it, vi } from 'vitest';
import { CallError } from '../call-error.ts';
import type { ChangeHub } from './change-hub.ts';
import { type LiveState, liveValue } from './live-value.ts';
import { syncedReading } from './synced-reading.ts';

/** A stream of changes that is told by hand, and a reading on top of it whose answers are given by hand. */
function reading() {
  const tell: ((change: ServerChange) => void)[] = [];
  const live: LiveState = { kind: 'live' };
  const hub: ChangeHub = {
    state: liveValue({ view: () => live, run: async () => {}, onStopped: () => {} }),
    listen(onChange) {
      tell.push(onChange);
      return () => {};
    },
    restart: () => {},
  };
  const asked: { readonly signal: AbortSignal; answer(value: string): void; fail(error: unknown): void }[] = [];
  const taken: string[] = [];
  const synced = syncedReading<string>({
    hub,
    read: (signal) =>
      new Promise((answer, fail) => {
        asked.push({ signal, answer, fail });
        signal.addEventListener('abort', () => fail(signal.reason), { once: true });
      }),
    take: (value) => taken.push(value),
    apply: () => {},
    onChange: () => {},
  });
  const leave = new AbortController();
  synced.follow(leave.signal);
  return { synced, asked, taken, leave, resync: () => tell[0]?.({ kind: 'resync' }) };
}

describe('what is read and kept true', () => {
  it('is asked for anew when the stream is there again: what was asked before is asked over a dead line', async () => {
    const { synced, asked, taken, resync } = reading();
    resync();
    expect(asked).toHaveLength(1);
    resync();
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    expect(asked[0]?.signal.aborted).toBe(true);
    expect(asked[1]?.signal.aborted).toBe(false);
    asked[1]?.answer('new');
    await vi.waitFor(() => expect(taken).toEqual(['new']));
    expect(synced.state).toEqual({ kind: 'live' });
  });

  it('waits no longer for its next attempt then', async () => {
    // So long that no attempt comes by itself.
    vi.spyOn(Math, 'random').mockReturnValue(1);
    vi.useFakeTimers();
    try {
      const { synced, asked, taken, resync } = reading();
      resync();
      asked[0]?.fail(new CallError({ code: 'unreachable', message: 'gone', next: '' }));
      await vi.advanceTimersByTimeAsync(0);
      expect(synced.state).toMatchObject({ kind: 'reconnecting', attempt: 1 });
      expect(asked).toHaveLength(1);
      resync();
      await vi.advanceTimersByTimeAsync(0);
      expect(asked).toHaveLength(2);
      asked[1]?.answer('new');
      await vi.advanceTimersByTimeAsync(0);
      expect(taken).toEqual(['new']);
    } finally {
      vi.useRealTimers();
      vi.restoreAllMocks();
    }
  });

  it('is not asked for any more by whoever left', async () => {
    const { asked, taken, leave, resync } = reading();
    resync();
    leave.abort();
    expect(asked[0]?.signal.aborted).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect([asked.length, taken]).toEqual([1, []]);
  });
});
