/*
 * Of the control API (`/v1`), as JSON. Times are milliseconds since the epoch. Readers keep members that they do not know.
 */

/** `GET /v1/health`. Who has no token is told the status alone. */
export interface Health {
  readonly status: 'ok' | 'stopping';
  readonly version: string;
  readonly pid: number;
  readonly uptimeMs: number;
}

/** What holds one limit of a process; `none`: nothing here can. */
export type LimitHolder = 'cgroup' | 'prlimit' | 'watchdog' | 'none';

/** What one backend can do on the machine of the server. */
export interface BackendReport {
  readonly backend: 'bubblewrap' | 'container' | 'seatbelt' | 'landlock';
  readonly usable: boolean;
  /** Whether a boundary counts as enforced by it. */
  readonly enforces: boolean;
  /** What was found: a version, a path. */
  readonly found?: string;
  /** Why it is not usable, and what to do where something can be done. */
  readonly reason?: string;
  readonly nextStep?: string;
}

/** `GET /v1/sandbox`: what the machine of the server can hold a boundary with, found by trying. */
export interface SandboxReport {
  /** What is used; `none`: boundaries are only declared. */
  readonly backend: BackendReport['backend'] | 'none';
  /** Whether a boundary can be enforced. */
  readonly usable: boolean;
  /** Whether a process without a boundary at least ends with its whole tree. */
  readonly contains: boolean;
  readonly reason?: string;
  readonly nextStep?: string;
  /** In the order in which they are taken. */
  readonly backends: readonly BackendReport[];
  /** What would hold each limit under bubblewrap: `memoryBytes`, `processes`, `fileBytes`, `openFiles`, `wallMs`. */
  readonly limits: { readonly [limit: string]: LimitHolder };
  /** What of the limits does not hold, a sentence each. */
  readonly limitGaps: readonly string[];
  /** Whether there is a filter of system calls for this architecture. */
  readonly systemCallFilter: boolean;
  /** Whether a network rule that lists hosts can be held. */
  readonly allowLists: boolean;
}
