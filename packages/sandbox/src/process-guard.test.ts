import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { guardScript } from './guard-script.ts';
import type { HolderNotice } from './holder-notice.ts';
import { createProcessHolder } from './index.ts';
import { createProcessGuard } from './process-guard.ts';
import { createMarker } from './process-marker.ts';

const linux = process.platform === 'linux';
const env = { PATH: '/usr/local/bin:/usr/bin:/bin' };
const begun: ChildProcess[] = [];

afterEach(() => {
  for (const child of begun.splice(0)) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
});

function begin(command: string, args: readonly string[], environment: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(command, args, {
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
    argv0: 'sh',
  });
  begun.push(child);
  return child;
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !linux || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/** The guards that `parent` started. */
function guardsOf(parent: number): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const children = table.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  return children
    .filter(([pid, ppid]) => ppid === parent && pid !== undefined && commandLine(pid).includes('reeve-guard'))
    .map(([pid]) => pid ?? 0);
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** A process of its own that holds three trees, each with a child that left its group, and prints all their ids. */
const hostScript = `
import { once } from 'node:events';
import { createProcessHolder } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
const holder = createProcessHolder({ sandbox: 'none' });
const script = 'trap "" TERM HUP; setsid sleep 300 & echo $!; sleep 300 & echo $!; while :; do sleep 1; done';
for (let index = 0; index < 3; index += 1) {
  const { process: held } = await holder.start({ command: 'sh', args: ['-c', script], env: ${JSON.stringify(env)}, cwd: '/' });
  let text = '';
  while (text.split('\\n').length < 3) text += (await once(held.stdout, 'data'))[0];
  console.log(held.pid + '\\n' + text.trim());
}
console.log('ready');
setInterval(() => {}, 1000);
`;

async function lines(child: ChildProcess, last: string): Promise<string[]> {
  const all: string[] = [];
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    if (line === last) break;
    all.push(line);
  }
  return all;
}

describe.runIf(linux)('the guard', () => {
  it.each(['SIGKILL', 'SIGTERM', 'SIGSEGV'] as const)(
    'lets nothing outlive a server that ends by %s, not even itself',
    async (signal) => {
      const host = begin(process.execPath, ['--input-type=module', '-e', hostScript], process.env);
      const pids = (await lines(host, 'ready')).map(Number);
      const guards = guardsOf(host.pid ?? 0);
      expect(pids.length).toBe(9);
      expect(guards.length).toBe(1);
      expect([...pids, ...guards].filter((pid) => !alive(pid))).toEqual([]);

      host.kill(signal);
      await once(host, 'exit');
      await expect.poll(() => [...pids, ...guards].filter(alive), { interval: 20 }).toEqual([]);
    },
  );

  it('is not reached by the signals of a terminal, nor by a request to end', async () => {
    await using holder = createProcessHolder({ sandbox: 'none' });
    await holder.start({ command: 'cat', args: [], env, cwd: '/' });
    const [guard] = guardsOf(process.pid);
    for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM', 'SIGQUIT']) process.kill(guard ?? 0, signal);
    expect(guardsOf(process.pid)).toEqual([guard]);
  });

  it('is replaced when it dies, with what it held, and that is told', async () => {
    const notices: HolderNotice[] = [];
    await using holder = createProcessHolder({ sandbox: 'none', onNotice: (notice) => notices.push(notice) });
    await holder.start({ command: 'cat', args: [], env, cwd: '/' });
    const [first] = guardsOf(process.pid);
    process.kill(first ?? 0, 'SIGKILL');
    await expect.poll(() => notices).toEqual([{ kind: 'guard-restarted', code: null, signal: 'SIGKILL' }]);
    const [second] = guardsOf(process.pid);
    expect(second).not.toBe(first);
    expect(second).toBeDefined();
  });

  it('is replaced when it is stuck, before the next process starts', async () => {
    await using guard = createProcessGuard(() => {}, []);
    const first = createMarker();
    await guard.register(first);
    const [stuck] = guardsOf(process.pid);
    process.kill(stuck ?? 0, 'SIGSTOP');
    for (let index = 0; index < 20_000; index += 1) guard.addGroup(first, 0); // Fills the pipe.
    expect(await guard.register(createMarker())).toEqual({ kind: 'registered' });
    expect(guardsOf(process.pid)).not.toContain(stuck);
  });

  it('ends with its holder, and leaves alone what was released', async () => {
    const released = begin('sleep', ['300'], env);
    const guard = createProcessGuard(() => {}, []);
    const marker = createMarker();
    await guard.register(marker);
    guard.addGroup(marker, released.pid ?? 0);
    guard.release(marker);
    await guard[Symbol.asyncDispose]();
    await guard[Symbol.asyncDispose]();
    expect(guardsOf(process.pid)).toEqual([]);
    expect(alive(released.pid ?? 0)).toBe(true);
  });
});

const shells = ['/bin/sh', '/bin/dash', '/bin/bash', '/bin/busybox'].filter((path) => {
  try {
    return readdirSync('/bin').includes(path.slice('/bin/'.length));
  } catch {
    return false;
  }
});

describe.runIf(linux).each(shells)('the guard script in %s', (path) => {
  it('kills the groups and the marked that are still registered at the end of its input, and no others', async () => {
    const [marked, released, forgotten] = [createMarker(), createMarker(), createMarker()];
    const byMarker = begin('sleep', ['300'], { ...env, REEVE_PROCESS: marked });
    const byGroup = begin('sleep', ['300'], env);
    const kept = begin('sleep', ['300'], { ...env, REEVE_PROCESS: released });
    const guard = begin(path, ['-c', guardScript], env);
    const registered = [marked, released, forgotten].map((marker) => `+ ${marker} 0\n`).join('');
    guard.stdin?.end(`${registered}+ ${forgotten} ${byGroup.pid}\n- ${released}\n`);
    const [code] = await once(guard, 'exit');
    expect(code).toBe(0);
    await expect
      .poll(() => [byMarker, byGroup, kept].map((child) => child.signalCode))
      .toEqual(['SIGKILL', 'SIGKILL', null]);
  });

  it('ends at once when nothing is registered', async () => {
    const guard = begin(path, ['-c', guardScript], env);
    guard.stdin?.end();
    expect(await once(guard, 'exit')).toEqual([0, null]);
  });
});
