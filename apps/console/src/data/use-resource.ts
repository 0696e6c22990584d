import { useCallback, useEffect, useState } from 'react';

export type Resource<T> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'ready'; readonly value: T };

export interface LoadedResource<T> {
  readonly resource: Resource<T>;
  /** Loads it again; what is shown stays until the new one is there. */
  reload(): void;
}

/** What the server gives once. `load` is called when it changes, so it must be kept (`useCallback`). */
export function useResource<T>(load: () => Promise<T>): LoadedResource<T> {
  const [resource, setResource] = useState<Resource<T>>({ kind: 'loading' });
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round is a new load
  useEffect(() => {
    let left = false;
    load().then(
      (value) => {
        if (!left) setResource({ kind: 'ready', value });
      },
      (error: unknown) => {
        if (!left) setResource({ kind: 'failed', error });
      },
    );
    return () => {
      left = true;
    };
  }, [load, round]);
  const reload = useCallback(() => setRound((now) => now + 1), []);
  return { resource, reload };
}
