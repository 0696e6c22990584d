import type { SandboxLimits } from '../profile.ts';
import type { LimitsMachine } from './limits-machine.ts';
import type { LimitsTier } from './limits-tier.ts';
import type { WatchedLimits } from './watch-limits.ts';

/** What holds each limit that was given; `none` for one that was not, or that nothing here can hold. */
export interface LimitTiers {
  readonly memoryBytes: LimitsTier;
  readonly processes: LimitsTier;
  readonly fileBytes: LimitsTier;
  readonly openFiles: LimitsTier;
  /** The server's clock. It ends with the server, and so does the process. */
  readonly wallMs: LimitsTier;
}

/** How the limits of one process are held, and what of them is not. */
export interface LimitsPlan {
  /**
   * Stands before the program, inside of the sandbox and its user namespace: sets rlimits and executes the rest.
   * Empty where nothing is to be set. Core dumps are always switched off by it.
   */
  readonly prefix: readonly string[];
  /** What a cgroup of its own must hold (cgroup-slot.ts); undefined where none is delegated or nothing is asked of it. */
  readonly cgroup: CgroupLimits | undefined;
  /** What must be looked at while it runs (watch-limits.ts). */
  readonly watch: WatchedLimits;
  readonly tiers: LimitTiers;
  readonly gaps: readonly string[];
}

export interface CgroupLimits {
  readonly memoryBytes?: number;
  readonly processes?: number;
}

/** Where the program will run. */
export interface LimitsPlace {
  /** In a user namespace of its own: the number of processes of a user is counted for each. */
  readonly ownUserNamespace: boolean;
}

/**
 * Plans by the best tier that the machine has.
 *
 * Memory has no rlimit here. RLIMIT_AS and RLIMIT_DATA count what a program reserves, and runtimes reserve without use:
 * measured, opencode 69 GiB and claude 5.3 GiB of RLIMIT_DATA with 0.1 GiB in use. So a cgroup holds it or the watchdog.
 *
 * RLIMIT_NPROC counts per user, does not bind the host's root whatever it is called inside, and only since Linux 5.14
 * counts each user namespace for itself: elsewhere it would bind the user's other programs too, and is not used.
 */
export function planLimits(limits: SandboxLimits, machine: LimitsMachine, place: LimitsPlace): LimitsPlan {
  const { memoryBytes, processes, fileBytes, openFiles, wallMs } = limits;
  const { prlimit } = machine;
  const countsHere = prlimit !== undefined && machine.countsProcessesPerNamespace && place.ownUserNamespace;
  const inCgroup = machine.cgroup !== undefined;
  const looked: LimitsTier = machine.canWatch ? 'watchdog' : 'none';
  const tier = (given: number | undefined, held: LimitsTier): LimitsTier => (given === undefined ? 'none' : held);

  const tiers: LimitTiers = {
    memoryBytes: tier(memoryBytes, inCgroup ? 'cgroup' : looked),
    processes: tier(processes, inCgroup ? 'cgroup' : countsHere ? 'prlimit' : looked),
    fileBytes: tier(fileBytes, prlimit === undefined ? 'none' : 'prlimit'),
    openFiles: tier(openFiles, prlimit === undefined ? 'none' : 'prlimit'),
    wallMs: tier(wallMs, 'watchdog'),
  };
  return {
    prefix: prlimit === undefined ? [] : rlimitPrefix(prlimit, limits, tiers),
    cgroup: whenAny({
      ...(tiers.memoryBytes === 'cgroup' && { memoryBytes }),
      ...(tiers.processes === 'cgroup' && { processes }),
    } as CgroupLimits),
    watch: {
      ...(tiers.memoryBytes === 'watchdog' && { memoryBytes }),
      ...(tiers.processes === 'watchdog' && { processes }),
      ...(wallMs !== undefined && { wallMs }),
    } as WatchedLimits,
    tiers,
    gaps: gapsOf(limits, tiers, machine),
  };
}

function rlimitPrefix(prlimit: string, limits: SandboxLimits, tiers: LimitTiers): readonly string[] {
  const { processes, fileBytes, openFiles } = limits;
  return [
    prlimit,
    '--core=0:0',
    ...(tiers.processes === 'prlimit' ? [`--nproc=${processes}:${processes}`] : []),
    ...(fileBytes !== undefined ? [`--fsize=${fileBytes}:${fileBytes}`] : []),
    ...(openFiles !== undefined ? [`--nofile=${openFiles}:${openFiles}`] : []),
    '--',
  ];
}

function gapsOf(limits: SandboxLimits, tiers: LimitTiers, machine: LimitsMachine): readonly string[] {
  const gaps: string[] = [];
  if (tiers.memoryBytes === 'watchdog')
    gaps.push(
      'limits: memory is looked at several times a second, so a fast program can pass its limit for a moment, and files in memory that are not mapped are not counted; a delegated cgroup would hold it',
    );
  if (tiers.processes === 'watchdog')
    gaps.push(
      `limits: the number of processes is looked at several times a second, since ${machine.root ? 'the limit of the system does not bind root' : 'this system counts it for all programs of the user together'}`,
    );
  const unheld = Object.entries(tiers).filter(
    ([name, tier]) => tier === 'none' && limits[name as keyof LimitTiers] !== undefined,
  );
  for (const [name] of unheld)
    gaps.push(
      `limits: ${name} is not held here${machine.prlimit === undefined ? '; prlimit of util-linux would hold most' : ''}`,
    );
  return gaps;
}

function whenAny(limits: CgroupLimits): CgroupLimits | undefined {
  return Object.keys(limits).length === 0 ? undefined : limits;
}
