import type { CallError } from '../call-error.ts';

/**
 * A value that changes, for whoever shows it: the shape that React's `useSyncExternalStore` takes, and any other interface can.
 * Nothing runs before the first subscriber, nor for long after the last one has left.
 */
export interface LiveValue<T> {
  /** The same object until something changes. */
  get(): T;
  /** Calls back after each change, at most once per frame; the function that it gives ends it. */
  subscribe(onChange: () => void): () => void;
}

/** How far a live value follows the server. */
export type LiveState =
  /** Nothing came yet. */
  | { readonly kind: 'loading' }
  | { readonly kind: 'live' }
  /** The server does not answer; what is shown may be old. It is tried again and again. */
  | { readonly kind: 'reconnecting'; readonly attempt: number; readonly error: CallError }
  /** The server refused: trying again is up to the caller (`401`, `404`, …). */
  | { readonly kind: 'failed'; readonly error: CallError };

/** How long a value goes on without subscribers: a page that goes back finds it as it was. */
const LINGER_MS = 5000;
/** Changes within this time are told together. */
const FRAME_MS = 16;

export interface LiveValueOptions<T> {
  /** Makes the value from what is known; called once per change that somebody looks at. */
  readonly view: () => T;
  /** Follows the server until `signal` aborts. Never rejects. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** It was stopped, and begins anew when somebody comes: what is known may be dropped. */
  readonly onStopped?: () => void;
  readonly lingerMs?: number;
}

export interface OwnLiveValue<T> extends LiveValue<T> {
  /** What `view` gives has changed. */
  changed(): void;
  /** Begins anew, after a failure. */
  restart(): void;
}

export function liveValue<T>({ view, run, onStopped, lingerMs = LINGER_MS }: LiveValueOptions<T>): OwnLiveValue<T> {
  const listeners = new Set<() => void>();
  let shown: T | undefined;
  let stop: AbortController | undefined;
  let frame: ReturnType<typeof setTimeout> | undefined;
  let linger: ReturnType<typeof setTimeout> | undefined;

  const end = (): void => {
    stop?.abort();
    stop = undefined;
    clearTimeout(frame);
    frame = undefined;
    shown = undefined;
    onStopped?.();
  };
  const begin = (): void => {
    if (stop) return;
    stop = new AbortController();
    void run(stop.signal);
  };
  return {
    get() {
      shown ??= view();
      return shown;
    },
    subscribe(listener) {
      // Two subscribers may be one function.
      const own = (): void => listener();
      listeners.add(own);
      clearTimeout(linger);
      begin();
      return () => {
        if (!listeners.delete(own) || listeners.size > 0) return;
        linger = setTimeout(end, lingerMs);
        // Nothing is left running that would keep a program from its end.
        if (typeof linger === 'object') linger.unref();
      };
    },
    changed() {
      frame ??= setTimeout(() => {
        frame = undefined;
        shown = undefined;
        for (const listener of [...listeners]) listener();
      }, FRAME_MS);
    },
    restart() {
      if (!stop) return;
      end();
      begin();
    },
  };
}
