import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import type { SessionId } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import { ALICE, at, carryOut, NEVER, paths, STRANGER, startBoundaries } from './boundaries.rig.ts';
import type { ServerPackages } from './server-packages.ts';

/** Each command fetches the package `files`, of which nothing is known until it is examined. */
function fakePackages(members: Partial<ServerPackages> = {}): ServerPackages {
  const npm = { registry: 'npm', spec: 'files@latest', name: 'files' } as const;
  return {
    known: async () => ({ kind: 'unresolved', ...npm, why: 'it was never started' }),
    examine: async () => ({ kind: 'resolved', ...npm, version: '1.2.3', integrity: 'sha512-x' }),
    approve: async () => {},
    forget: async () => {},
    ...members,
  };
}

describe('a change of the boundary', () => {
  it('is in force at once, and done when the servers have changed over and looked', async () => {
    await using rig = await startBoundaries();
    const src = await rig.make('project/src');
    const other = at(rig, 'other');
    const session = await rig.session('s', {
      roots: [
        { path: at(rig, 'project'), access: 'rw' },
        { path: other, access: 'rw' },
      ],
    });
    const server = await rig.server(session);
    await session.grant({ server: 'files', path: other, access: 'rw' }, ALICE);
    const changes = carryOut(server);
    const revision = session.boundary().revision;
    const revoking = session.revoke(other, ALICE);
    expect(paths(server.scope().roots)).toEqual([at(rig, 'project')]);
    expect(await revoking).toMatchObject({
      kind: 'changed',
      boundary: { revision: revision + 1 },
      servers: [{ server: 'files', result: 'gone' }],
    });
    expect(changes).toMatchObject([{ before: { revision }, after: { revision: revision + 1 }, calls: 'cancel' }]);
    expect(await session.narrow({ roots: [{ path: src, access: 'ro' }] }, ALICE)).toMatchObject({ kind: 'refused' });
    const set = await session.set({ roots: [{ path: at(rig, 'project'), access: 'ro' }] }, ALICE);
    expect(set).toMatchObject({ kind: 'changed' });
    expect(server.scope().roots).toEqual([{ path: at(rig, 'project'), access: 'ro' }]);
    expect(rig.recorded('boundary.changed')).toHaveLength(2);
    expect(rig.recorded('boundary.verified')).toHaveLength(2);
  });

  it('is reported as failed or unverified where nobody could look', async () => {
    await using rig = await startBoundaries();
    const other = at(rig, 'other');
    const roots = [at(rig, 'project'), other].map((path) => ({ path, access: 'rw' as const }));
    const session = await rig.session('s', { roots });
    const server = await rig.server(session);
    server.held({
      backend: 'bubblewrap',
      fs: 'enforced',
      network: 'enforced',
      limits: 'enforced',
      limitsTier: 'cgroup',
      gaps: [],
    });
    await session.grant({ server: 'files', path: other, access: 'rw' }, ALICE);
    using watching = server.watch(async () => {});
    const silent = await session.revoke(other, ALICE, 'files');
    expect(silent).toMatchObject({ kind: 'changed', servers: [{ result: 'unverified' }] });
    watching[Symbol.dispose]();
    await session.grant({ server: 'files', path: other, access: 'rw' }, ALICE);
    server.watch(() => Promise.reject(new Error('no memory')));
    const failed = await session.revoke(other, ALICE);
    expect(failed).toMatchObject({ kind: 'changed', servers: [{ result: 'failed' }] });
  });

  it('takes a root from one server alone, and keeps it for the session', async () => {
    await using rig = await startBoundaries();
    const session = await rig.session('s');
    const [one, two] = await Promise.all(
      ['one', 'two'].map((name) =>
        rig.server(session, { name, transport: { kind: 'stdio', command: 'sh', args: [name], env: {} } }),
      ),
    );
    expect(await session.revoke(at(rig, 'project'), ALICE, 'one')).toMatchObject({ kind: 'changed' });
    expect([one, two].map((server) => server?.scope().roots.length)).toEqual([0, 1]);
    expect(session.boundary().roots).toHaveLength(1);
    expect(one?.scope().undecided).toBe(0);
  });

  it('of what one server may have is a revision of the session too, and told to who keeps it', async () => {
    await using rig = await startBoundaries();
    const session = await rig.session('s');
    const server = await rig.server(session);
    const revisions: string[] = [];
    session.watch(async ({ after, diff }) => void revisions.push(`${after.revision} ${diff.direction}`));
    await session.revoke(at(rig, 'project'), ALICE, 'files');
    expect(server.scope().revision).toBe(2);
    await session.set({ roots: [{ path: at(rig, 'project'), access: 'ro' }] }, ALICE, 2);
    expect(revisions).toEqual(['2 same', '3 narrower']);
  });

  it('is refused where another was faster, and says so', async () => {
    await using rig = await startBoundaries();
    const session = await rig.session('s');
    const wish = { roots: [{ path: at(rig, 'project'), access: 'ro' as const }] };
    expect(await session.set(wish, ALICE, 7)).toEqual({ kind: 'conflict', revision: 1 });
    expect(await session.set(wish, ALICE, 1)).toMatchObject({ kind: 'changed', boundary: { revision: 2 } });
    expect(await session.set(wish, ALICE)).toMatchObject({ kind: 'unchanged' });
    expect(await session.set({ roots: [{ path: '/', access: 'ro' }] }, ALICE)).toMatchObject({ kind: 'invalid' });
  });

  it('of the policies narrows what runs, and stops a server that may not run any more', async () => {
    await using rig = await startBoundaries();
    const session = await rig.session('s');
    const server = await rig.server(session);
    await server.admit(NEVER);
    await server.expose('reeve', NEVER);
    const changes = carryOut(server);
    const strict = [{ name: 'strict.cedar', text: '@id("none") forbid (principal, action, resource);' }];
    expect(await rig.boundaries.loadPolicies(strict, ALICE)).toMatchObject({ kind: 'loaded' });
    expect(server.scope().roots).toEqual([]);
    expect(changes).toMatchObject([{ diff: { direction: 'narrower' }, withdrawn: expect.any(String) }]);
    expect(await server.admit(NEVER)).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/none/) });
    const broken = await rig.boundaries.loadPolicies([{ name: 'x', text: 'permit (' }], ALICE);
    expect(broken).toMatchObject({ kind: 'invalid', problems: [{ file: 'x' }] });
    expect((await rig.boundaries.policies()).policies.map(({ id }) => id)).toEqual(['none']);
  });

  it('begins with the policies that an operator wrote, checked before any session, or with those that ship once there is one', async () => {
    const own = [{ name: 'own.cedar', text: '@id("own") forbid (principal, action, resource);' }];
    await using strict = await startBoundaries({ policies: own });
    expect(strict.recorded('policy.loaded')).toMatchObject([{ by: 'reeve', policies: ['own'] }]);
    await expect(startBoundaries({ policies: [{ name: 'x', text: 'permit (' }] })).rejects.toMatchObject({
      code: 'policies_invalid',
      problems: [{ file: 'x' }],
    });
    await using shipped = await startBoundaries();
    expect(shipped.recorded('policy.loaded')).toEqual([]);
    await Promise.all([shipped.session('s'), shipped.session('t')]);
    const { hash } = await shipped.boundaries.policies();
    expect(shipped.recorded('policy.loaded')).toMatchObject([{ by: 'reeve', policyHash: hash }]);
  });

  it('replaces policies that nothing was decided by yet', async () => {
    await using rig = await startBoundaries();
    const own = [{ name: 'own.cedar', text: '@id("own") forbid (principal, action, resource);' }];
    const loaded = rig.boundaries.loadPolicies(own, ALICE);
    await using session = await rig.session('s');
    expect(await loaded).toMatchObject({ kind: 'loaded' });
    expect((await rig.boundaries.policies()).policies.map(({ id }) => id)).toEqual(['own']);
    expect(session.boundary().revision).toBe(1);
  });

  it('forgets what was decided for one session when that is gone for good', async () => {
    await using rig = await startBoundaries();
    const roots = [at(rig, 'project'), at(rig, 'other')].map((path) => ({ path, access: 'rw' as const }));
    const session = await rig.session('s', { roots });
    await rig.server(session);
    const wish = { server: 'files', path: at(rig, 'other'), access: 'rw' } as const;
    await session.grant({ ...wish, scope: 'session' }, ALICE);
    await session.grant({ ...wish, scope: 'always' }, ALICE);
    await session[Symbol.asyncDispose]();
    expect(rig.boundaries.find('s' as SessionId)).toBeUndefined();
    await rig.boundaries.forgetSession('s' as SessionId);
    expect((await rig.boundaries.grants({})).map(({ scope }) => scope.kind)).toEqual(['always']);
  });

  it('forgets a server: what it was granted is gone, and it is stopped where it runs', async () => {
    const forgotten: string[] = [];
    const packages = fakePackages({ forget: async (fingerprint) => void forgotten.push(fingerprint) });
    await using rig = await startBoundaries({ packages });
    const server = await rig.server(await rig.session('s'), STRANGER);
    const admitted = server.admit(NEVER);
    await expect.poll(() => rig.waiting()).toHaveLength(1);
    await rig.answer(rig.waiting()[0] as never, { decision: 'approve', scope: 'always' });
    await admitted;
    const changes = carryOut(server);
    expect(await rig.boundaries.forgetServer(server.fingerprint, ALICE)).toBe(1);
    expect(forgotten).toEqual([server.fingerprint]);
    expect(changes).toMatchObject([{ withdrawn: expect.any(String), calls: 'cancel' }]);
    expect(await rig.boundaries.approvals({})).toEqual([]);
  });
});

