import { accessSync, constants } from 'node:fs';
import { release } from 'node:os';
import { findDelegatedCgroup } from './delegated-cgroup.ts';

/** What this machine has to hold limits with. */
export interface LimitsMachine {
  /** The server runs as the host's root, which the number of processes of a user does not bind. */
  readonly root: boolean;
  /** Path of util-linux' prlimit, outside and inside alike. */
  readonly prlimit: string | undefined;
  /** RLIMIT_NPROC binds this user, and counts each user namespace for itself (Linux 5.14). */
  readonly countsProcessesPerNamespace: boolean;
  /** Directory of a cgroup v2 that is delegated to the server, with the memory and pids controllers. */
  readonly cgroup: string | undefined;
  /** The memory and threads of processes can be read. */
  readonly canWatch: boolean;
}

const places = ['/usr/bin/prlimit', '/bin/prlimit', '/run/current-system/sw/bin/prlimit'];

export function readLimitsMachine(): LimitsMachine {
  const linux = process.platform === 'linux';
  const root = process.geteuid?.() === 0;
  return {
    root,
    prlimit: linux ? places.find(isExecutable) : undefined,
    countsProcessesPerNamespace: linux && !root && isKernelAtLeast(release(), 5, 14),
    cgroup: linux ? findDelegatedCgroup() : undefined,
    canWatch: linux,
  };
}

/** @param version as `uname -r` says it: "6.1.0-28-amd64". */
export function isKernelAtLeast(version: string, major: number, minor: number): boolean {
  const [, ours = '0', oursMinor = '0'] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(ours) > major || (Number(ours) === major && Number(oursMinor) >= minor);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
