import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HeldProcess, HolderNotice, Launch, ProcessHolder, StartOptions } from './index.ts';
import { createProcessHolder } from './index.ts';

const systemPath = '/usr/local/bin:/usr/bin:/bin';
const linux = process.platform === 'linux';
let directory = '';
let holder: ProcessHolder;
let notices: HolderNotice[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reeve-holder-'));
  notices = [];
  holder = createProcessHolder({ sandbox: 'none', onNotice: (notice) => notices.push(notice) });
});
afterEach(async () => {
  await holder[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

async function started(launch: Partial<Launch>, options?: StartOptions): Promise<HeldProcess> {
  const whole = { command: '/bin/sh', args: [], env: { PATH: systemPath }, cwd: directory, ...launch };
  const result = await holder.start(whole, options);
  if (result.kind === 'failed') throw new Error(result.message);
  return result.process;
}

const shell = (script: string, options?: StartOptions) => started({ args: ['-c', script] }, options);
const node = (script: string) => started({ command: process.execPath, args: ['-e', script] });

/** Alive and not a zombie. */
function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !linux || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

async function firstLine(stream: AsyncIterable<Buffer>): Promise<string> {
  let line = '';
  const iterator = stream[Symbol.asyncIterator]();
  while (!line.includes('\n')) {
    const { value, done } = await iterator.next();
    if (done === true) break;
    line += String(value);
  }
  return line.trim();
}

describe('a started process', () => {
  it('tells its exit code, and its signal', async () => {
    expect(await (await shell('exit 7')).exited).toEqual({ code: 7, signal: null });
    expect(await (await shell('kill -9 $$')).exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('gets exactly the declared environment and the marker', async () => {
    const held = await started({ command: 'env', env: { PATH: systemPath, REEVE_PROCESS: 'forged', A: 'é=1' } });
    const lines = (await text(held.stdout)).trim().split('\n').toSorted();
    expect(lines).toEqual(['A=é=1', `PATH=${systemPath}`, expect.stringMatching(/^REEVE_PROCESS=[0-9a-f-]{36}$/)]);
  });

  it('runs in its directory, as leader of a group of its own', async () => {
    const held = await shell('pwd -P; ps -o pgid= -p $$');
    const [cwd, group] = (await text(held.stdout)).trim().split('\n');
    expect(cwd).toBe(directory);
    expect(Number(group)).toBe(held.pid);
  });

  it.runIf(linux)('inherits no descriptor but its stdio', async () => {
    const held = await shell('for fd in /proc/$$/fd/*; do readlink $fd; done');
    const targets = (await text(held.stdout)).trim().split('\n');
    expect(targets.slice(3).filter((target) => target !== '/dev/null')).toEqual([]);
  });

  it('says that nothing confines it', async () => {
    const { enforcement } = await shell(':');
    expect(enforcement).toMatchObject({ backend: 'none', fs: 'declared', network: 'declared', limits: 'declared' });
    expect(enforcement.gaps.length).toBe(4);
  });

  it('relays bytes both ways, and answers a write after its end in the callback only', async () => {
    const held = await started({ command: 'cat' });
    held.stdin.end(Buffer.from([0, 255, 10]));
    expect(await buffer(held.stdout)).toEqual(Buffer.from([0, 255, 10]));
    await held.exited;
    expect(await new Promise((resolve) => held.stdin.write('late', resolve))).toBeInstanceOf(Error);
  });

  it('survives a reader that closes its stdin', async () => {
    const held = await shell('exec 0<&-; sleep 0.1');
    held.stdin.write(Buffer.alloc(1_000_000));
    expect(await held.exited).toEqual({ code: 0, signal: null });
  });

  it('loses no output when it ended long before the reader came', async () => {
    const held = await shell('head -c 150000 /dev/zero');
    expect(held.stdout.readableFlowing).toBeNull();
    await Promise.race([held.exited, delay(300)]);
    let size = 0;
    for await (const chunk of held.stdout) size += (chunk as Buffer).length;
    expect(size).toBe(150_000);
    const early = await shell('echo early');
    await early.exited;
    await early.stop();
    await delay(50);
    expect(await text(early.stdout)).toBe('early\n');
  });

  it('keeps output paused for a reader that paused, when the process ends', async () => {
    const held = await shell('echo one; read line; echo two');
    let seen = '';
    held.stdout.on('data', (chunk) => {
      seen += chunk;
      held.stdout.pause();
    });
    await expect.poll(() => seen).toBe('one\n');
    held.stdin.write('go\n');
    await held.exited;
    await delay(30);
    expect(seen).toBe('one\n');
    held.stdout.resume();
    await expect.poll(() => seen).toBe('one\ntwo\n');
  });

  it('keeps the last 64 KB of stderr, complete when the exit is told, and shows each chunk', async () => {
    let bytes = 0;
    const onStderr = (chunk: Buffer) => {
      bytes += chunk.length;
    };
    const held = await shell('head -c 100000 /dev/zero | tr "\\0" x >&2; printf end€ >&2; exit 1', { onStderr });
    await held.exited;
    expect(bytes).toBe(100_006);
    expect(Buffer.byteLength(held.stderrTail())).toBe(65_536);
    expect(held.stderrTail().endsWith('xend€')).toBe(true);
    const short = await shell('printf 12345 >&2', { stderrTailBytes: 3 });
    await short.exited;
    expect(short.stderrTail()).toBe('345');
  });
});

describe('a failure to start', () => {
  it.each<[string, Partial<Launch>, string, RegExp]>([
    ['an unknown command', { command: 'no-such-agent' }, 'not-found', /PATH=\/usr\/local\/bin:.*Install/],
    ['a missing directory', { cwd: '/no/such/directory' }, 'bad-cwd', /create it/],
    ['a directory as command', { command: '/' }, 'not-executable', /chmod/],
    ['a NUL in an argument', { args: ['a\0b'] }, 'refused', /NUL/],
    ['arguments beyond the limit', { args: ['x'.repeat(4_000_000)] }, 'refused', /shorten/],
  ])('is a value that says the next step: %s', async (_name, launch, reason, message) => {
    const whole = { command: '/bin/sh', args: [], env: { PATH: systemPath }, cwd: directory, ...launch };
    expect(await holder.start(whole)).toEqual({ kind: 'failed', reason, message: expect.stringMatching(message) });
  });

  it('names a missing interpreter', async () => {
    await writeFile(join(directory, 'agent'), '#!/no/such/interpreter\n', { mode: 0o755 });
    const result = await holder.start({ command: './agent', args: [], env: {}, cwd: directory });
    expect(result).toMatchObject({ reason: 'not-found', message: expect.stringContaining('interpreter') });
  });
});

describe('stopping', () => {
  it('lets a process end by itself when its stdin ends', async () => {
    const held = await shell('cat; exit 4');
    expect(await held.stop()).toEqual({ code: 4, signal: null });
    expect(alive(held.pid)).toBe(false);
  });

  it('sends SIGTERM to one that lives on after the end of its stdin', async () => {
    const held = await node(
      'process.on("SIGTERM", () => process.exit(5)); setInterval(() => {}, 1000); console.log("up")',
    );
    await firstLine(held.stdout);
    expect(await held.stop({ graceMs: 50 })).toEqual({ code: 5, signal: null });
  });

  it('kills one that ignores SIGTERM', async () => {
    const held = await shell('trap "" TERM; echo up; while :; do sleep 0.05; done');
    await firstLine(held.stdout);
    expect(await held.stop({ graceMs: 20, killAfterMs: 50 })).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('is one stop for all callers, which a later call can hasten', async () => {
    const held = await shell('trap "" TERM; echo up; while :; do sleep 0.05; done');
    await firstLine(held.stdout);
    const began = performance.now();
    const patient = held.stop({ graceMs: 60_000, killAfterMs: 60_000 });
    const same = held.stop({ graceMs: 60_000 });
    expect(same).toBe(patient);
    await delay(30);
    void held.stop({ graceMs: 0, killAfterMs: 0 });
    expect(await patient).toEqual({ code: null, signal: 'SIGKILL' });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(await held.stop()).toEqual({ code: null, signal: 'SIGKILL' });
    await held[Symbol.asyncDispose]();
    expect(held.stdout.destroyed).toBe(true);
  });

  it('takes grandchildren in the group along', async () => {
    const held = await shell('sleep 300 & echo $!; cat');
    const grandchild = Number(await firstLine(held.stdout));
    await held.stop({ graceMs: 500 });
    expect(alive(grandchild)).toBe(false);
  });

  it.runIf(linux)('takes grandchildren along that left the group and ignore SIGTERM', async () => {
    const held = await shell('setsid sh -c \'trap "" TERM; echo $$; while :; do sleep 0.05; done\' & cat');
    const grandchild = Number(await firstLine(held.stdout));
    expect(alive(grandchild)).toBe(true);
    await held.stop({ killAfterMs: 50 });
    expect(alive(grandchild)).toBe(false);
  });

  it.runIf(linux)('takes grandchildren along that cleared their environment', async () => {
    const held = await shell('setsid env -i /bin/sleep 300 & echo $!; cat');
    const grandchild = Number(await firstLine(held.stdout));
    await delay(50);
    await held.stop();
    expect(alive(grandchild)).toBe(false);
  });

  it.runIf(linux)('leaves none of a tree that keeps forking out of its group', async () => {
    const script = join(directory, 'hop.sh');
    await writeFile(
      script,
      'trap "" TERM\necho $$ >>pids\nsleep 0.02\nsetsid sh ./hop.sh &\nsetsid sleep 60 &\necho $! >>pids\n',
    );
    const held = await shell('sh ./hop.sh & sleep 0.3; cat');
    const begun = () => readFileSync(join(directory, 'pids'), 'utf8').trim().split('\n').length;
    await expect.poll(begun).toBeGreaterThan(4);
    await held.stop({ graceMs: 50, killAfterMs: 50 });
    const pids = readFileSync(join(directory, 'pids'), 'utf8').trim().split('\n').map(Number);
    expect(pids.length).toBeGreaterThan(4);
    expect(pids.filter(alive)).toEqual([]);
    await delay(100);
    expect(readFileSync(join(directory, 'pids'), 'utf8').trim().split('\n').length).toBe(pids.length);
  });

  it.runIf(linux)('happens by itself to what a leader leaves behind', async () => {
    const held = await shell('setsid sleep 300 & echo $!; exit 3');
    const orphan = Number(await firstLine(held.stdout));
    expect(await held.exited).toEqual({ code: 3, signal: null });
    await expect.poll(() => alive(orphan)).toBe(false);
  });
});

describe('a holder', () => {
  it('stops all it holds when disposed, twice if asked, and refuses later starts', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => shell('cat')));
    const late = holder.start({ command: '/bin/cat', args: [], env: {}, cwd: directory });
    await Promise.all([holder[Symbol.asyncDispose](), holder[Symbol.asyncDispose]()]);
    expect(all.filter((held) => alive(held.pid))).toEqual([]);
    const result = await late;
    if (result.kind === 'started') expect(alive(result.process.pid)).toBe(false);
    expect(await holder.start({ command: '/bin/cat', args: [], env: {}, cwd: directory })).toMatchObject({
      kind: 'failed',
      reason: 'refused',
    });
    expect(notices).toEqual([]);
  });

  it.runIf(linux)('keeps apart what different processes left behind', async () => {
    const stopped = await shell('setsid sleep 300 & echo $!; cat');
    const kept = await shell('setsid sleep 300 & echo $!; cat');
    const [gone, stays] = [Number(await firstLine(stopped.stdout)), Number(await firstLine(kept.stdout))];
    await stopped.stop();
    expect([alive(gone), alive(stays), alive(kept.pid)]).toEqual([false, true, true]);
    await kept.stop();
    expect(alive(stays)).toBe(false);
  });
});