describe('a root', () => {
  it.each([
    ['deleted', (path: string) => rm(path, { recursive: true })],
    [
      'replaced',
      async (path: string) => {
        await rename(path, `${path}-before`);
        await mkdir(path);
      },
    ],
    [
      'moved',
      async (path: string) => {
        await rename(path, `${path}-before`);
        await mkdir(`${path}-elsewhere`);
        await symlink(`${path}-elsewhere`, path);
      },
    ],
  ] as const)('that is %s is lost before the next answer, with an event and a record', async (how, spoil) => {
    await using rig = await startBoundaries();
    const other = await rig.make('project/packages');
    const roots = [
      { path: other, access: 'rw' as const },
      { path: at(rig, 'project'), access: 'ro' as const },
    ];
    const session = await rig.session('s', { roots });
    const server = await rig.server(session);
    expect(await server.expose('server', NEVER)).toMatchObject({ roots: [{ path: other }, {}] });
    await spoil(other);
    expect(paths((await server.expose('server', NEVER)).roots)).toEqual([at(rig, 'project')]);
    expect(rig.notices).toContainEqual({ kind: 'root_lost', path: other, how });
    expect(rig.recorded('root.lost').at(-1)).toMatchObject({ how, root: { path: other } });
    expect(session.standing('files')).toMatchObject([{ state: 'lost' }, { state: 'granted' }]);
  });

  it('is noticed by itself when it goes, and is back when the same directory is', async () => {
    await using rig = await startBoundaries();
    const other = await rig.make('project/packages');
    const session = await rig.session('s', {
      roots: [
        { path: other, access: 'rw' },
        { path: at(rig, 'project'), access: 'ro' },
      ],
    });
    const server = await rig.server(session);
    await rename(other, `${other}-away`);
    await expect.poll(() => rig.notices.map(({ kind }) => kind)).toContain('root_lost');
    await rename(`${other}-away`, other);
    await expect.poll(() => rig.notices.map(({ kind }) => kind)).toContain('root_back');
    expect(paths(server.scope().roots)).toContain(other);
  });

  it('that was swapped while the session slept is noticed when it is opened again, and approved by naming it anew', async () => {
    await using rig = await startBoundaries();
    const project = at(rig, 'project');
    const first = await rig.session('s');
    const identities = first.identities();
    await first[Symbol.asyncDispose]();
    await rename(project, `${project}-before`);
    await mkdir(project);
    const again = await rig.session('s', { identities });
    const server = await rig.server(again);
    expect(server.scope().roots).toEqual([]);
    expect(again.standing('files')).toMatchObject([{ state: 'lost' }]);
    const set = await again.set({ roots: [{ path: project, access: 'rw' }] }, ALICE);
    expect(set).toMatchObject({ kind: 'changed' });
    expect(paths(server.scope().roots)).toEqual([project]);
  });
});

