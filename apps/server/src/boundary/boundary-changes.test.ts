import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ALICE, startBoundaries } from './boundaries.rig.ts';

/** Steps of the event loop after which something else comes: wherever a change is then. */
const STEPS = Array.from({ length: 30 }, (_, step) => step);

async function after(steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) await setImmediate();
}

describe('a directory that can be no root', () => {
  it.each([
    ['/proc', /a place of the system/, /name the directory of a project/],
    ['/', /the whole file system/, /name the directory of a project/],
    ['/nowhere/at/all', /nothing there/, /create "\/nowhere/],
    ['/etc/hostname/below', /no directory/, /name the directory that holds it/],
    ['/dev/null', /a place of the system|device/, /name a directory/],
  ])('is told of once, with a next step for %s', async (path, received, fix) => {
    await using rig = await startBoundaries();
    const session = await rig.session('s');
    const issue = { received: expect.stringMatching(received), fix: expect.stringMatching(fix) };
    expect(await session.widen({ roots: [{ path, access: 'ro' }] }, ALICE)).toEqual({
      kind: 'invalid',
      issues: [expect.objectContaining(issue)],
    });
    expect(rig.recorded('boundary.refused')).toMatchObject([{ reasons: { length: 1 } }]);
    await session[Symbol.asyncDispose]();
  });
});

describe('a root that is a single file', () => {
  it('is what is left of a directory that is narrowed to it, and is what is there when it is named again', async () => {
    await using rig = await startBoundaries();
    const [project, other] = [join(rig.directory, 'project'), join(rig.directory, 'other')];
    const file = join(other, 'notes.txt');
    await writeFile(file, 'text');
    const wide = [project, other].map((path) => ({ path, access: 'rw' as const }));
    const session = await rig.session('s', { roots: wide });
    const restarts: string[] = [];
    session.watch(async ({ diff }) => void restarts.push(diff.restart));
    const narrow = [...wide.slice(0, 1), { path: file, access: 'rw' as const }];
    expect(await session.narrow({ roots: narrow }, ALICE)).toMatchObject({ kind: 'changed' });
    expect(session.boundary().roots).toEqual([narrow[0], { path: file, access: 'rw', kind: 'file' }]);
    await writeFile(`${file}.new`, 'other text');
    await rename(`${file}.new`, file);
    await expect.poll(() => [...session.lost()]).toEqual([file]);
    expect(await session.widen({ roots: [{ path: file, access: 'rw' }] }, ALICE)).toMatchObject({ kind: 'changed' });
    expect([...session.lost()]).toEqual([]);
    await rm(file);
    await mkdir(file);
    await expect.poll(() => [...session.lost()]).toEqual([file]);
    expect(await session.widen({ roots: [{ path: file, access: 'rw' }] }, ALICE)).toMatchObject({ kind: 'changed' });
    expect(session.boundary().roots).toEqual(narrow);
    expect(restarts).toEqual(['required', 'when_confined', 'when_confined']);
    await session[Symbol.asyncDispose]();
  });
});

describe('what is revoked while another change is prepared', () => {
  it('stays revoked, and the other change is made without it', async () => {
    await using rig = await startBoundaries();
    const [project, taken, given] = ['project', 'taken', 'given'].map((name) => join(rig.directory, name)) as [
      string,
      string,
      string,
    ];
    await Promise.all([rig.make('taken'), rig.make('given')]);
    const roots = [project, taken].map((path) => ({ path, access: 'rw' as const }));
    for (const step of STEPS) {
      const session = await rig.session(`s${step}`, { roots });
      const widening =
        step % 2 === 0
          ? session.widen({ roots: [{ path: given, access: 'rw' }] }, ALICE)
          : session.set({ roots: [...roots, { path: given, access: 'rw' }] }, ALICE);
      await after(step / 2);
      const revoked = session.revoke(taken, ALICE);
      expect(session.boundary().roots.map(({ path }) => path)).not.toContain(taken);
      expect(await revoked).toMatchObject({ kind: 'changed' });
      expect(await widening).toMatchObject({ kind: 'changed' });
      expect(session.boundary().roots.map(({ path }) => path)).toEqual([project, given]);
      await session[Symbol.asyncDispose]();
    }
  });

  it('is a conflict for who changes a certain revision', async () => {
    await using rig = await startBoundaries();
    const [project, taken] = ['project', 'taken'].map((name) => join(rig.directory, name)) as [string, string];
    await rig.make('taken');
    const roots = [project, taken].map((path) => ({ path, access: 'rw' as const }));
    const kinds = new Set<string>();
    for (const step of STEPS) {
      const session = await rig.session(`s${step}`, { roots });
      const setting = session.set({ roots: roots.map((root) => ({ ...root, access: 'ro' })) }, ALICE, 1);
      await after(step);
      await session.revoke(taken, ALICE);
      const result = await setting;
      kinds.add(result.kind);
      expect(result).toMatchObject(
        result.kind === 'conflict' ? { revision: 2 } : { kind: 'changed', boundary: { revision: 2 } },
      );
      expect(session.boundary().roots.map(({ path }) => path)).toEqual([project]);
      await session[Symbol.asyncDispose]();
    }
    expect(kinds).toContain('conflict');
  });
});

describe('a root that a change leaves as it is', () => {
  it('stays the same object, whoever names it again; one that is named in another way does not', async () => {
    await using rig = await startBoundaries();
    const [project, other] = [join(rig.directory, 'project'), await rig.make('other')];
    const session = await rig.session('s');
    const [before] = session.boundary().roots;
    await session.set(
      {
        roots: [
          { path: project, access: 'rw' },
          { path: other, access: 'ro' },
        ],
      },
      ALICE,
    );
    expect(session.boundary().roots[0]).toBe(before);
    await session.set({ roots: [{ path: project, access: 'rw', name: 'mine' }] }, ALICE);
    expect(session.boundary().roots).toEqual([{ path: project, access: 'rw', name: 'mine' }]);
  });

  it('is looked after on, and one that is taken away is not', async () => {
    await using rig = await startBoundaries();
    const [project, other] = [join(rig.directory, 'project'), await rig.make('other')];
    const roots = [project, other].map((path) => ({ path, access: 'rw' as const }));
    const session = await rig.session('s', { roots });
    await session.set({ roots: roots.slice(0, 1) }, ALICE);
    await rm(other, { recursive: true });
    await rm(project, { recursive: true });
    await session.checkRoots();
    await expect.poll(() => rig.notices).toContainEqual({ kind: 'root_lost', path: project, how: 'deleted' });
    expect(rig.recorded('root.lost')).toHaveLength(1);
    expect(session.lost()).toEqual(new Set([project]));
  });
});

describe('a large boundary that is changed again and again', () => {
  it('is seen whole at each moment, and others have their turn while a change is made', async () => {
    await using rig = await startBoundaries();
    const names = Array.from({ length: 1500 }, (_, index) => `project/${index}`);
    for (let start = 0; start < names.length; start += 100) {
      await Promise.all(names.slice(start, start + 100).map(rig.make));
    }
    const roots = names.map((name) => ({ path: join(rig.directory, name), access: 'rw' as const }));
    const session = await rig.session('s', { roots, cwd: join(rig.directory, 'project/0') });
    const server = await rig.server(session);
    const other = await rig.session('other', { roots: roots.slice(0, 2), cwd: join(rig.directory, 'project/0') });
    let busy = true;
    const torn: string[] = [];
    const looking = (async () => {
      for (; busy; await setImmediate()) {
        const [now, scope] = [session.boundary(), server.scope()];
        if (now.revision === scope.revision && now.roots.length === scope.roots.length) continue;
        torn.push(`${now.revision}/${now.roots.length} and ${scope.revision}/${scope.roots.length}`);
      }
    })();
    const order: string[] = [];
    const large = session.set({ roots: roots.slice(0, -1) }, ALICE).then(() => order.push('large'));
    const small = other.narrow({ roots: roots.slice(0, 1) }, ALICE).then(() => order.push('small'));
    await Promise.all([large, small]);
    for (const round of [2, 3, 4]) await session.narrow({ roots: roots.slice(0, -round) }, ALICE);
    await session.revoke(String(roots[1]?.path), ALICE);
    await session.widen({ roots: roots.slice(-3) }, ALICE);
    busy = false;
    await looking;
    expect(order).toEqual(['small', 'large']);
    expect(torn).toEqual([]);
    expect(server.scope().roots).toHaveLength(1498);
  });
});
