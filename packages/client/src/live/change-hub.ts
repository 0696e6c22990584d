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

export function changeHub(reeve: Pick<Reeve, 'followChanges'>): ChangeHub {
  const listeners = new Set<(change: ServerChange) => void>();
  let state: LiveState = { kind: 'loading' };
  const become = (next: LiveState): void => {
    state = next;
    value.changed();
  };
  const value = liveValue<LiveState>({
    view: () => state,
    async run(signal) {
      try {
        const changes = reeve.followChanges({
          signal,
          // A server where nothing changes says no more than that.
          onConnected: () => become({ kind: 'live' }),
          onLost: (error, attempt) => become({ kind: 'reconnecting', attempt, error }),
        });
        for await (const change of changes) {
          if (signal.aborted) return;
          for (const listener of [...listeners]) listener(change);
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
      const own = (change: ServerChange): void => onChange(change);
      const leave = value.subscribe(onState);
      listeners.add(own);
      if (state.kind === 'live') queueMicrotask(() => listeners.has(own) && own({ kind: 'resync' }));
      return () => {
        listeners.delete(own);
        leave();
      };
    },
    restart: () => value.restart(),
  };
}
