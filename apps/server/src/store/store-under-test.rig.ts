import type { Store } from './store.ts';

/** What a contract's tests work on: the store of the running test, fresh for each. */
export interface StoreUnderTest {
  readonly store: Store;
  readonly persistent: boolean;
  /** Disposes of the store and opens it again at the same place. */
  reopen(): Promise<Store>;
}
