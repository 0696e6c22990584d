import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCgroupSlot } from './cgroup-slot.ts';
import { findDelegatedCgroup } from './delegated-cgroup.ts';

const delegated = findDelegatedCgroup();

/** A tree of plain files where the kernel's would be: what is written can be read back, nothing is enforced. */
let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'reeve-cgroup-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function unit({
  name = 'reeve.service',
  controllers = 'cpu memory pids',
  subtree = 'memory pids',
  processes = '',
  mounted = '/',
} = {}): string | undefined {
  const directory = join(base, 'fs', name);
  mkdirSync(join(directory, 'server'), { recursive: true });
  for (const [file, text] of Object.entries({
    'cgroup.controllers': controllers,
    'cgroup.subtree_control': subtree,
    'cgroup.procs': processes,
  }))
    writeFileSync(join(directory, file), text);
  writeFileSync(join(base, 'membership'), `3:memory:/x\n0::/${name}/server\n`);
  writeFileSync(
    join(base, 'mounts'),
    `30 1 0:26 ${mounted} ${join(base, 'fs')} rw,nosuid shared:4 - cgroup2 cgroup2 rw\n`,
  );
  return findDelegatedCgroup({ membership: join(base, 'membership'), mounts: join(base, 'mounts') });
}

describe('the cgroup of the server', () => {
  it('is taken for delegated when its unit has controllers and no process of its own', () => {
    expect(unit()).toBe(join(base, 'fs', 'reeve.service'));
    expect(unit({ name: 'reeve-1.scope' })).toBe(join(base, 'fs', 'reeve-1.scope'));
  });

  it('is not divided where it is not ours', () => {
    expect(unit({ name: 'system.slice' })).toBeUndefined();
    expect(unit({ processes: '17\n' })).toBeUndefined();
    expect(unit({ controllers: 'cpu pids' })).toBeUndefined();
    expect(unit({ mounted: '/docker/abc' })).toBeUndefined();
    expect(findDelegatedCgroup({ membership: join(base, 'missing'), mounts: join(base, 'missing') })).toBeUndefined();
  });

  it('gets its controllers switched on for what lies below', () => {
    unit({ subtree: '' });
    expect(readFileSync(join(base, 'fs/reeve.service/cgroup.subtree_control'), 'utf8')).toBe('+memory +pids');
  });
});

describe('a cgroup for one process', () => {
  it('has the limits written before anything joins it, and joins by executing the rest', () => {
    const { directory, prefix } = openCgroupSlot(base, 'one', { memoryBytes: 2 ** 30, processes: 64 });
    expect(readFileSync(join(directory, 'memory.max'), 'utf8')).toBe(String(2 ** 30));
    expect(readFileSync(join(directory, 'memory.oom.group'), 'utf8')).toBe('1');
    expect(readFileSync(join(directory, 'pids.max'), 'utf8')).toBe('64');
    const [command = '', ...args] = prefix;
    const ran = spawnSync(command, [...args, 'printf', '%s|', 'a b', '$HOME'], { encoding: 'utf8' });
    expect(ran.stdout).toBe('a b|$HOME|');
    expect(readFileSync(join(directory, 'cgroup.procs'), 'utf8')).toBe('0\n');
  });

  it('starts nothing when it cannot be joined', () => {
    const { directory, prefix } = openCgroupSlot(base, 'two', {});
    rmSync(directory, { recursive: true });
    const [command = '', ...args] = prefix;
    const ran = spawnSync(command, [...args, 'echo', 'ran'], { encoding: 'utf8' });
    expect(ran.status).not.toBe(0);
    expect(ran.stdout).toBe('');
  });

  it.skipIf(delegated === undefined)('ends the tree that takes too much (needs a delegated cgroup v2)', async () => {
    await using slot = openCgroupSlot(delegated as string, `reeve-test-${process.pid}`, {
      memoryBytes: 64 * 2 ** 20,
      processes: 8,
    });
    const run = (script: string) => {
      const [command = '', ...args] = slot.prefix;
      return spawnSync(command, [...args, 'sh', '-c', script], { encoding: 'utf8' });
    };
    expect(run('head -c 200000000 /dev/zero | tail -c 190000000 | wc -c').signal).toBe('SIGKILL');
    expect(run('for i in 1 2 3 4 5 6 7 8 9; do sleep 1 & done; echo forked').stdout).toBe('');
  });
});
