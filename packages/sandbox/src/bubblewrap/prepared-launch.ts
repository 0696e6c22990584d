import { type Launch, type StartFailure, startFailure } from '../launch.ts';
import type { Profile } from '../profile.ts';
import { seccompArchitecture, seccompFilter } from '../seccomp/seccomp-filter.ts';
import { type ControlDescriptors, confinedArguments, containedArguments } from './bubblewrap-arguments.ts';
import { planMounts } from './mount-plan.ts';
import type { OsRuntime } from './os-runtime.ts';
import { createPassedDescriptors, type PassedDescriptors } from './passed-descriptors.ts';

/** How to run bubblewrap for one launch. */
export interface PreparedLaunch {
  readonly kind: 'prepared';
  readonly args: readonly string[];
  /** Beside the launch's own. */
  readonly env: Readonly<Record<string, string>>;
  /** Protected paths that did not exist. */
  readonly absent: readonly string[];
  /** What of the profile does not hold. */
  readonly gaps: readonly string[];
}

/** The numbers of the status and gate pipes in bubblewrap, the first after stdio; what is passed follows. */
export const control: ControlDescriptors = { status: 3, gate: 4 };
const firstPassed = 5;

export function passedDescriptors(): PassedDescriptors {
  return createPassedDescriptors(firstPassed);
}

/** A launch whose tree is contained and that is otherwise as free as the server. */
export function prepareContained(launch: Launch, path: string, passed: PassedDescriptors): PreparedLaunch {
  const args = wrapped(containedArguments(launch.cwd, control), path, launch, passed);
  return { kind: 'prepared', args, env: {}, absent: [], gaps: [] };
}

/**
 * A launch inside its profile.
 * @param path the command, found outside.
 */
export function prepareConfined(
  launch: Launch,
  profile: Profile,
  path: string,
  runtime: OsRuntime,
  passed: PassedDescriptors,
): PreparedLaunch | StartFailure {
  const plan = planMounts(profile, runtime, passed);
  if (plan.kind === 'failed') return plan;
  if (!plan.shows(path)) {
    return startFailure(
      'not-visible',
      `"${path}" is not shown inside the sandbox: add its directory to "sandbox.readOnly" of its entry, or to the roots.`,
    );
  }
  if (launch.cwd !== profile.home.path && !plan.shows(launch.cwd)) {
    return startFailure(
      'bad-cwd',
      `Working directory "${launch.cwd}" is not shown inside the sandbox: choose one within the roots.`,
    );
  }
  const { network, nestedSandbox = false, limits, home } = profile;
  const arch = seccompArchitecture();
  const fullNetwork = network === 'full';
  const options = confinedArguments(
    {
      runtime,
      mounts: plan.mounts,
      passwd: passed.passData(passwdText(home.path)),
      group: passed.passData(groupText()),
      hosts: fullNetwork ? undefined : passed.passData('127.0.0.1 localhost sandbox\n::1 localhost\n'),
      fullNetwork,
      nestedSandbox,
      seccomp: arch === undefined ? undefined : passed.passData(seccompFilter({ arch, nestedSandbox })),
      cwd: launch.cwd,
      tmpBytes: limits.tmpBytes,
    },
    control,
  );
  return {
    kind: 'prepared',
    args: wrapped(options, path, launch, passed),
    env: { HOME: home.path },
    absent: plan.absent,
    gaps: [
      ...plan.gaps,
      ...(arch === undefined ? [`system calls: there is no filter for the architecture ${process.arch}`] : []),
      ...(nestedSandbox
        ? ['sandbox: the process may build namespaces of its own, in which it reaches more of the kernel']
        : []),
    ],
  };
}

/** The options go through a descriptor: a command line can be read inside, in /proc/1/cmdline. */
function wrapped(
  options: readonly string[],
  path: string,
  launch: Launch,
  passed: PassedDescriptors,
): readonly string[] {
  const descriptor = passed.passData(options.map((option) => `${option}\0`).join(''));
  return ['--args', `${descriptor}`, '--', path, ...launch.args];
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
