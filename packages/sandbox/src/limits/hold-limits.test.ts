import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readLimitsMachine } from './limits-machine.ts';
import { planLimits } from './plan-limits.ts';
import { type LimitExceeded, watchLimits } from './watch-limits.ts';

const machine = readLimitsMachine();
const place = { ownUserNamespace: true };
const bubblewrap = ['bwrap', '--unshare-user', '--unshare-pid', '--die-with-parent', '--dev-bind', '/', '/', '--'];
const wraps = spawnSync('bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;
/** An unprivileged user of the host, for what does not bind root. */
const nobody = 65_534;
/** `identity` of spawn, for a limit that does not bind root. */
const unprivileged = machine.root ? { uid: nobody, gid: nobody } : {};

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function start(script: string, ...args: readonly string[]): ChildProcess & { readonly pid: number } {
  const child = spawn(process.execPath, ['-e', script, ...args], { stdio: ['pipe', 'ignore', 'ignore'] });
  started.push(child);
  return child as ChildProcess & { readonly pid: number };
}

describe.skipIf(machine.prlimit === undefined)('the rlimits of a process (needs prlimit of util-linux)', () => {
  const run = (limits: Parameters<typeof planLimits>[0], script: string) => {
    const [prlimit, ...prefix] = planLimits(limits, machine, place).prefix;
    return spawnSync(prlimit as string, [...prefix, process.execPath, '-e', script], { encoding: 'utf8' });
  };

  it('end a file at its size', () => {
    const home = mkdtempSync(join(tmpdir(), 'reeve-limits-'));
    try {
      const file = join(home, 'file');
      const write = `require('fs').writeFileSync(${JSON.stringify(file)}, Buffer.alloc(20000))`;
      expect(run({ fileBytes: 20_000 }, write).status).toBe(0);
      expect(run({ fileBytes: 10_000 }, write).status).not.toBe(0);
      expect(statSync(file).size).toBe(10_000);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });

  it('end the opening of files at their number', () => {
    const open = `for (let i = 0; i < 100; i++) require('fs').openSync('/', 'r')`;
    expect(run({ openFiles: 256 }, open).status).toBe(0);
    const refused = run({ openFiles: 64 }, open);
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toContain('EMFILE');
  });

  it('leave no core behind, and cannot be raised again', () => {
    const limits = run(
      { openFiles: 64 },
      `process.stdout.write(require('fs').readFileSync('/proc/self/limits', 'utf8'))`,
    );
    expect(limits.stdout).toMatch(/Max core file size\s+0\s+0\s/);
    expect(limits.stdout).toMatch(/Max open files\s+64\s+64\s/);
  });
});

describe.skipIf(!wraps || machine.prlimit === undefined)(
  'the number of processes of an unprivileged sandbox (needs bubblewrap and prlimit)',
  () => {
    const plan = planLimits(
      { processes: 24 },
      { ...machine, root: false, countsProcessesPerNamespace: true, cgroup: undefined },
      place,
    );
    const forks = (count: number) => {
      const script = `i=0; while [ $i -lt ${count} ]; do sleep 1 & i=$((i+1)); done; echo forked`;
      const [command = '', ...args] = [...bubblewrap, ...plan.prefix, 'sh', '-c', script];
      return spawnSync(command, args, { ...unprivileged, encoding: 'utf8', cwd: '/' });
    };

    it('is held for each sandbox alone, whatever else its user runs', async () => {
      const others = Array.from({ length: 40 }, () =>
        spawn('sleep', ['5'], { ...unprivileged, stdio: 'ignore', cwd: '/' }),
      );
      started.push(...others);
      await Promise.all(others.map((other) => once(other, 'spawn')));
      expect(forks(10).stdout).toBe('forked\n');
      const refused = forks(60);
      expect(refused.stdout).toBe('');
      expect(refused.stderr).toMatch(/fork/i);
    });
  },
);

describe.skipIf(!machine.canWatch)('the watchdog (needs /proc)', () => {
  const watched = (limits: Parameters<typeof watchLimits>[0]['limits'], pids: readonly number[]) =>
    new Promise<LimitExceeded>((onExceeded) => {
      watchLimits({ limits, members: async () => pids, onExceeded, intervalMs: 20 });
    });

  it('sees the memory of a tree grow past its limit, summed over its processes', async () => {
    const hold = `const b = Buffer.alloc(80 * 2 ** 20, 1); process.stdin.resume(); process.stdin.on('data', () => b)`;
    const pids = [start(hold).pid, start(hold).pid];
    const exceeded = await watched({ memoryBytes: 150 * 2 ** 20 }, pids);
    expect(exceeded).toMatchObject({ limit: 'memoryBytes', bound: 150 * 2 ** 20 });
    expect(exceeded.seen).toBeGreaterThan(150 * 2 ** 20);
  });

  it('does not count what a program reserves without use', async () => {
    const reserve = `new ArrayBuffer(4, { maxByteLength: 4 * 2 ** 30 }); process.stdin.resume()`;
    let told = false;
    const child = start(reserve);
    using _watch = watchLimits({
      limits: { memoryBytes: 200 * 2 ** 20 },
      members: async () => [child.pid],
      onExceeded: () => {
        told = true;
      },
      intervalMs: 20,
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(told).toBe(false);
  });

  it('counts threads and processes', async () => {
    const exceeded = await watched({ processes: 3 }, [start('process.stdin.resume()').pid]);
    expect(exceeded).toMatchObject({ limit: 'processes', bound: 3 });
  });

  it('tells the end of the time once, and not before it', async () => {
    const began = performance.now();
    const exceeded = await watched({ wallMs: 120 }, []);
    expect(performance.now() - began).toBeGreaterThanOrEqual(119);
    expect(exceeded).toMatchObject({ limit: 'wallMs', bound: 120 });
  });

  it('tells only the first limit that is passed, and nothing after it was disposed of', async () => {
    const child = start('process.stdin.resume()');
    const told: string[] = [];
    const options = {
      members: async () => [child.pid],
      onExceeded: ({ limit }: LimitExceeded) => void told.push(limit),
      intervalMs: 10,
    };
    watchLimits({ ...options, limits: { memoryBytes: 1, processes: 1, wallMs: 50 } });
    watchLimits({ ...options, limits: { memoryBytes: 1, wallMs: 1 } })[Symbol.dispose]();
    await expect.poll(() => told).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(told).toHaveLength(1);
  });
});
