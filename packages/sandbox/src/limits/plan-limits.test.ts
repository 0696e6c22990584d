import { describe, expect, it } from 'vitest';
import { isKernelAtLeast, type LimitsMachine, readLimitsMachine } from './limits-machine.ts';
import { planLimits } from './plan-limits.ts';

const debian: LimitsMachine = {
  root: false,
  prlimit: '/usr/bin/prlimit',
  countsProcessesPerNamespace: true,
  cgroup: undefined,
  canWatch: true,
};
const inside = { ownUserNamespace: true };
const all = { memoryBytes: 2 ** 30, processes: 64, fileBytes: 1_000, openFiles: 128, wallMs: 5_000 };

describe('the plan of limits', () => {
  it('gives each limit to the best tier that the machine has', () => {
    const plan = planLimits(all, debian, inside);
    expect(plan.tiers).toEqual({
      memoryBytes: 'watchdog',
      processes: 'prlimit',
      fileBytes: 'prlimit',
      openFiles: 'prlimit',
      wallMs: 'watchdog',
    });
    expect(plan.prefix).toEqual([
      '/usr/bin/prlimit',
      '--core=0:0',
      '--nproc=64:64',
      '--fsize=1000:1000',
      '--nofile=128:128',
      '--',
    ]);
    expect(plan.watch).toEqual({ memoryBytes: 2 ** 30, wallMs: 5_000 });
    expect(plan.cgroup).toBeUndefined();
    expect(plan.gaps).toEqual([expect.stringContaining('memory is looked at')]);
  });

  it('lets a delegated cgroup hold memory and processes, and watches only the clock', () => {
    const plan = planLimits(all, { ...debian, cgroup: '/sys/fs/cgroup/reeve.service' }, inside);
    expect(plan.cgroup).toEqual({ memoryBytes: 2 ** 30, processes: 64 });
    expect(plan.watch).toEqual({ wallMs: 5_000 });
    expect(plan.tiers).toMatchObject({ memoryBytes: 'cgroup', processes: 'cgroup' });
    expect(plan.prefix.join(' ')).not.toContain('nproc');
    expect(plan.gaps).toEqual([]);
  });

  it('does not pretend that a limit on processes binds root, or counts one sandbox where it counts the user', () => {
    const root = planLimits(all, { ...debian, root: true, countsProcessesPerNamespace: false }, inside);
    const bare = planLimits(all, debian, { ownUserNamespace: false });
    for (const plan of [root, bare]) {
      expect(plan.tiers.processes).toBe('watchdog');
      expect(plan.watch.processes).toBe(64);
      expect(plan.prefix.join(' ')).not.toContain('nproc');
    }
    expect(root.gaps.join()).toContain('does not bind root');
    expect(bare.gaps.join()).toContain('for all programs of the user together');
  });

  it('says what is not held where nothing can hold it', () => {
    const plan = planLimits(all, { ...debian, prlimit: undefined, canWatch: false }, inside);
    expect(plan.prefix).toEqual([]);
    expect(plan.tiers).toEqual({
      memoryBytes: 'none',
      processes: 'none',
      fileBytes: 'none',
      openFiles: 'none',
      wallMs: 'watchdog',
    });
    for (const name of ['memoryBytes', 'processes', 'fileBytes', 'openFiles'])
      expect(plan.gaps.join()).toContain(`${name} is not held here`);
  });

  it('sets no limit that was not given, but for core dumps', () => {
    expect(planLimits({}, debian, inside)).toMatchObject({
      prefix: ['/usr/bin/prlimit', '--core=0:0', '--'],
      watch: {},
      cgroup: undefined,
      gaps: [],
    });
  });

  it('reads the machine it runs on, and compares kernels by number', () => {
    expect(readLimitsMachine().root).toBe(process.geteuid?.() === 0);
    expect(isKernelAtLeast('5.14.0-70.el9', 5, 14)).toBe(true);
    expect(isKernelAtLeast('5.9.0', 5, 14)).toBe(false);
    expect(isKernelAtLeast('6.1.0-28-amd64', 5, 14)).toBe(true);
    expect(isKernelAtLeast('unknown', 5, 14)).toBe(false);
  });
});
