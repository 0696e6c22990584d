/**
 * What holds the limits: a cgroup the whole tree, prlimit each process, the watchdog by looking again and again. Where
 * limits are held by different ones, the weakest is told.
 */
export type LimitsTier = 'cgroup' | 'prlimit' | 'watchdog' | 'none';
