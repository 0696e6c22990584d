import type { Cell } from './cell.ts';

/** One line of what an ACP v1 agent owes its client. */
export interface Check {
  /** That of the public conformance kit where it has one; `REEVE-…` for what this suite adds. */
  readonly id: string;
  /** M: mandatory. C: if the capability is advertised. A: advisory. */
  readonly level: 'M' | 'C' | 'A';
  readonly holds: string;
  /** Whether the agent has what the line is about; a line without it is about every agent. */
  readonly applies?: (cell: Cell) => boolean;
  /** Rejects with what is broken. Lines run in their order, on the connections and sessions of one cell. */
  readonly run: (cell: Cell) => Promise<void>;
}
