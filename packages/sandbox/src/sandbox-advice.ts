import { readFileSync } from 'node:fs';

export type ProbeCause = 'not-linux' | 'missing' | 'too-old' | 'no-namespaces' | 'leaks' | 'failed';

/** What the advice depends on. */
export interface Machine {
  /** `ID` and `ID_LIKE` of os-release(5), in this order. */
  readonly distributions: readonly string[];
  readonly isRoot: boolean;
  readonly inContainer: boolean;
  /** Ubuntu 23.10 and later: kernel.apparmor_restrict_unprivileged_userns. */
  readonly appArmorRestricts: boolean;
  /** Debian's kernel.unprivileged_userns_clone, or user.max_user_namespaces, is 0. */
  readonly namespacesDisabled: boolean;
}

const installCommands: readonly (readonly [distribution: string, command: string])[] = [
  ['debian', 'apt-get install bubblewrap'],
  ['ubuntu', 'apt-get install bubblewrap'],
  ['fedora', 'dnf install bubblewrap'],
  ['rhel', 'dnf install bubblewrap'],
  ['alpine', 'apk add bubblewrap'],
  ['arch', 'pacman -S bubblewrap'],
  ['suse', 'zypper install bubblewrap'],
  ['opensuse', 'zypper install bubblewrap'],
];

/** The next step for whoever runs the server on this machine: a sentence or two. */
export function nextStepFor(cause: ProbeCause, machine: Machine = readMachine()): string {
  const sudo = machine.isRoot ? '' : 'sudo ';
  switch (cause) {
    case 'not-linux':
      return 'Run the server on Linux, or choose the boundary to be only declared.';
    case 'missing':
      return `Install it: ${sudo}${installCommand(machine)}, and start the server again.`;
    case 'too-old':
      return `Install a newer one (it needs --bind-fd): ${sudo}${installCommand(machine)}, and start the server again.`;
    case 'no-namespaces':
      return namespaceStep(machine, sudo);
    case 'leaks':
      return 'Do not run agents here that must be confined, and report this with the output of "reeve doctor --json".';
    case 'failed':
      return 'See what "bwrap --unshare-all --ro-bind / / true" says, and report it with the output of "reeve doctor --json".';
  }
}

function installCommand({ distributions }: Machine): string {
  const found = distributions.flatMap((name) => installCommands.filter(([distribution]) => distribution === name));
  return found[0]?.[1] ?? 'install the package "bubblewrap" with the package manager of this system';
}

function namespaceStep(machine: Machine, sudo: string): string {
  if (machine.inContainer) {
    return 'Start this container so that it may make user namespaces: docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined (podman: --security-opt unmask=ALL), or run the server outside of it.';
  }
  if (machine.appArmorRestricts) {
    return `AppArmor restricts user namespaces here: allow them to bubblewrap with the profile of the package apparmor-profiles (${sudo}apt-get install apparmor-profiles && ${sudo}ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && ${sudo}systemctl reload apparmor), or to all with ${sudo}sysctl -w kernel.apparmor_restrict_unprivileged_userns=0.`;
  }
  if (machine.namespacesDisabled) {
    return `Allow user namespaces: ${sudo}sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=15000, and in /etc/sysctl.d to keep it.`;
  }
  return 'Allow user namespaces on this machine (sysctl user.max_user_namespaces, and the security module in use), and start the server again.';
}

export function readMachine(): Machine {
  const setting = (name: string) => read(`/proc/sys/${name}`)?.trim();
  return {
    distributions: distributionsIn(read('/etc/os-release') ?? ''),
    isRoot: process.getuid?.() === 0,
    inContainer:
      read('/run/.containerenv') !== undefined ||
      read('/.dockerenv') !== undefined ||
      /docker|kubepods|libpod|lxc/.test(read('/proc/1/cgroup') ?? ''),
    appArmorRestricts: setting('kernel/apparmor_restrict_unprivileged_userns') === '1',
    namespacesDisabled:
      setting('kernel/unprivileged_userns_clone') === '0' || setting('user/max_user_namespaces') === '0',
  };
}

/** @param osRelease the text of /etc/os-release. */
export function distributionsIn(osRelease: string): readonly string[] {
  const value = (name: string) => new RegExp(`^${name}=["']?([^"'\\n]*)`, 'm').exec(osRelease)?.[1] ?? '';
  return `${value('ID')} ${value('ID_LIKE')}`.split(' ').filter((name) => name !== '');
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
