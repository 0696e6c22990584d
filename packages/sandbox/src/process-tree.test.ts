import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { markerIn } from './process-marker.ts';
import type { ProcessRow } from './process-table.ts';
import { createProcessTree, membersOf } from './process-tree.ts';

const tree = { leader: 100, marker: 'ours' };
const nobody = new Map<number, number>();

function row(pid: number, facts: Partial<ProcessRow>): ProcessRow {
  return { pid, parent: 1, group: pid, startedAt: 5, marker: undefined, ...facts };
}

function pids(rows: readonly ProcessRow[], known: ReadonlyMap<number, number> = nobody): number[] {
  return membersOf(rows, tree, known).map((member) => member.pid);
}

describe('membership of a process tree', () => {
  it('finds the group, the marked and their descendants, and nobody else', () => {
    const rows = [
      row(100, { group: 100 }),
      row(101, { group: 100, parent: 100 }),
      row(102, { marker: 'ours' }),
      row(105, { parent: 104 }),
      row(104, { parent: 102 }),
      row(200, { marker: 'theirs' }),
      row(201, { parent: 200 }),
    ];
    expect(pids(rows).toSorted()).toEqual([100, 101, 102, 104, 105]);
  });

  it('remembers a process that lost its group, marker and parent', () => {
    expect(pids([row(104, {})], new Map([[104, 5]]))).toEqual([104]);
  });

  it('does not take a later process for one it knew by the same id', () => {
    expect(pids([row(104, { startedAt: 6 })], new Map([[104, 5]]))).toEqual([]);
  });
});

describe('the marker in an environment', () => {
  it.each([
    ['REEVE_PROCESS=a\0B=c\0', 'a'],
    ['B=c\0REEVE_PROCESS=a\0', 'a'],
    ['B=c\0REEVE_PROCESS=a', 'a'],
    ['B=REEVE_PROCESS=a\0', undefined],
    ['XREEVE_PROCESS=a\0', undefined],
    ['', undefined],
  ])('reads %j as %j', (environ, marker) => {
    expect(markerIn(Buffer.from(environ))).toBe(marker);
  });
});

describe('a tree on a system without a process table', () => {
  it('is its process group', async () => {
    const child = spawn('/bin/sh', ['-c', 'sleep 300 & echo up; wait'], { detached: true });
    await once(child.stdout, 'data');
    const leader = child.pid ?? 0;
    const group = createProcessTree({ leader, marker: 'ours' }, undefined);
    expect(await group.members()).toEqual([leader]);
    expect(await group.signal('SIGKILL')).toBe(1);
    await once(child.stdout, 'close'); // Both held it open.
  });

  it('is empty once the group is', async () => {
    const child = spawn('/bin/sh', ['-c', ':'], { detached: true });
    await once(child, 'exit');
    const group = createProcessTree({ leader: child.pid ?? 0, marker: 'ours' }, undefined);
    expect(await group.members()).toEqual([]);
    expect(await group.signal('SIGKILL')).toBe(0);
  });
});
