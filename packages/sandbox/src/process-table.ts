import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { markerIn } from './process-marker.ts';

/** One live process; a zombie has no row, since nothing of it can run again. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Clock ticks after boot; with `pid`, the identity of a process. */
  readonly startedAt: number;
  /** From the environment it was last executed with; undefined when it has none or may not be read. */
  readonly marker: string | undefined;
}

/** The processes of this machine that began after this one. */
export interface ProcessTable {
  /** A table whose reading began after this call; concurrent calls share one reading. */
  read(): Promise<readonly ProcessRow[]>;
}

/** Undefined where the system has no /proc with environments (all but Linux). */
export function openProcessTable(): ProcessTable | undefined {
  const own = process.platform === 'linux' ? statOf(process.pid) : undefined;
  if (own === undefined) return undefined;

  const since = own.startedAt;
  let running: Promise<readonly ProcessRow[]> | undefined;
  let next: Promise<readonly ProcessRow[]> | undefined;
  const begin = () => {
    running = readRows(since).finally(() => {
      running = undefined;
    });
    return running;
  };
  return {
    read() {
      if (running === undefined) return begin();
      next ??= running.then(() => {
        next = undefined;
        return begin();
      });
      return next;
    },
  };
}

/** Synchronous reads, which are several times cheaper for /proc, in slices that let other work through. */
async function readRows(since: number): Promise<readonly ProcessRow[]> {
  const rows: ProcessRow[] = [];
  let visited = 0;
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    if (++visited % 64 === 0) await setImmediate();
    const stat = statOf(pid);
    if (stat === undefined || stat.startedAt < since || stat.state === 'Z' || stat.state === 'X') continue;
    const { parent, group, startedAt } = stat;
    rows.push({ pid, parent, group, startedAt, marker: markerOf(pid) });
  }
  return rows;
}

interface ProcessStat {
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly startedAt: number;
}

/** Undefined when there is no such process. */
export function parentOf(pid: number): number | undefined {
  return statOf(pid)?.parent;
}

/** Clock ticks after boot; undefined when there is no such process, or nothing of it can run again. */
export function startedAt(pid: number): number | undefined {
  const stat = statOf(pid);
  return stat === undefined || stat.state === 'Z' || stat.state === 'X' ? undefined : stat.startedAt;
}

/** proc_pid_stat(5): the name, in parentheses, may itself hold spaces and parentheses. */
function statOf(pid: number): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return {
      state: fields[0] ?? 'X',
      parent: Number(fields[1]),
      group: Number(fields[2]),
      startedAt: Number(fields[19]),
    };
  } catch {
    return undefined; // Gone meanwhile, or hidden from this user.
  }
}

function markerOf(pid: number): string | undefined {
  try {
    return markerIn(readFileSync(`/proc/${pid}/environ`));
  } catch {
    return undefined;
  }
}
