import type { ServerChange } from '@reeve/protocol';
import { backOffMs, pause } from '../back-off.ts';
import { CallError, isRefusal } from '../call-error.ts';
import type { ChangeHub } from './change-hub.ts';
import type { LiveState } from './live-value.ts';

export interface SyncedReadingOptions<T> {
  readonly hub: ChangeHub;
  /** Reads the whole. */
  readonly read: (signal: AbortSignal) => Promise<T>;
  /** What was read replaces what was known. */
  readonly take: (value: T) => void;
  /** One change on top of it. */
  readonly apply: (change: ServerChange) => void;
  /** Something may look different now. */
  readonly onChange: () => void;
}

export interface SyncedReading {
  readonly state: LiveState;
  /** Reads, and follows the changes until `signal` aborts. */
  follow(signal: AbortSignal): void;
  /** Reads anew. */
  refresh(): void;
}

interface Reading {
  readonly signal: AbortSignal;
  isStale: boolean;
  late: ServerChange[];
  /** Of the attempt that runs, or of the pause before the next one. */
  stop: AbortController;
}

/** Something read from the server and kept true by its changes: read again after each `resync`, changes that come meanwhile after it. */
export function syncedReading<T>({ hub, read, take, apply, onChange }: SyncedReadingOptions<T>): SyncedReading {
  let own: LiveState = { kind: 'loading' };
  let running: Reading | undefined;
  let following: AbortSignal | undefined;

  const readAnew = async (signal: AbortSignal): Promise<void> => {
    if (running && running.signal === signal) {
      running.isStale = true;
      return;
    }
    const mine: Reading = { signal, isStale: false, late: [], stop: new AbortController() };
    running = mine;
    for (let attempt = 0; !signal.aborted; ) {
      mine.isStale = false;
      mine.late = [];
      mine.stop = new AbortController();
      const either = AbortSignal.any([signal, mine.stop.signal]);
      try {
        const value = await read(either);
        if (signal.aborted) break;
        if (mine.isStale) continue;
        take(value);
        own = { kind: 'live' };
        for (const change of mine.late.splice(0)) apply(change);
        // What came meanwhile may ask for another look.
        if (!mine.isStale) break;
      } catch (cause) {
        if (signal.aborted) break;
        if (either.aborted) continue;
        const error = CallError.of(cause);
        attempt += 1;
        own = isRefusal(error) ? { kind: 'failed', error } : { kind: 'reconnecting', attempt, error };
        onChange();
        if (own.kind === 'failed') break;
        await pause(backOffMs(attempt), either);
      }
    }
    if (running === mine) running = undefined;
    if (!signal.aborted) onChange();
  };

  return {
    get state() {
      const stream = hub.state.get();
      return own.kind === 'failed' || stream.kind === 'live' ? own : stream;
    },
    follow(signal) {
      own = { kind: 'loading' };
      following = signal;
      const leave = hub.listen((change) => {
        if (change.kind === 'resync') {
          // What is under way may be asked over a connection that is as dead as that of the stream was.
          running?.stop.abort();
          void readAnew(signal);
        } else if (running) running.late.push(change);
        else {
          apply(change);
          onChange();
        }
      }, onChange);
      signal.addEventListener('abort', leave, { once: true });
    },
    refresh() {
      if (following && !following.aborted) void readAnew(following);
    },
  };
}
