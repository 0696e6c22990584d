import { readFileSync } from 'node:fs';

/** What is looked at while a process tree runs. */
export interface WatchedLimits {
  /** Bytes in use by the tree: private and shared pages, files not counted. */
  readonly memoryBytes?: number;
  /** Processes and threads of the tree. */
  readonly processes?: number;
  /** Milliseconds from the call. */
  readonly wallMs?: number;
}

export interface LimitExceeded {
  readonly limit: keyof WatchedLimits;
  /** What was seen, and the bound, in the unit of the limit. */
  readonly seen: number;
  readonly bound: number;
}

export interface WatchOptions {
  readonly limits: WatchedLimits;
  /** The process ids of the tree, as seen outside. */
  readonly members: () => Promise<readonly number[]>;
  /** Called once, for the first limit that is passed; nothing is watched after it. Ending the tree is the caller's. */
  readonly onExceeded: (exceeded: LimitExceeded) => void;
  /** Between two looks; 250 unless given. */
  readonly intervalMs?: number;
}

const defaultIntervalMs = 250;
/** setTimeout takes no more. */
const longestTimerMs = 2 ** 31 - 1;

/** Watches until it is disposed of, which the caller does when the tree is gone. Keeps no server alive. */
export function watchLimits({ limits, members, onExceeded, intervalMs = defaultIntervalMs }: WatchOptions): Disposable {
  const { memoryBytes, processes, wallMs } = limits;
  let done = false;
  let timer: NodeJS.Timeout | undefined;
  let wallTimer: NodeJS.Timeout | undefined;
  const stop = () => {
    done = true;
    clearTimeout(timer);
    clearTimeout(wallTimer);
  };
  const exceed = (limit: LimitExceeded['limit'], seen: number, bound: number) => {
    if (done) return;
    stop();
    onExceeded({ limit, seen, bound });
  };
  const look = async () => {
    const use = sumUse(await members().catch(() => []));
    if (memoryBytes !== undefined && use.memoryBytes > memoryBytes) exceed('memoryBytes', use.memoryBytes, memoryBytes);
    if (processes !== undefined && use.processes > processes) exceed('processes', use.processes, processes);
    again();
  };
  const again = () => {
    if (!done) timer = setTimeout(() => void look(), intervalMs).unref();
  };
  const waitOut = (began: number, bound: number) => {
    const left = began + bound - performance.now();
    if (left <= 0) exceed('wallMs', Math.round(performance.now() - began), bound);
    else wallTimer = setTimeout(waitOut, Math.min(Math.ceil(left), longestTimerMs), began, bound).unref();
  };
  if (memoryBytes !== undefined || processes !== undefined) again();
  if (wallMs !== undefined) waitOut(performance.now(), wallMs);
  return { [Symbol.dispose]: stop };
}

export interface ProcessUse {
  readonly memoryBytes: number;
  readonly processes: number;
}

function sumUse(pids: readonly number[]): ProcessUse {
  let memoryBytes = 0;
  let processes = 0;
  for (const pid of pids) {
    const use = useOf(pid);
    memoryBytes += use?.memoryBytes ?? 0;
    processes += use?.processes ?? 0;
  }
  return { memoryBytes, processes };
}

/** proc_pid_status(5): sizes in kB. Undefined for a process that is gone. */
function useOf(pid: number): ProcessUse | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'latin1');
    const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
    return { memoryBytes: (field('RssAnon') + field('RssShmem')) * 1_024, processes: field('Threads') };
  } catch {
    return undefined;
  }
}
