import type { Profile, SandboxLimits } from './profile.ts';

/** How well something holds: by the operating system, by it with the gaps listed, or only told to the process. */
export type EnforcementLevel = 'enforced' | 'partial' | 'declared';

export type SandboxBackend = 'bubblewrap' | 'container' | 'seatbelt' | 'landlock' | 'none';

/** What holds the limits: a cgroup the whole tree, prlimit each process, the watchdog by looking again and again. */
export type LimitsTier = 'cgroup' | 'prlimit' | 'watchdog' | 'none';

/**
 * What confines one process: a fact about it, not a wish. `declared` means that the boundary is only told to the
 * process and nothing holds it there; each gap is a sentence for the person who decides whether that will do.
 */
export interface Enforcement {
  readonly backend: SandboxBackend;
  readonly fs: EnforcementLevel;
  readonly network: EnforcementLevel;
  readonly limits: EnforcementLevel;
  readonly limitsTier: LimitsTier;
  readonly gaps: readonly string[];
}

const confinementGaps = [
  'files: the process can read and write whatever the user of the server can',
  'network: the process can reach every address, loopback included',
  'limits: memory, processor time and the number of processes are not bounded',
];

/** How a process that nothing confines is held: in a process namespace of its own, or found again by looking. */
export type TreeHold = 'contained' | 'found' | 'group-only';

const treeGaps: Readonly<Record<TreeHold, readonly string[]>> = {
  contained: [],
  found: [
    'tree: a descendant that leaves the process group, clears its environment and outlives its parent is not stopped',
  ],
  'group-only': [
    'tree: a descendant that leaves the process group is not stopped, since this system has no /proc to find it in',
  ],
};

export function unconfined(hold: TreeHold): Enforcement {
  return Object.freeze({
    backend: 'none',
    fs: 'declared',
    network: 'declared',
    limits: 'declared',
    limitsTier: 'none',
    gaps: Object.freeze([...confinementGaps, ...treeGaps[hold]]),
  });
}

const limitNames = [
  'memoryBytes',
  'processes',
  'fileBytes',
  'openFiles',
  'wallMs',
] as const satisfies (keyof SandboxLimits)[];

/** Of a process inside its profile under bubblewrap. @param gaps what of the profile does not hold. */
export function confined({ network, limits }: Profile, gaps: readonly string[]): Enforcement {
  const full = network === 'full';
  const bounded = limitNames.some((name) => limits[name] !== undefined);
  return Object.freeze({
    backend: 'bubblewrap',
    fs: gaps.length === 0 ? 'enforced' : 'partial',
    network: full ? 'declared' : 'enforced',
    limits: 'declared',
    limitsTier: 'none',
    gaps: Object.freeze([
      ...gaps,
      ...(full
        ? ['network: the process is granted the network of the server, loopback and abstract sockets included']
        : []),
      ...(bounded ? [] : ['limits: memory, processor time and the number of processes are not bounded']),
    ]),
  });
}
