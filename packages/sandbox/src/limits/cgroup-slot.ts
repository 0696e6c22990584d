import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CgroupLimits } from './plan-limits.ts';

/** A cgroup for one process tree. Disposing ends what is left in it and removes it. */
export interface CgroupSlot extends AsyncDisposable {
  readonly directory: string;
  /** Stands before the command that starts the sandbox, outside of it: joins the cgroup and executes the rest. */
  readonly prefix: readonly string[];
}

const removeAttempts = 40;
const removePauseMs = 25;

/**
 * Makes a cgroup below a delegated one (delegated-cgroup.ts). Throws where the kernel refuses.
 * @param name one path segment that no other slot has.
 */
export function openCgroupSlot(delegated: string, name: string, limits: CgroupLimits): CgroupSlot {
  const directory = join(delegated, name);
  mkdirSync(directory);
  const set = (file: string, value: number) => writeFileSync(join(directory, file), String(value));
  if (limits.memoryBytes !== undefined) {
    set('memory.max', limits.memoryBytes);
    // The tree ends as one, rather than losing a process that others wait for; swap would only make it end later.
    set('memory.oom.group', 1);
    if (existsSync(join(directory, 'memory.swap.max'))) set('memory.swap.max', 0);
  }
  if (limits.processes !== undefined) set('pids.max', limits.processes);
  return {
    directory,
    prefix: ['/bin/sh', '-c', 'echo 0 >"$0/cgroup.procs" && exec "$@"', directory],
    async [Symbol.asyncDispose]() {
      for (let attempt = 0; attempt < removeAttempts && existsSync(directory); attempt += 1) {
        try {
          rmdirSync(directory);
        } catch {
          // Busy until the last process is gone (cgroup.kill: Linux 5.14).
          if (existsSync(join(directory, 'cgroup.kill'))) writeFileSync(join(directory, 'cgroup.kill'), '1');
          await delay(removePauseMs);
        }
      }
    },
  };
}
