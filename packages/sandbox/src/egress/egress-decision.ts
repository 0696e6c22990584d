/** Why a connection was let through, refused, or did not come about. */
export type EgressReason =
  /** Allowed: it is in the allow-list. */
  | 'declared'
  /** Denied: the host, or this port of it, is not in the allow-list. */
  | 'not-declared'
  /** Denied: the name is declared, but resolves only to addresses that are not public and not declared themselves. */
  | 'special-address'
  /** Denied: no host and port could be read from the request. `host` is empty and `port` 0. */
  | 'malformed'
  /**
   * Denied: too many connections at once. For what did not get as far as to name its target, `host` is empty and `port`
   * 0, and it is told once until there is room again.
   */
  | 'too-many-connections'
  /** Failed: the name has no address, or too many names were being looked up. */
  | 'unresolved'
  /** Failed: the host does not take the connection. */
  | 'unreachable'
  /** Failed: the name was not resolved, or the connection not established, in time. */
  | 'timeout'
  /** Failed: the one who asked was gone before the connection stood. */
  | 'abandoned';

/** One decision about one connection. Never holds a path, a header or a body. */
export interface EgressDecision {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Canonical: lower case, no trailing dot, an address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly decision: 'allowed' | 'denied' | 'failed';
  readonly reason: EgressReason;
}

/** What is not let through, with what to do about it, in one line of plain text. */
export interface EgressRefusal {
  readonly kind: 'refused';
  readonly decision: 'denied' | 'failed';
  readonly reason: EgressReason;
  readonly message: string;
}
