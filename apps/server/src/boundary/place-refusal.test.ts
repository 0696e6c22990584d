import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ALICE, type BoundariesRig, startBoundaries } from './boundaries.rig.ts';

let rig: BoundariesRig;
beforeEach(async () => {
  rig = await startBoundaries();
});
afterEach(() => rig[Symbol.asyncDispose]());

it('is recorded of a boundary that a running session may not have, which stays as it was', async () => {
  await using guard = await rig.session('s');
  const project = join(rig.directory, 'project');
  for (const [path, reason] of [
    ['/proc/1', 'never'],
    [join(rig.directory, 'data'), 'never'],
    [join(rig.directory, 'none'), 'missing'],
  ] as const) {
    const roots = [project, path].map((one) => ({ path: one, access: 'rw' as const }));
    expect(await guard.set({ roots }, ALICE)).toMatchObject({ kind: 'invalid', issues: [{}] });
    expect(rig.recorded('boundary.refused').at(-1)).toEqual({
      kind: 'boundary.refused',
      session: 's',
      by: 'alice',
      decision: 'deny',
      reasons: [reason],
      places: [{ path }],
    });
  }
  expect(await guard.set({ roots: [{ path: join(rig.directory, 'other'), access: 'rw' }] }, ALICE)).toMatchObject({
    kind: 'invalid',
  });
  expect(rig.recorded('boundary.refused').at(-1)).toMatchObject({ reasons: ['outside'], places: [{ path: project }] });
  expect(guard.boundary()).toMatchObject({ revision: 1, roots: [{ path: project }] });
  expect(rig.recorded('boundary.changed')).toEqual([]);
});

it('is recorded of a root that nobody may give a server', async () => {
  await using guard = await rig.session('s');
  await rig.server(guard);
  const wish = { server: 'files', path: '/proc', access: 'ro' } as const;
  expect(await guard.grant(wish, ALICE)).toMatchObject({ kind: 'refused' });
  expect(await guard.request(wish, ALICE)).toMatchObject({ kind: 'refused' });
  const refused = {
    kind: 'boundary.refused',
    session: 's',
    by: 'alice',
    reasons: ['never'],
    places: [{ path: '/proc' }],
  };
  expect(rig.recorded('boundary.refused')).toMatchObject([refused, refused]);
});
