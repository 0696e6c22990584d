import type { Mount } from './mount.ts';
import { etcPieces, type OsRuntime, resolverPieces } from './os-runtime.ts';

/** What the arguments of bubblewrap are made from. All descriptors are numbers in its own process. */
export interface ConfinedArguments {
  readonly runtime: OsRuntime;
  /** Outer before inner. */
  readonly mounts: readonly Mount[];
  /** Texts of /etc/passwd, /etc/group and, without the full network, /etc/hosts. */
  readonly passwd: number;
  readonly group: number;
  readonly hosts?: number | undefined;
  readonly fullNetwork: boolean;
  readonly nestedSandbox: boolean;
  /** The filter of system calls, in the binary form of seccomp(2). */
  readonly seccomp?: number | undefined;
  readonly cwd: string;
  readonly tmpBytes?: number | undefined;
}

/** Where bubblewrap tells its state, and what it reads to its end after the set-up, before it runs the program. */
export interface ControlDescriptors {
  readonly status: number;
  readonly barrier: number;
}

/**
 * An empty root with the runtime of the operating system, the mounts, and nothing else.
 *
 * All capabilities are dropped and user namespaces disabled, or the program could remount what is read-only, or
 * undo mounts from a namespace of its own. The sysctls of /proc/sys are read-only, or uid 0 could set core_pattern. A
 * session of its own keeps it from typing into the terminal of the server (TIOCSTI).
 */
export function confinedArguments(plan: ConfinedArguments, control: ControlDescriptors): readonly string[] {
  const { runtime } = plan;
  const linked = new Set(runtime.links.map(({ path }) => path));
  const pieces = [...etcPieces, ...(plan.fullNetwork ? resolverPieces : [])].filter((path) => !linked.has(path));
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(plan.nestedSandbox ? [] : ['--disable-userns']),
    ...(plan.fullNetwork ? [] : ['--unshare-net']),
    ...['--cap-drop', 'ALL', '--new-session', '--die-with-parent', '--hostname', 'sandbox'],
    ...controlArguments(control),
    ...runtime.directories.flatMap((path) => ['--ro-bind', path, path]),
    ...runtime.links.flatMap(({ path, target }) => ['--symlink', target, path]),
    ...pieces.flatMap((path) => ['--ro-bind-try', path, path]),
    ...rootFile('/etc/passwd', plan.passwd),
    ...rootFile('/etc/group', plan.group),
    ...(plan.hosts === undefined ? [] : rootFile('/etc/hosts', plan.hosts)),
    ...['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys', '--dev', '/dev'],
    ...tmpfs({ kind: 'tmpfs', path: '/dev/shm', mode: '1777', bytes: plan.tmpBytes }),
    ...['--remount-ro', '/dev', '--dir', '/run'],
    ...plan.mounts.flatMap(mountArguments),
    // Only now: a root may lie below a path that is masked.
    ...plan.mounts.flatMap(({ kind, path }) => (kind === 'empty-directory' ? ['--remount-ro', path] : [])),
    ...['--remount-ro', '/'],
    ...(plan.seccomp === undefined ? [] : ['--seccomp', `${plan.seccomp}`]),
    ...['--chdir', plan.cwd],
  ];
}

/** Everything as it is outside, but a process namespace, so that no descendant can outlive bubblewrap. */
export function containedArguments(cwd: string, control: ControlDescriptors): readonly string[] {
  return [
    ...['--unshare-pid', '--die-with-parent', '--new-session', ...controlArguments(control)],
    ...['--dev-bind', '/', '/', '--proc', '/proc', '--chdir', cwd],
  ];
}

function controlArguments({ status, barrier }: ControlDescriptors): readonly string[] {
  return ['--json-status-fd', `${status}`, '--block-fd', `${barrier}`];
}

/** Copied into the root, which becomes read-only as a whole: a mount of its own would cost more. */
function rootFile(path: string, descriptor: number): readonly string[] {
  return ['--perms', '0444', '--file', `${descriptor}`, path];
}

function mountArguments(mount: Mount): readonly string[] {
  switch (mount.kind) {
    case 'bind':
      return [mount.access === 'rw' ? '--bind-fd' : '--ro-bind-fd', `${mount.descriptor}`, mount.path];
    case 'tmpfs':
      return tmpfs(mount);
    case 'empty-directory':
      return tmpfs({ kind: 'tmpfs', path: mount.path, mode: '0555', bytes: 4_096 });
    case 'file':
      return ['--perms', mount.mode ?? '0444', '--ro-bind-data', `${mount.descriptor}`, mount.path];
  }
}

function tmpfs({ path, mode, bytes }: Extract<Mount, { kind: 'tmpfs' }>): readonly string[] {
  return ['--perms', mode, ...(bytes === undefined ? [] : ['--size', `${bytes}`]), '--tmpfs', path];
}
