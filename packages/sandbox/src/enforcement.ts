import type { Confinement } from './bubblewrap/confinement.ts';
import type { LimitsTier } from './limits/limits-tier.ts';
import type { LimitsPlan } from './limits/plan-limits.ts';
import type { Profile } from './profile.ts';

/** How well something holds: by the operating system, by it with the gaps listed, or only told to the process. */
export type EnforcementLevel = 'enforced' | 'partial' | 'declared';

export type SandboxBackend = 'bubblewrap' | 'container' | 'seatbelt' | 'landlock' | 'none';

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

/** Of a process inside its profile under bubblewrap. */
export function confined({ profile, limits, gaps }: Confinement): Enforcement {
  const full = profile.network === 'full';
  const held = heldLimits(profile, limits);
  return Object.freeze({
    backend: 'bubblewrap',
    fs: gaps.files.length === 0 ? 'enforced' : 'partial',
    network: full ? 'declared' : gaps.network.length === 0 ? 'enforced' : 'partial',
    limits: held.limits,
    limitsTier: held.limitsTier,
    gaps: Object.freeze([
      ...gaps.files,
      ...gaps.network,
      ...gaps.kernel,
      ...(full
        ? ['network: the process is granted all of the network of the server, with its loopback and abstract sockets']
        : []),
      ...held.gaps,
    ]),
  });
}

export interface WrappedFacts {
  readonly backend: 'container' | 'seatbelt' | 'landlock';
  readonly profile: Profile;
  readonly limits: LimitsPlan;
  /** How well a network that is not granted in full is held. */
  readonly network: EnforcementLevel;
  readonly gaps: readonly string[];
}

/** Of a process inside its profile by another backend, each of which leaves gaps about files. */
export function wrapped({ backend, profile, limits, network, gaps }: WrappedFacts): Enforcement {
  const held = heldLimits(profile, limits);
  return Object.freeze({
    backend,
    fs: 'partial',
    network: profile.network === 'full' ? 'declared' : network,
    limits: held.limits,
    limitsTier: held.limitsTier,
    gaps: Object.freeze([...gaps, ...held.gaps]),
  });
}

function heldLimits(profile: Profile, plan: LimitsPlan): Pick<Enforcement, 'limits' | 'limitsTier' | 'gaps'> {
  const tiers = limitNames.filter((name) => profile.limits[name] !== undefined).map((name) => plan.tiers[name]);
  const held = tiers.every((tier) => tier === 'cgroup' || tier === 'prlimit') ? 'enforced' : 'partial';
  return {
    limits: tiers.every((tier) => tier === 'none') ? 'declared' : held,
    limitsTier: tierOrder.find((tier) => tiers.includes(tier)) ?? 'none',
    gaps: [
      ...plan.gaps,
      ...(tiers.length === 0 ? ['limits: memory, processor time and the number of processes are not bounded'] : []),
    ],
  };
}

const limitNames = ['memoryBytes', 'processes', 'fileBytes', 'openFiles', 'wallMs'] as const;
/** The weakest first. */
const tierOrder: readonly LimitsTier[] = ['none', 'watchdog', 'prlimit', 'cgroup'];
