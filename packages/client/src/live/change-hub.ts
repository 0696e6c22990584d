import type { ServerChange } from '@reeve/protocol';
import { CallError } from '../call-error.ts';
import type { Reeve } from '../connect-reeve.ts';
import { type LiveState, type LiveValue, liveValue } from './live-value.ts';

/** One stream of changes for everybody who looks at something of a server. */
export interface ChangeHub {
  /** How the stream is. */
  readonly state: LiveValue<LiveState>;
  /** Calls back for each change; first with `resync`, once the stream is there. The function that it gives ends it. */
  listen(onChange: (change: ServerChange) => void, onState: () => void): () => void;
  /** Tries again after a refusal. */
  restart(): void;
}

interface Listener {
  readonly onChange: (change: ServerChange) => void;
  /** It was told `resync`, and every change since. */
  isSynced: boolean;
}

export function changeHub(reeve: Pick<Reeve, 'followChanges'>): ChangeHub {
  const listeners = new Set<Listener>();
  let state: LiveState = { kind: 'loading' };
  const become = (next: LiveState): void => {
    state = next;
    value.changed();
  };
  const tell = (change: ServerChange, to: Iterable<Listener>): void => {
    for (const listener of [...to]) {
      if (change.kind === 'resync') listener.isSynced = true;
      listener.onChange(change);
    }
  };
  const syncOthers = (): void =>
    tell(
      { kind: 'resync' },
      [...listeners].filter(({ isSynced }) => !isSynced),
    );
  const value = liveValue<LiveState>({
    view: () => state,
    async run(signal) {
      let isResumed = false;
      try {
        const changes = reeve.followChanges({
          signal,
          onConnected() {
            // A server where nothing changes says no more than that; a stream that goes on begins with no `resync`.
            become({ kind: 'live' });
            if (isResumed) syncOthers();
            isResumed = true;
          },
          onLost: (error, attempt) => become({ kind: 'reconnecting', attempt, error }),
        });
        for await (const change of changes) {
          if (signal.aborted) return;
          tell(change, listeners);
        }
      } catch (error) {
        if (!signal.aborted) become({ kind: 'failed', error: CallError.of(error) });
      }
    },
    onStopped() {
      state = { kind: 'loading' };
    },
  });
  return {
    state: value,
    listen(onChange, onState) {
      const own: Listener = { onChange, isSynced: false };
      const leave = value.subscribe(onState);
      listeners.add(own);
      if (state.kind === 'live')
        queueMicrotask(() => listeners.has(own) && !own.isSynced && tell({ kind: 'resync' }, [own]));
      return () => {
        listeners.delete(own);
        leave();
      };
    },
    restart: () => value.restart(),
  };
}
