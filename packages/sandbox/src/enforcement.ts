/**
 * What confines one process: a fact about it, not a wish. `declared` means that the boundary is only told to the
 * process and nothing holds it there; each gap is a sentence for the person who decides whether that will do.
 */
export type Enforcement = {
  readonly backend: 'none';
  readonly fs: 'declared';
  readonly network: 'declared';
  readonly limits: 'declared';
  readonly gaps: readonly string[];
};

const confinementGaps = [
  'files: the process can read and write whatever the user of the server can',
  'network: the process can reach every address, loopback included',
  'limits: memory, processor time and the number of processes are not bounded',
];

/** @param findsLeavers whether descendants that left the process group are found (process-table.ts). */
export function unconfined(findsLeavers: boolean): Enforcement {
  const treeGap = findsLeavers
    ? 'tree: a descendant that leaves the process group, clears its environment and outlives its parent is not stopped'
    : 'tree: a descendant that leaves the process group is not stopped, since this system has no /proc to find it in';
  return Object.freeze({
    backend: 'none',
    fs: 'declared',
    network: 'declared',
    limits: 'declared',
    gaps: Object.freeze([...confinementGaps, treeGap]),
  });
}
