import type { TestReference } from './requirement.ts';

interface Promised {
  readonly promise: string;
  readonly tests: readonly TestReference[];
}

/** One capability of a session: what a client gets of it from an agent that has it, and from one that lacks it. */
export interface SurfaceRow {
  /** The row of protocol section 1, and of the extension strategy before it. */
  readonly capability: string;
  /** Absent where no agent has it: it is Reeve's own. */
  readonly has?: Promised;
  /** Absent where ACP asks it of every agent. */
  readonly lacks?: Promised;
  /** Where a client reads that it is there. */
  readonly announced: string;
}
