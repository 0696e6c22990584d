/** What a process may do with a root: read and write below it, or read only. */
export type BoundaryAccess = 'rw' | 'ro';

/** One directory of a boundary. */
export interface BoundaryRoot {
  /** Absolute and canonical, with symlinks followed. */
  readonly path: string;
  readonly access: BoundaryAccess;
  /** For people. */
  readonly name?: string;
}

/** What may be reached over the network: nothing, everything that the server reaches, or the hosts named (`host[:port]`). */
export type BoundaryNetwork = 'none' | 'full' | { readonly allow: readonly string[] };

/** What one session's processes may touch. Roots are ordered: the first is where work happens. */
export interface Boundary {
  readonly roots: readonly BoundaryRoot[];
  readonly network: BoundaryNetwork;
  /** From 1; grows with every change. */
  readonly revision: number;
}
