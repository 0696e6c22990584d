import type { BoundaryNetwork, SessionBoundary } from '@reeve/protocol';

/** The boundary of a session with its network rule settled. Roots are ordered: the first is where work happens. */
export interface Boundary extends SessionBoundary {
  readonly network: BoundaryNetwork;
}
