/** Bounds of what governs sessions that no setting has yet. Counts and milliseconds, as the names say. */
export const GOVERNANCE_DEFAULTS = Object.freeze({
  maxLinkScan: 10_000,
  maxWatchedRoots: 256,
  rootCheckMs: 5000,
});
