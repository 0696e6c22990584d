import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory of one process in MB (10^6 bytes), as Linux counts it; NaN where /proc does not tell. */
export function residentMb(pid: number): number {
  return memoryMb(pid, 'status', /^VmRSS:\s*(\d+) kB/m);
}

/**
 * What the processes take from the machine, in MB: each page that several share is counted in parts (Pss), so that a sum over processes
 * means something.
 */
export function shareMb(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + memoryMb(pid, 'smaps_rollup', /^Pss:\s*(\d+) kB/m), 0);
}

/** Processor time that a process and its threads have used, ms, in steps of 10; NaN where /proc does not tell. */
export function processorMs(pid: number): number {
  const fields = statOf(pid);
  return fields === undefined ? Number.NaN : (Number(fields[11]) + Number(fields[12])) * 10;
}

/**
 * The same of a process with one thread, to the nanosecond: where many processes use less than a step each, their sum would else be 0.
 */
export function singleThreadMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return Number.NaN;
  }
}

/** All descendants of a process that run now. */
export function descendants(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = Number(statOf(Number(entry))?.[1]);
    if (!Number.isNaN(parent)) children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const found: number[] = [];
  const visit = (of: number): void => {
    for (const child of children.get(of) ?? []) {
      found.push(child);
      visit(child);
    }
  };
  visit(pid);
  return found;
}

/** The command line, words separated by spaces; empty when the process is gone. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Memory over time, every 50 ms, until it is stopped. */
export function watchMemory(pid: number): { stop(): { readonly peakMb: number } } {
  let peakMb = residentMb(pid);
  const timer = setInterval(() => {
    peakMb = Math.max(peakMb, residentMb(pid));
  }, 50);
  return {
    stop() {
      clearInterval(timer);
      return { peakMb };
    },
  };
}

/** The fields of /proc/PID/stat from `state` on (proc(5)). */
function statOf(pid: number): readonly string[] | undefined {
  try {
    // The name of the program stands in brackets and may hold anything: the fields begin after the last one.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function memoryMb(pid: number, file: string, line: RegExp): number {
  try {
    return (Number(line.exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))?.[1]) * 1024) / 1e6;
  } catch {
    return Number.NaN;
  }
}
