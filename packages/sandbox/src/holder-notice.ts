/** What an operator should see in the log, though nothing failed that was asked for. */
export type HolderNotice =
  /** A process passed a limit of its profile and is being ended. `seen` and `bound` are in the unit of the limit. */
  | {
      readonly kind: 'limit-exceeded';
      readonly pid: number;
      readonly limit: 'memoryBytes' | 'processes' | 'wallMs';
      readonly seen: number;
      readonly bound: number;
    }
  /** The guard died and another took over; between the two, a killed server would have left its children behind. */
  | { readonly kind: 'guard-restarted'; readonly code: number | null; readonly signal: string | null }
  /** The guard cannot be kept alive: until the next start tries again, children survive a server that is killed. */
  | { readonly kind: 'guard-lost'; readonly message: string }
  /** SIGKILL was sent this long ago and these are still there (stuck in the kernel); the wait goes on. */
  | { readonly kind: 'not-gone'; readonly pids: readonly number[]; readonly afterMs: number };
