import type { BoundaryNetwork, PreviewedEnforcement, SandboxReport } from '@reeve/protocol';

/** What the agent's own entry comes to in its place. */
export interface ForeseenConfinement {
  readonly require: 'enforced' | 'declared';
  readonly network: BoundaryNetwork;
  readonly gaps: readonly string[];
}

export interface ForeseenEnforcement {
  readonly told: PreviewedEnforcement;
  /** Why no agent is started there, with the next step. */
  readonly refusal?: string;
}

const UNCONFINED = [
  'files: the agent can read and write whatever the user of the server can',
  'network: the agent can reach every address, loopback included',
  'limits: memory, processor time and the number of processes are not bounded',
];
const SWAPPED = 'files: a root that is swapped for a symlink while the agent starts is followed';
const BY_BACKEND: Readonly<Record<PreviewedEnforcement['backend'], readonly string[]>> = {
  bubblewrap: [],
  container: [SWAPPED],
  seatbelt: [SWAPPED],
  landlock: [
    'files: names, sizes and times outside of the boundary can be asked for, though not what is in the files',
    SWAPPED,
  ],
  none: UNCONFINED,
};
const FULL_NETWORK = 'network: the agent may reach all that the server reaches, services of this machine too';

/**
 * What would hold an agent, from what the sandbox is found to do on this machine. What a process is held by is known only of one that
 * runs. @param confinement undefined where the agent is not started whatever the sandbox can do
 */
export function foreseeEnforcement(
  { backend, usable, reason, nextStep, limitGaps }: SandboxReport,
  confinement: ForeseenConfinement | undefined,
): ForeseenEnforcement {
  const full = confinement?.network === 'full';
  const held = backend === 'none' ? 'declared' : backend === 'bubblewrap' ? 'enforced' : 'partial';
  const told: PreviewedEnforcement = {
    backend,
    files: held,
    network: full ? 'declared' : held,
    gaps: [
      ...BY_BACKEND[backend],
      ...(full && backend !== 'none' ? [FULL_NETWORK] : []),
      ...(backend === 'none' ? [] : limitGaps),
      ...(confinement?.gaps ?? []),
    ],
  };
  if (usable || confinement === undefined || confinement.require === 'declared') return { told };
  const why = `the boundary must be enforced, and no sandbox works here: ${reason ?? 'unknown cause'}`;
  return { told, refusal: [why, nextStep ?? 'Run "reeve doctor" on the server.'].join('. ') };
}
