import { findCommand, locateCommand } from '../command-path.ts';
import type { EgressPlan } from '../egress/egress-plan.ts';
import type { GitSearchLimits } from '../git-search.ts';
import type { Launch, StartOptions } from '../launch.ts';
import type { LimitsMachine } from '../limits/limits-machine.ts';
import { planLimits } from '../limits/plan-limits.ts';
import { markerVariable } from '../process-marker.ts';
import type { Profile } from '../profile.ts';
import { seccompArchitecture, seccompFilter } from '../seccomp/seccomp-filter.ts';
import { type StartFailure, startFailure } from '../start-failure.ts';
import { type ControlDescriptors, confinedArguments, containedArguments } from './bubblewrap-arguments.ts';
import type { Confinement } from './confinement.ts';
import type { Mount } from './mount.ts';
import { planMounts } from './mount-plan.ts';
import { resolved } from './open-place.ts';
import type { OsRuntime } from './os-runtime.ts';
import { createPassedDescriptors, type PassedDescriptors } from './passed-descriptors.ts';

export interface ContainedLaunch {
  /** Path of bubblewrap. */
  readonly program: string;
  readonly launch: Launch;
}

export interface ConfinedLaunch extends ContainedLaunch {
  readonly profile: Profile;
}

/** How to run bubblewrap for one launch. Its own environment is empty. */
export interface PreparedLaunch {
  readonly kind: 'prepared';
  /** Path of bubblewrap. */
  readonly program: string;
  readonly args: readonly string[];
  /** Command lines of the programs that come before the real one and become it, as /proc shows them. */
  readonly stages: readonly string[];
  readonly confinement: Confinement | undefined;
}

/** What this machine has for every sandbox. */
export interface SandboxHost {
  readonly runtime: OsRuntime;
  readonly limits: LimitsMachine;
  /** How far it is looked for what git runs; gitSearchLimits unless given. */
  readonly gitSearch?: GitSearchLimits | undefined;
}

/** The numbers of the pipes in bubblewrap, the first after stdio; what is passed follows. */
export const control: ControlDescriptors & { readonly channel: number } = { status: 3, barrier: 4, channel: 5 };
const firstPassed = 6;

export function passedDescriptors(): PassedDescriptors {
  return createPassedDescriptors(firstPassed);
}

/** A launch whose tree is contained and that is otherwise as free as the server. */
export async function prepareContained(
  { program, launch }: ContainedLaunch,
  passed: PassedDescriptors,
): Promise<PreparedLaunch | StartFailure> {
  const located = await locateCommand(launch);
  if (located.kind === 'failed') return located;
  const { path } = located;
  const options = [...containedArguments(launch.cwd, control), ...variables(launch.env)];
  const args = wrapped(options, [path, ...launch.args], passed);
  return 'kind' in args ? args : { kind: 'prepared', program, args, stages: [], confinement: undefined };
}

/** The proxy and the gate of lists of hosts: loaded with the first list, for a server starts sooner without. */
const egressRoom = () => import('../egress/egress-plan.ts');

