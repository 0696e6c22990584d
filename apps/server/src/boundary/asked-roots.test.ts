import { mkdir, rename } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openMemoryStore } from '../store/memory/memory-store.ts';
import { ALICE, at, carryOut, NEVER, OTHER, paths, STRANGER, soon, startBoundaries } from './boundaries.rig.ts';

describe('roots that policies do not cover', () => {
  it('are asked about in one request, which those that come later join', async () => {
    await using rig = await startBoundaries();
    const [one, two] = [await rig.make('other/one'), await rig.make('other/two')];
    const project = at(rig, 'project');
    const session = await rig.session('s', {
      roots: [
        { path: project, access: 'rw' },
        { path: one, access: 'rw' },
      ],
    });
    const server = await rig.server(session);
    carryOut(server);
    // What is decided is told at once; what is not, later.
    const told = await server.expose('server', soon());
    expect(paths(told.roots)).toEqual([project]);
    expect(told.undecided).toBe(1);
    await session.widen({ roots: [{ path: two, access: 'ro' }] }, ALICE);
    const asking = server.expose('server', NEVER);
    await expect.poll(() => paths(rig.waiting()[0]?.params.roots ?? [])).toEqual([one, two]);
    expect(rig.waiting()).toHaveLength(1);
    expect(rig.waiting()[0]?.params).toMatchObject({
      review: 'root',
      roots: [
        { access: 'rw', risks: ['outside_project'], highRisk: false, inProject: false },
        { access: 'ro', risks: ['outside_project'] },
      ],
    });
    await rig.answer(rig.waiting()[0] as never, { decision: 'approve', roots: [{ path: one, access: 'ro' }] });
    expect((await asking).roots).toEqual([
      { path: project, access: 'rw' },
      { path: one, access: 'ro' },
    ]);
    expect(server.scope().undecided).toBe(0);
    expect(rig.recorded('grant.given')).toMatchObject([{ by: 'alice', roots: [{ path: one, access: 'ro' }] }]);
    expect(rig.recorded('grant.denied')).toMatchObject([{ roots: [{ path: two }] }]);
  });

  it('need an administrator where they are of high risk, and others do not wait for that', async () => {
    await using rig = await startBoundaries();
    const home = at(rig, 'home');
    const roots = [at(rig, 'project'), home].map((path) => ({ path, access: 'ro' as const }));
    const server = await rig.server(await rig.session('s', { roots }));
    const asking = server.expose('server', NEVER);
    await expect.poll(() => rig.waiting()).toHaveLength(1);
    const [review] = rig.waiting();
    expect(review?.params).toMatchObject({ approval: 'administrator', roots: [{ path: home, highRisk: true }] });
    await expect(rig.answer(review as never, { decision: 'approve' })).rejects.toThrow(/administrator/);
    await rig.answer(review as never, { decision: 'approve' }, true);
    expect(paths((await asking).roots)).toEqual(paths(roots));
  });

  it('that are decided for the project count in its other sessions, those for the session do not', async () => {
    await using rig = await startBoundaries();
    const other = at(rig, 'other');
    const roots = [at(rig, 'project'), other].map((path) => ({ path, access: 'rw' as const }));
    const [first, second] = await Promise.all(['s', 't'].map((name) => rig.session(name, { roots })));
    const servers = await Promise.all([first, second].map((session) => rig.server(session as never)));
    const changes = carryOut(servers[1] as never);
    for (const scope of ['session', 'project'] as const) {
      void servers[0]?.expose('server', NEVER);
      await expect.poll(() => rig.waiting('s')).toHaveLength(1);
      await rig.answer(rig.waiting('s')[0] as never, { decision: 'approve', scope });
      expect(paths(servers[0]?.scope().roots ?? [])).toContain(other);
      expect(paths(servers[1]?.scope().roots ?? []).includes(other)).toBe(scope === 'project');
      if (scope === 'session') {
        const [grant] = await rig.boundaries.grants({});
        await rig.boundaries.revokeGrant(grant?.id ?? '', ALICE);
        expect(servers[0]?.scope().roots).toHaveLength(1);
      }
    }
    expect(changes).toMatchObject([{ diff: { direction: 'wider' }, calls: 'finish' }]);
  });

  it('are given until a time, and taken away then', async () => {
    await using rig = await startBoundaries();
    const other = at(rig, 'other');
    const session = await rig.session('s', {
      roots: [at(rig, 'project'), other].map((path) => ({ path, access: 'rw' })),
    });
    const server = await rig.server(session);
    const changes = carryOut(server);
    const wish = { server: 'files', path: other, access: 'rw', expiresAt: Date.now() + 60 } as const;
    await session.grant(wish, ALICE);
    expect(paths(server.scope().roots)).toContain(other);
    await expect.poll(() => paths(server.scope().roots)).not.toContain(other);
    expect(changes.at(-1)).toMatchObject({ diff: { direction: 'narrower', restart: 'required' }, calls: 'cancel' });
    await expect.poll(() => rig.recorded('grant.expired')).toHaveLength(1);
    expect(await rig.boundaries.grants({})).toEqual([]);
  });

  it('are recorded with what each was given by: policies, and the grant of a person', async () => {
    await using rig = await startBoundaries();
    const other = at(rig, 'other');
    const session = await rig.session('s');
    const server = await rig.server(session);
    const expiresAt = Date.now() + 3_600_000;
    await session.grant({ server: 'files', path: other, access: 'ro', expiresAt }, ALICE);
    await server.expose('server', NEVER);
    const [grant] = await rig.boundaries.grants({});
    expect(rig.recorded('roots.exposed')).toMatchObject([
      {
        roots: [{ path: at(rig, 'project') }, { path: other }],
        given: [
          { policies: ['project-to-confined-servers'], roots: [0] },
          { policies: ['ask'], grant: { id: grant?.id, by: 'alice', scope: 'session', expiresAt }, roots: [1] },
        ],
      },
    ]);
    // The session's own change, and what only the server has another scope by.
    await session.revoke(other, ALICE, 'files');
    const told = [...rig.recorded('boundary.changed'), ...rig.recorded('boundary.revised')];
    const revisions = told.map((fact) => (fact as { readonly revision: number }).revision);
    const { revision } = session.boundary();
    expect(revisions.toSorted((one, two) => one - two)).toEqual(Array.from({ length: revision - 1 }, (_, n) => n + 2));
    expect(rig.recorded('boundary.revised').at(-1)).toMatchObject({
      direction: 'narrower',
      revision,
      server: { name: 'files' },
    });
  });

  it('are taken with the whole server when its approval expires, and the records say that', async () => {
    await using rig = await startBoundaries();
    const server = await rig.server(await rig.session('s'), { origin: 'client' });
    const changes = carryOut(server);
    const admitted = server.admit(NEVER);
    await expect.poll(() => rig.waiting()).toHaveLength(1);
    const expiresAt = Date.now() + 300;
    await rig.answer(rig.waiting()[0] as never, { decision: 'approve', expiresAt });
    expect(await admitted).toMatchObject({ kind: 'admitted' });
    await expect
      .poll(() => rig.recorded('mcp.withdrawn'))
      .toMatchObject([{ cause: 'expired', server: { name: 'files' } }]);
    expect(rig.recorded('mcp.expired')).toMatchObject([
      { expired: 'allow', scope: 'session', session: 's', expiresAt },
    ]);
    expect(changes.at(-1)?.withdrawn).toContain('its approval has expired');
    expect(await rig.boundaries.approvals({})).toEqual([]);
  });

  it('are not asked about any more once that is decided otherwise', async () => {
    await using rig = await startBoundaries();
    const other = at(rig, 'other');
    const roots = [at(rig, 'project'), other].map((path) => ({ path, access: 'rw' as const }));
    const session = await rig.session('s', { roots });
    const server = await rig.server(session);
    const asking = server.expose('server', NEVER);
    await expect.poll(() => rig.waiting()).toHaveLength(1);
    await session.revoke(other, ALICE);
    expect(paths((await asking).roots)).toEqual([at(rig, 'project')]);
    await expect.poll(() => rig.waiting()).toEqual([]);
    const stranger = await rig.server(session, { ...STRANGER, name: 'stranger', transport: OTHER });
    const admitting = stranger.admit(NEVER);
    await expect.poll(() => rig.waiting()).toHaveLength(1);
    await rig.boundaries.loadPolicies(
      [{ name: 'open', text: '@id("open") permit (principal, action, resource);' }],
      ALICE,
    );
    expect(await admitting).toMatchObject({ kind: 'admitted' });
    await expect.poll(() => rig.waiting()).toEqual([]);
  });

  it('that were decided count after a restart of the server, and what nobody answered is asked again', async () => {
    const { grants } = openMemoryStore();
    await using before = await startBoundaries({ store: grants });
    const roots = ['project', 'other', 'home'].map((name) => ({ path: at(before, name), access: 'rw' as const }));
    const first = await before.server(await before.session('s', { roots }));
    void first.expose('server', NEVER);
    await expect.poll(() => before.waiting()).toHaveLength(2);
    await before.answer(before.waiting()[0] as never, { reply: 'once' });
    await using after = await startBoundaries({ store: grants, home: at(before, 'home') });
    const session = await after.session('s', { roots, cwd: at(before, 'project') });
    const again = await after.server(session);
    expect(paths(again.scope().roots)).toEqual(paths(roots.slice(0, 2)));
    void again.expose('server', NEVER);
    await expect.poll(() => after.waiting().map(({ params }) => params.approval)).toEqual(['administrator']);
  });

  it('are never given where no approval can make them roots, and the reason is told', async () => {
    await using rig = await startBoundaries();
    const data = at(rig, 'data');
    const session = await rig.session('s', {
      roots: [at(rig, 'project'), data].map((path) => ({ path, access: 'rw' })),
    });
    const server = await rig.server(session);
    expect(paths((await server.expose('server', NEVER)).roots)).toEqual([at(rig, 'project')]);
    expect(session.standing('files')[1]).toMatchObject({
      state: 'denied',
      why: expect.stringMatching(/Reeve keeps its own/),
    });
    const wish = { server: 'files', path: data, access: 'ro' } as const;
    expect(await session.grant(wish, { label: 'root', administrator: true })).toMatchObject({ kind: 'refused' });
  });

  it('can be asked for by a person, and then the session has them too', async () => {
    await using rig = await startBoundaries();
    const session = await rig.session('s');
    const server = await rig.server(session);
    const wish = { server: 'files', path: at(rig, 'other'), access: 'ro' } as const;
    const asked = await session.request(wish, ALICE);
    expect(asked).toMatchObject({ kind: 'asked' });
    expect(await session.request(wish, ALICE)).toEqual(asked);
    await rig.answer(rig.waiting()[0] as never, { reply: 'once' });
    expect(paths(server.scope().roots)).toEqual([at(rig, 'project'), at(rig, 'other')]);
    expect(session.boundary()).toMatchObject({ roots: [{}, { path: at(rig, 'other'), access: 'ro' }] });
    expect(await session.request({ server: 'files', path: '/proc', access: 'ro' }, ALICE)).toMatchObject({
      kind: 'refused',
    });
    expect(await session.request({ server: 'none', path: '/tmp', access: 'ro' }, ALICE)).toMatchObject({
      kind: 'refused',
    });
  });
});

describe('a directory that a person names', () => {
  it('is what is there at that moment, also when another one was there before', async () => {
    await using rig = await startBoundaries();
    const other = at(rig, 'other');
    const session = await rig.session('s');
    const server = await rig.server(session);
    const wish = { server: 'files', path: other, access: 'ro' } as const;
    await session.request(wish, ALICE);
    await rig.answer(rig.waiting()[0] as never, { reject: true });
    await rename(other, `${other}-before`);
    await mkdir(other);
    expect(await session.grant(wish, ALICE)).toMatchObject({ kind: 'changed' });
    expect(paths((await server.expose('server', NEVER)).roots)).toEqual([at(rig, 'project'), other]);
  });
});
