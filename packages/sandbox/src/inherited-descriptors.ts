import { openSync, readdirSync, readFileSync } from 'node:fs';

const closeOnExec = 0o2000000; // O_CLOEXEC of proc_pid_fdinfo(5).

/**
 * What stands in a child's descriptors from 3 on: normally nothing. Descriptors with which this process was itself
 * started and which a child would inherit (Node marks only the low ones) are covered by /dev/null.
 * Linux only; elsewhere the answer is empty.
 */
export function coverInheritedDescriptors(): readonly (number | 'ignore')[] {
  const leaking = inheritableDescriptors();
  if (leaking.length === 0) return [];
  const devNull = openSync('/dev/null', 'r+');
  const highest = Math.max(...leaking);
  return Array.from({ length: highest - 2 }, (_, index) => (leaking.includes(index + 3) ? devNull : 'ignore'));
}

function inheritableDescriptors(): readonly number[] {
  if (process.platform !== 'linux') return [];
  try {
    return readdirSync('/proc/self/fd').map(Number).filter(isInheritable);
  } catch {
    return [];
  }
}

function isInheritable(descriptor: number): boolean {
  if (descriptor < 3) return false;
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))?.[1] ?? '0';
    return (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    return false; // The descriptor of the listing itself.
  }
}