/** A launch inside its profile. The roots are checked first, so that one which is gone is told as such. */
export async function prepareConfined(
  { program, launch, profile }: ConfinedLaunch,
  host: SandboxHost,
  passed: PassedDescriptors,
  { onEgress = () => {}, egressLimits }: StartOptions = {},
): Promise<PreparedLaunch | StartFailure> {
  const { network, nestedSandbox = false, home } = profile;
  const mounted = await planMounts(profile, host, passed);
  if (mounted.kind === 'failed') return mounted;
  const located = await (launch.cwd === home.path ? findCommand(launch) : locateCommand(launch));
  if (located.kind === 'failed') return located;
  const { path } = located;
  const unseen = [path, resolved(path)].find((place) => !mounted.shows(place));
  if (unseen !== undefined) {
    return startFailure(
      'not-visible',
      `"${unseen}" is not shown inside the sandbox: add its directory to "sandbox.readOnly" of its entry, or to the roots.`,
    );
  }
  if (launch.cwd !== home.path && ![launch.cwd, resolved(launch.cwd)].every(mounted.shows)) {
    return startFailure(
      'bad-cwd',
      `Working directory "${launch.cwd}" is not shown inside the sandbox: choose one within the roots.`,
    );
  }
  const planned =
    typeof network === 'string'
      ? undefined
      : (await egressRoom()).planEgress({
          allow: network.allow,
          channel: control.channel,
          onDecision: onEgress,
          ...(egressLimits === undefined ? {} : { limits: egressLimits }),
        });
  if (planned?.kind === 'refused') return startFailure('refused', planned.message);
  const egress = planned?.plan;
  const limits = planLimits(profile.limits, host.limits, { ownUserNamespace: true });
  const arch = seccompArchitecture();

  const limited = [...limits.prefix, path, ...launch.args];
  const gated = egress === undefined ? undefined : egress.wrap(limited[0] ?? path, limited.slice(1));
  const command = gated === undefined ? limited : [gated.command, ...gated.args];
  const fullNetwork = network === 'full';
  const options = confinedArguments(
    {
      runtime: host.runtime,
      mounts: [...mounted.mounts, ...(egress === undefined ? [] : [gateFile(egress, passed)])],
      passwd: passed.passData(passwdText(home.path)),
      group: passed.passData(groupText()),
      hosts: fullNetwork ? undefined : passed.passData('127.0.0.1 localhost sandbox\n::1 localhost\n'),
      fullNetwork,
      nestedSandbox,
      seccomp: arch === undefined ? undefined : passed.passData(seccompFilter({ arch, nestedSandbox })),
      cwd: launch.cwd,
      tmpBytes: profile.limits.tmpBytes,
    },
    control,
  );
  const args = wrapped(
    [
      ...options,
      ...(egress?.unsetEnv ?? []).flatMap((name) => ['--unsetenv', name]),
      ...variables({ ...launch.env, ...egress?.env, HOME: home.path }),
    ],
    command,
    passed,
  );
  if ('kind' in args) return args;
  return {
    kind: 'prepared',
    program,
    args,
    stages: [command, limited].filter((words) => words.length > launch.args.length + 1).map(commandLine),
    confinement: {
      profile,
      absent: mounted.absent,
      held: mounted.held,
      limits,
      egress,
      gaps: {
        files: [
          ...mounted.gaps,
          ...(nestedSandbox
            ? ['files: in a sandbox of its own the process may undo what is read-only inside of its read-write roots']
            : []),
        ],
        network: egress?.gaps ?? [],
        kernel: [
          ...(arch === undefined ? [`system calls: there is no filter for the architecture ${process.arch}`] : []),
          ...(nestedSandbox
            ? ['sandbox: the process may build namespaces of its own, in which it reaches more of the kernel']
            : []),
        ],
      },
    },
  };
}

/**
 * The options go through a descriptor, since a command line can be read inside, in /proc/1/cmdline. So does the
 * environment: in bubblewrap's own, LD_PRELOAD and the like would run code outside of the sandbox.
 */
function wrapped(
  options: readonly string[],
  command: readonly string[],
  passed: PassedDescriptors,
): readonly string[] | StartFailure {
  if ([...options, ...command].some((word) => word.includes('\0'))) {
    return startFailure(
      'refused',
      'The launch has a NUL character in its arguments, environment or paths: remove it. Nothing was started.',
    );
  }
  const descriptor = passed.passData(options.map((option) => `${option}\0`).join(''));
  return ['--args', `${descriptor}`, '--', ...command];
}

/** But the marker, which bubblewrap itself has and passes on. */
function variables({ [markerVariable]: _marker, ...env }: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]);
}

function gateFile({ file }: EgressPlan, passed: PassedDescriptors): Mount {
  return { kind: 'file', path: file.path, descriptor: passed.passData(file.data), mode: file.mode.toString(8) };
}

function commandLine(words: readonly string[]): string {
  return words.map((word) => `${word}\0`).join('');
}

/** passwd(5): the user of the server, and nobody, who owns inside what belongs to others outside. */
function passwdText(home: string): string {
  const [user, group] = ids();
  const own = user === 0 ? 'root' : 'user';
  return `${own}:x:${user}:${group}:${own}:${home}:/bin/sh\n${user === 65534 ? '' : 'nobody:x:65534:65534:nobody:/:/bin/sh\n'}`;
}

function groupText(): string {
  const [, group] = ids();
  return `${group === 0 ? 'root' : 'user'}:x:${group}:\n${group === 65534 ? '' : 'nogroup:x:65534:\n'}`;
}

function ids(): readonly [user: number, group: number] {
  return [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
}