describe('the number of a revision', () => {
  it('is kept before anything is recorded under it, and goes on from there when the session is opened again', async () => {
    await using rig = await startBoundaries();
    const session = await rig.session('s');
    const server = await rig.server(session);
    let kept = session.boundary();
    const numbers = () =>
      rig.facts.flatMap((fact) => ('revision' in fact && typeof fact.revision === 'number' ? [fact.revision] : []));
    const early: number[] = [];
    session.watch(async ({ after }) => {
      early.push(...numbers().filter((revision) => revision >= after.revision));
      kept = { ...after, network: after.network ?? 'full' };
    });
    await session.grant({ server: 'files', path: at(rig, 'other'), access: 'ro' }, ALICE);
    await server.expose('server', NEVER);
    await session.revoke(at(rig, 'other'), ALICE);
    await server.expose('server', NEVER);
    expect(early).toEqual([]);
    expect(kept.revision).toBe(Math.max(...numbers()));
    await session[Symbol.asyncDispose]();
    const again = await rig.boundaries.open({
      session: session.session as SessionId,
      agent: 'codex',
      enforced: true,
      confined: true,
      place: { boundary: kept, cwd: at(rig, 'project') },
    });
    const used = Math.max(...numbers());
    await again.widen({ roots: [{ path: at(rig, 'other'), access: 'ro' }] }, ALICE);
    expect(again.boundary().revision).toBeGreaterThan(used);
  });
});

