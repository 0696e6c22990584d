import type { CallError } from '../call-error.ts';

/**
 * A value that changes, for whoever shows it: the shape that React's `useSyncExternalStore` takes, and any other interface can.
 * Nothing runs before the first subscriber, nor after the last one has left.
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
