/** Bounds of one child's network. */
export interface EgressLimits {
  /** Open connections of one child at once, to the proxy and to loopback endpoints together; and as many going out. */
  readonly maxConnections: number;
  /** Request line and headers of one request to the proxy, and of one answer. */
  readonly maxHeaderBytes: number;
  /** From the opening of a connection, or the first byte of a later request, to the end of the headers. */
  readonly headersTimeoutMs: number;
  /** A connection to the proxy without a request is closed after this long. */
  readonly idleTimeoutMs: number;
  /** From the decision to an established connection, name resolution included. */
  readonly connectTimeoutMs: number;
  /** From the start of the child until its network stands. */
  readonly attachTimeoutMs: number;
  /** A connection that one side has ended is closed when the other has sent nothing for this long. */
  readonly halfOpenTimeoutMs: number;
  /** Names being looked up at once; the system resolver has few threads, and the whole server shares them. */
  readonly maxLookups: number;
}

export const defaultEgressLimits: EgressLimits = Object.freeze({
  maxConnections: 512,
  maxHeaderBytes: 64 * 1024,
  headersTimeoutMs: 15_000,
  idleTimeoutMs: 120_000,
  connectTimeoutMs: 15_000,
  attachTimeoutMs: 15_000,
  halfOpenTimeoutMs: 60_000,
  maxLookups: 8,
});

/** The default limits, with those in their place that are given. */
export function egressLimitsWith(given: { readonly [Name in keyof EgressLimits]?: number | undefined }): EgressLimits {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.freeze({ ...defaultEgressLimits, ...Object.fromEntries(set) });
}