describe('a boundary of ten thousand roots', () => {
  it('is exposed, changed and changed again without holding anybody up', async () => {
    await using rig = await startBoundaries();
    const names = Array.from({ length: 10_000 }, (_, index) => `project/${index}`);
    for (let start = 0; start < names.length; start += 500)
      await Promise.all(names.slice(start, start + 500).map(rig.make));
    const roots = names.map((name) => ({ path: at(rig, name), access: 'rw' as const }));
    const took: Record<string, number> = {};
    const timed = async <Result>(what: string, run: () => Promise<Result>): Promise<Result> => {
      const begun = performance.now();
      const result = await run();
      took[what] = Math.round(performance.now() - begun);
      return result;
    };
    const session = await timed('open', () => rig.session('s', { roots, cwd: at(rig, 'project/0') }));
    const server = await timed('server', () => rig.server(session));
    expect((await timed('expose', () => server.expose('server', NEVER))).roots).toHaveLength(10_000);
    // In time of this thread, which no other program takes: what others waited for it between two of their turns.
    let longest = 0;
    let last = process.threadCpuUsage();
    const clock = setInterval(() => {
      const { user, system } = process.threadCpuUsage(last);
      longest = Math.max(longest, (user + system) / 1000);
      last = process.threadCpuUsage();
    }, 5);
    const told = carryOut(server);
    await timed('6 changes', () =>
      Promise.all(
        Array.from({ length: 6 }, (_, round) => session.narrow({ roots: roots.slice(0, -1 - round) }, ALICE)),
      ),
    );
    clearInterval(clock);
    expect(server.scope().roots).toHaveLength(9994);
    expect(told).toHaveLength(6);
    process.stdout.write(`10,000 roots, ms: ${JSON.stringify({ ...took, longest: Math.round(longest) })}\n`);
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThan(500);
  });
});
