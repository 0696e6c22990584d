export interface RestartRules {
  /** Starts in a row that end soon; one more and the server has failed. */
  readonly restarts: number;
  /** The longest pause; a server that ran as long has worked, and its earlier failures are forgotten. */
  readonly backoffMs: number;
}

export type NextStart =
  | { readonly kind: 'start'; readonly failures: number; readonly afterMs: number }
  | { readonly kind: 'give-up' };

/**
 * When a server that has ended is started again. At once when it had worked, else after a pause that doubles from a 32nd of the longest.
 * @param failures starts before this one that ended soon
 * @param ranMs how long it was open; 0 when it was not opened
 */
export function nextStart(failures: number, ranMs: number, { restarts, backoffMs }: RestartRules): NextStart {
  if (ranMs >= backoffMs) return { kind: 'start', failures: 0, afterMs: 0 };
  if (failures >= restarts) return { kind: 'give-up' };
  return { kind: 'start', failures: failures + 1, afterMs: Math.min(backoffMs, (backoffMs / 32) * 2 ** failures) };
}
