import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The files to read, for tests; those of the kernel unless given. */
export interface CgroupFiles {
  readonly membership: string;
  readonly mounts: string;
}

const kernelFiles: CgroupFiles = { membership: '/proc/self/cgroup', mounts: '/proc/self/mountinfo' };
const needed = ['memory', 'pids'];

/**
 * The directory below which the server may make cgroups with memory and pids controllers: the parent of its own cgroup,
 * where that is a unit with no process of its own, as systemd makes it with `Delegate=yes` and `DelegateSubgroup=`.
 * Others are not ours to divide, even where root could. Switches the two controllers on for what lies below.
 */
export function findDelegatedCgroup(files: CgroupFiles = kernelFiles): string | undefined {
  try {
    const own = /^0::(\/.*)$/m.exec(readFileSync(files.membership, 'utf8'))?.[1];
    const mount = /^\S+ \S+ \S+ (\/\S*) (\S+) .* - cgroup2 /m.exec(readFileSync(files.mounts, 'utf8'));
    if (own === undefined || mount?.[1] !== '/' || mount[2] === undefined) return undefined;
    const unit = dirname(own);
    if (!/\.(service|scope)$/.test(basename(unit))) return undefined;

    const directory = join(mount[2], unit);
    const words = (file: string) => readFileSync(join(directory, file), 'utf8').split(/\s+/).filter(Boolean);
    accessSync(directory, constants.W_OK);
    if (words('cgroup.procs').length > 0 || !hasAll(words('cgroup.controllers'))) return undefined;
    if (!hasAll(words('cgroup.subtree_control')))
      writeFileSync(join(directory, 'cgroup.subtree_control'), needed.map((name) => `+${name}`).join(' '));
    return hasAll(words('cgroup.subtree_control')) ? directory : undefined;
  } catch {
    return undefined; // No cgroup v2, or not ours.
  }
}

function hasAll(controllers: readonly string[]): boolean {
  return needed.every((name) => controllers.includes(name));
}
