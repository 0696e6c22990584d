export type StoreErrorCode =
  /** The store was disposed before the call. */
  | 'closed'
  /** No space: nothing of the operation is stored, and the store goes on. */
  | 'full'
  /** The storage failed in a way that leaves doubt about what is on disk; every later call is refused. */
  | 'broken'
  /** Another server uses the same storage. */
  | 'locked'
  /** The storage was made by a newer version. */
  | 'newer-schema'
  /** The arguments cannot be stored; nothing was written. */
  | 'invalid';

/** A store that cannot do its work; refusals that the ports foresee are values, not this. The message says the next step. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string) {
    super(message);
    this.name = 'StoreError';
    this.code = code;
  }
}
