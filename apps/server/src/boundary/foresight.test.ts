import type { BoundaryRoot } from '@reeve/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BoundariesRig, startBoundaries } from './boundaries.rig.ts';
import type { DeclaredServer } from './declared-server.ts';

let rig: BoundariesRig;
beforeEach(async () => {
  rig = await startBoundaries();
});
afterEach(() => rig[Symbol.asyncDispose]());

const OF_CLIENT: Partial<DeclaredServer> = { origin: 'client' };

/** What a session that begins now is told of one server. */
async function foreseen(server: Partial<DeclaredServer>, roots?: readonly BoundaryRoot[]) {
  await using guard = await rig.session('', { unbound: true, ...(roots === undefined ? {} : { roots }) });
  await rig.server(guard, server);
  const { servers } = await guard.foresee();
  return { start: servers[0]?.start, roots: servers[0]?.roots.map(({ outcome }) => outcome) };
}

async function decided(answer: { readonly decision: 'approve' | 'deny' }): Promise<void> {
  await using guard = await rig.session('s');
  const admitted = (await rig.server(guard, OF_CLIENT)).admit(AbortSignal.timeout(5000));
  await expect.poll(() => rig.waiting().length).toBe(1);
  await rig.answer(rig.waiting()[0] as never, { ...answer, scope: 'project' });
  await admitted;
}

describe('what would come of a session', () => {
  it('is by policies what each server and each root needs, and nothing is asked or recorded for it', async () => {
    const roots = [
      { path: `${rig.directory}/project`, access: 'rw' },
      { path: `${rig.directory}/other`, access: 'ro' },
      { path: '/etc', access: 'ro' },
    ] as const;
    const before = rig.facts.length;
    expect(await foreseen(OF_CLIENT, roots)).toEqual({ start: 'ask_user', roots: ['allow', 'ask_user', 'ask_admin'] });
    expect(await foreseen({}, roots)).toMatchObject({ start: 'allow' });
    expect(rig.waiting()).toEqual([]);
    expect(rig.notices).toEqual([]);
    // The policies themselves were loaded meanwhile, on the first occasion.
    expect(rig.facts.slice(before).map(({ kind }) => kind)).toEqual(['policy.loaded']);
  });

  it('is also by what people decided before, where that counts', async () => {
    await decided({ decision: 'approve' });
    expect(await foreseen(OF_CLIENT)).toEqual({ start: 'allow', roots: ['allow'] });
    const other = { kind: 'stdio', command: 'sh', args: ['-c', 'false'], env: {} } as const;
    expect(await foreseen({ ...OF_CLIENT, transport: other })).toMatchObject({ start: 'ask_user' });
  });

  it('is a refusal where a person refused', async () => {
    await decided({ decision: 'deny' });
    expect(await foreseen(OF_CLIENT)).toMatchObject({ start: 'deny' });
  });

  it('says what each root is, also where there is no server', async () => {
    const roots = [
      { path: `${rig.directory}/project`, access: 'rw' },
      { path: `${rig.directory}/home`, access: 'ro' },
      { path: `${rig.directory}/data`, access: 'ro' },
    ] as const;
    await using guard = await rig.session('', { unbound: true, roots });
    expect((await guard.foresee()).roots).toMatchObject([
      { risks: ['ordinary'], highRisk: false, inProject: true },
      { risks: expect.arrayContaining(['home_directory']), highRisk: true },
      { highRisk: true, why: expect.any(String) },
    ]);
  });
});
