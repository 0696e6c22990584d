import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replayDecisions } from '@reeve/policy';
import type { SessionId } from '@reeve/protocol';
import type { Enforcement } from '@reeve/sandbox';
import { describe, expect, it } from 'vitest';
import type { AuditFact } from '../audit/audit-fact.ts';
import { openMemoryStore } from '../store/memory/memory-store.ts';
import { type BoundariesRig, carryOut, NEVER, startBoundaries } from './boundaries.rig.ts';
import type { DeclaredServer } from './declared-server.ts';
import type { ServerPackages } from './server-packages.ts';

const ALICE = { label: 'alice', administrator: false };
const STRANGER = { origin: 'client' } as const;
const OTHER = { kind: 'stdio', command: 'sh', args: ['-c', 'false'], env: {} } as const;

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

const paths = (roots: readonly { readonly path: string }[]): string[] => roots.map(({ path }) => path);
const at = (rig: BoundariesRig, name: string): string => join(rig.directory, name);
const soon = (): AbortSignal => AbortSignal.timeout(20);

describe('a server of a session', () => {
  it('that the operator configured may run, and has the project without anybody being asked', async () => {
    await using rig = await startBoundaries();
    const session = await rig.session('s');
    const server = await rig.server(session);
    expect(await server.admit(NEVER)).toEqual({ kind: 'admitted', trusted: false });
    expect(await server.expose('reeve', NEVER)).toEqual({
      revision: 1,
      roots: [{ path: at(rig, 'project'), access: 'rw' }],
      cwd: at(rig, 'project'),
      network: 'none',
      undecided: 0,
    });
    expect(rig.waiting()).toEqual([]);
    expect(rig.recorded('mcp.admitted')).toMatchObject([{ approval: 'policy', policies: ['known-servers'] }]);
    expect(rig.recorded('roots.exposed')).toMatchObject([{ revision: 1, again: false, initiator: 'reeve' }]);
  });

  it('that nobody has seen before is reviewed with its command before it starts, and runs once that is approved', async () => {
    await using rig = await startBoundaries();
    const session = await rig.session('s');
    const args = ['-c', 'echo "a b" && true'];
    const env = { TOKEN: 'planted-secret' };
    const server = await rig.server(session, { ...STRANGER, transport: { kind: 'stdio', command: 'sh', args, env } });
    const admitted = server.admit(NEVER);
    await expect.poll(() => rig.waiting()).toHaveLength(1);
    const [review] = rig.waiting();
    expect(review?.params).toMatchObject({
      review: 'server',
      approval: 'user',
      server: { name: 'files', command: 'sh', args, local: true, sandboxed: true, changed: false, origin: 'client' },
      scopes: ['session', 'project', 'always'],
    });
    expect(review?.params).not.toHaveProperty('tools');
    expect(JSON.stringify(review)).not.toContain('planted-secret');
    expect(server.scope().roots).toEqual([]);
    await rig.answer(review as never, { reply: 'once' });
    expect(await admitted).toMatchObject({ kind: 'admitted' });
    expect(paths(server.scope().roots)).toEqual([at(rig, 'project')]);
  });

  it('is asked about once more where it was denied for the session, and never again where it was denied for good', async () => {
    await using rig = await startBoundaries();
    const session = await rig.session('s');
    const server = await rig.server(session, STRANGER);
    for (const scope of ['session', 'always'] as const) {
      const admitted = server.admit(NEVER);
      await expect.poll(() => rig.waiting()).toHaveLength(1);
      await rig.answer(rig.waiting()[0] as never, { decision: 'deny', scope });
      expect(await admitted).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/alice/) });
    }
    expect(await server.admit(NEVER)).toMatchObject({ kind: 'refused' });
    expect(rig.waiting()).toEqual([]);
    expect(rig.recorded('mcp.refused')).toHaveLength(3);
  });

  it('runs with a person’s yes where policies want one for every server, and stops when that is taken back', async () => {
    const text = '@id("ask-always") permit (principal, action, resource) when { context.approved };';
    await using rig = await startBoundaries({ policies: [{ name: 'ask.cedar', text }] });
    const server = await rig.server(await rig.session('s'));
    const admitted = server.admit(NEVER);
    await expect.poll(() => rig.waiting()).toHaveLength(1);
    await rig.answer(rig.waiting()[0] as never, { decision: 'approve', scope: 'project' });
    expect(await admitted).toMatchObject({ kind: 'admitted' });
    expect(await server.admit(NEVER)).toMatchObject({ kind: 'admitted' });
    expect(paths(server.scope().roots)).toEqual([at(rig, 'project')]);
    const changes = carryOut(server);
    await rig.boundaries.forgetServer(server.fingerprint, ALICE);
    expect(changes).toMatchObject([{ withdrawn: expect.any(String), diff: { direction: 'narrower' } }]);
  });

  it('waits with its review until the session has a name', async () => {
    await using rig = await startBoundaries();
    const session = await rig.session('s', { unbound: true });
    const server = await rig.server(session, STRANGER);
    const admitted = server.admit(NEVER);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(rig.broker.pendingCount).toBe(0);
    session.bind('s' as SessionId);
    await expect.poll(() => rig.waiting()).toHaveLength(1);
    expect(rig.boundaries.find('s' as SessionId)).toBe(session);
    await rig.answer(rig.waiting()[0] as never, { reply: 'once' });
    expect(await admitted).toMatchObject({ kind: 'admitted' });
    expect(rig.recorded('mcp.admitted')).toMatchObject([{ session: 's', by: 'alice', approval: 'user' }]);
  });

  it('is another one when its program changed, and the review says that it did', async () => {
    await using rig = await startBoundaries();
    const script = at(rig, 'server.sh');
    await writeFile(script, 'true');
    const transport = { kind: 'stdio', command: 'sh', args: [script], env: {} } as const;
    const session = await rig.session('s');
    const server = await rig.server(session, { ...STRANGER, transport });
    const first = server.admit(NEVER);
    await expect.poll(() => rig.waiting()).toHaveLength(1);
    await rig.answer(rig.waiting()[0] as never, { decision: 'approve', scope: 'always' });
    expect(await first).toMatchObject({ kind: 'admitted' });
    const before = server.fingerprint;
    await writeFile(script, 'curl evil.example');
    const second = server.admit(NEVER);
    await expect.poll(() => rig.waiting()).toHaveLength(1);
    expect(rig.waiting()[0]?.params.server).toMatchObject({ changed: true });
    expect(server.fingerprint).not.toBe(before);
    await rig.answer(rig.waiting()[0] as never, { reject: true });
    expect(await second).toMatchObject({ kind: 'refused' });
  });

  it('is no changed one for what was approved under its name in another project or session', async () => {
    await using rig = await startBoundaries();
    const other = at(rig, 'other');
    await writeFile(join(other, 'package.json'), '{}');
    const server = async (session: string, script: string, place: Parameters<typeof rig.session>[1] = {}) => {
      const transport = { kind: 'stdio', command: 'sh', args: ['-c', script], env: {} } as const;
      const opened = await rig.server(await rig.session(session, place), { ...STRANGER, transport });
      const admitted = opened.admit(NEVER).catch(() => undefined);
      await expect.poll(() => rig.waiting(session)).toHaveLength(1);
      const [request] = rig.waiting(session);
      return { changed: request?.params.server.changed, request: request as never, admitted };
    };
    const approve = async (asked: Awaited<ReturnType<typeof server>>, scope: 'session' | 'project' | 'always') => {
      await rig.answer(asked.request, { decision: 'approve', scope });
      await asked.admitted;
    };
    const elsewhere = { cwd: other, roots: [{ path: other, access: 'rw' as const }] };
    await approve(await server('a', 'true 1'), 'project');
    const apart = await server('b', 'true 2', elsewhere);
    expect(apart.changed).toBe(false);
    await approve(apart, 'session');
    expect((await server('c', 'true 3', elsewhere)).changed).toBe(false);
    const beside = await server('d', 'true 4');
    expect(beside.changed).toBe(true);
    await approve(beside, 'always');
    expect((await server('e', 'true 5', elsewhere)).changed).toBe(true);
  });

  it.each<[string, Partial<Extract<DeclaredServer['transport'], { kind: 'stdio' }>>]>([
    ['command', { command: 'env', args: ['sh', '-c', 'true'] }],
    ['arguments', { args: ['-c', 'true', '--write'] }],
    ['variables', { env: { TOKEN: 'x', EDITOR: 'y' } }],
  ])('that was approved for good is asked about again where its %s are others', async (_what, other) => {
    await using rig = await startBoundaries();
    const transport = { kind: 'stdio', command: 'sh', args: ['-c', 'true'], env: { TOKEN: 'x' } } as const;
    const open = async (session: string, members: object) =>
      (await rig.server(await rig.session(session), { ...STRANGER, transport: { ...transport, ...members } })).admit(
        NEVER,
      );
    const first = open('a', {});
    await expect.poll(() => rig.waiting('a')).toHaveLength(1);
    await rig.answer(rig.waiting('a')[0] as never, { decision: 'approve', scope: 'always' });
    expect(await first).toMatchObject({ kind: 'admitted' });
    expect(await open('b', { env: { TOKEN: 'another' } })).toMatchObject({ kind: 'admitted' });
    const changed = open('c', other);
    await expect.poll(() => rig.waiting('c')).toMatchObject([{ params: { server: { changed: true } } }]);
    await rig.answer(rig.waiting('c')[0] as never, { reject: true });
    expect(await changed).toMatchObject({ kind: 'refused' });
  });

  it('is reviewed with the package that its command fetches and the names of its variables, and what was shown is pinned first', async () => {
    const pinned: unknown[] = [];
    const approve = async (...what: unknown[]) =>
      void pinned.push([...what, (await rig.boundaries.approvals({})).length]);
    await using rig = await startBoundaries({ packages: fakePackages({ approve }) });
    const session = await rig.session('s');
    const env = { TOKEN: 'secret', ACCOUNT: 'secret' };
    const transport = { kind: 'stdio', command: 'npx', args: ['files@latest'], env } as const;
    const server = await rig.server(session, { ...STRANGER, transport });
    expect(session.about('files')?.server.package).toMatchObject({ kind: 'unresolved' });
    const admitted = server.admit(NEVER);
    await expect.poll(() => rig.waiting()).toHaveLength(1);
    const [asked] = rig.waiting();
    expect(asked?.params.server).toMatchObject({
      variables: ['ACCOUNT', 'TOKEN'],
      package: { kind: 'resolved', name: 'files', version: '1.2.3', integrity: 'sha512-x' },
    });
    expect(JSON.stringify(asked)).not.toContain('secret');
    await rig.answer(asked as never, { decision: 'approve' });
    expect(await admitted).toMatchObject({ kind: 'admitted' });
    expect(pinned).toEqual([[server.fingerprint, asked?.params.server.package, 0]]);
    server.fetched({
      kind: 'pinned',
      registry: 'npm',
      spec: 'files',
      name: 'files',
      version: '2.0.0',
      integrity: 'sha512-y',
    });
    expect(session.about('files')?.server.package).toMatchObject({ kind: 'pinned', version: '2.0.0' });
  });

  it('is not asked about where it is approved elsewhere while its package is looked up', async () => {
    const looking = Promise.withResolvers<undefined>();
    const answers = [looking.promise, Promise.resolve(undefined)];
    const examine = () => answers.shift() ?? expect.unreachable();
    await using rig = await startBoundaries({ packages: fakePackages({ examine }) });
    const admit = async (session: string) => (await rig.server(await rig.session(session), STRANGER)).admit(NEVER);
    const slow = admit('a');
    await expect.poll(() => answers).toHaveLength(1);
    const quick = admit('b');
    await expect.poll(() => rig.waiting('b')).toHaveLength(1);
    await rig.answer(rig.waiting('b')[0] as never, { decision: 'approve', scope: 'always' });
    expect(await quick).toMatchObject({ kind: 'admitted' });
    looking.resolve(undefined);
    expect(await slow).toMatchObject({ kind: 'admitted' });
    expect(rig.waiting('a')).toEqual([]);
  });

  it('that was approved and then forgotten is asked about again before it starts, and is no changed one', async () => {
    await using rig = await startBoundaries();
    const server = await rig.server(await rig.session('s'), STRANGER);
    for (const scope of ['always', 'session'] as const) {
      const admitted = server.admit(NEVER);
      await expect
        .poll(() => rig.waiting())
        .toMatchObject([{ params: { review: 'server', server: { changed: false } } }]);
      await rig.answer(rig.waiting()[0] as never, { decision: 'approve', scope });
      expect(await admitted).toMatchObject({ kind: 'admitted' });
      expect(await server.admit(NEVER)).toMatchObject({ kind: 'admitted' });
      await rig.boundaries.forgetServer(server.fingerprint, ALICE);
    }
    const stop = new AbortController();
    const again = server.admit(stop.signal).catch(() => 'nobody answered');
    await expect.poll(() => rig.waiting()).toHaveLength(1);
    stop.abort();
    expect(await again).toBe('nobody answered');
  });

  it('that is remote has no root unless a person named it for that server', async () => {
    await using rig = await startBoundaries();
    const session = await rig.session('s');
    const url = 'https://user:secret@mcp.example/path?token=secret#f';
    const server = await rig.server(session, {
      transport: { kind: 'http', url, headers: { authorization: 'secret' } },
    });
    expect((await server.expose('server', NEVER)).roots).toEqual([]);
    expect(rig.waiting()).toEqual([]);
    const given = await session.grant({ server: 'files', path: at(rig, 'project'), access: 'ro' }, ALICE);
    expect(given).toMatchObject({ kind: 'changed', servers: [{ server: 'files', result: 'told' }] });
    expect(server.scope().roots).toEqual([{ path: at(rig, 'project'), access: 'ro' }]);
    expect(JSON.stringify(rig.facts)).not.toMatch(/secret/);
  });

  it('has no more than the directories on its own command line, and these give it nothing', async () => {
    await using rig = await startBoundaries();
    const [inside, outside] = [await rig.make('project/src'), await rig.make('other')];
    const args = ['-c', 'true', inside, outside];
    const session = await rig.session('s');
    const server = await rig.server(session, { transport: { kind: 'stdio', command: 'sh', args, env: {} } });
    expect((await server.expose('server', NEVER)).roots).toEqual([{ path: inside, access: 'rw' }]);
    expect(session.standing('files')).toMatchObject([
      { root: { path: at(rig, 'project') }, state: 'granted', access: 'rw', only: [inside] },
    ]);
  });

  it('works in the directory of the session, also where that is not the first root, and is known by the script there', async () => {
    await using rig = await startBoundaries();
    const [other, project, src] = [at(rig, 'other'), at(rig, 'project'), await rig.make('project/src')];
    const roots = [other, project].map((path) => ({ path, access: 'rw' as const }));
    const session = await rig.session('s', { roots, cwd: src });
    const start = async (name: string, args: readonly string[]) => {
      const server = await rig.server(session, { name, transport: { kind: 'stdio', command: 'sh', args, env: {} } });
      await session.grant({ server: name, path: other, access: 'rw' }, ALICE);
      return server;
    };
    const script = await start('script', ['serve.sh']);
    expect(script.scope()).toMatchObject({ roots: [{ path: other }, { path: project }], cwd: src });
    expect((await start('here', ['.'])).scope()).toMatchObject({ roots: [{ path: src }], cwd: src });
    const before = script.fingerprint;
    await writeFile(join(src, 'serve.sh'), 'echo');
    await script.admit(NEVER);
    expect(script.fingerprint).not.toBe(before);
  });

  it('works in its first directory where it was not granted that of the session, and nowhere without one', async () => {
    await using rig = await startBoundaries();
    const [other, project] = [at(rig, 'other'), at(rig, 'project')];
    const file = join(other, 'file');
    await writeFile(file, '');
    const named = await rig.make('other/named');
    const session = await rig.session('s', {
      roots: [file, named, project].map((path) => ({ path, access: 'rw' })),
    });
    const server = await rig.server(session, { origin: 'client' });
    expect(server.scope()).not.toHaveProperty('cwd');
    await session.grant({ server: 'files', path: named, access: 'rw' }, ALICE);
    expect(server.scope().cwd).toBe(named);
    await session.grant({ server: 'files', path: project, access: 'rw' }, ALICE);
    expect(server.scope().cwd).toBe(project);
  });
});

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

describe('calls', () => {
  const call = {
    method: 'tools/call',
    tool: 'write_file',
    claims: { readOnly: false, destructive: true, openWorld: false },
    recorded: { method: 'tools/call', tool: 'write_file' },
    paths: ['/planted'],
  };

  it('are let through, or asked about when a destructive one may work with old roots', async () => {
    await using rig = await startBoundaries();
    const server = await rig.server(await rig.session('s'));
    expect(server.decide(call, false)).toMatchObject({ outcome: 'allow', policies: ['tools'] });
    const stale = server.decide(call, true);
    expect(stale).toMatchObject({ outcome: 'ask_user', policies: expect.arrayContaining(['stale-roots']) });
    server.began(call, stale).end('completed');
    expect(rig.recorded('mcp.called')).toMatchObject([
      { tool: 'write_file', outcome: 'completed', decision: 'ask_user', startRevision: 1, endRevision: 1 },
    ]);
  });

  it('are recorded with the facts that they were decided by, once for each case, and so is a start and a root', async () => {
    await using rig = await startBoundaries();
    const session = await rig.session('s');
    const server = await rig.server(session);
    await server.admit(NEVER);
    await server.expose('reeve', NEVER);
    const unlisted = { ...call, recorded: { method: 'tools/call', tool: undefined } };
    for (const one of [call, call, unlisted]) server.decide({ ...one, tool: '/planted/tool' }, false);
    const decided = rig.recorded('policy.decided') as readonly (AuditFact & { kind: 'policy.decided' })[];
    expect(decided.map(({ decision, case: { kind } }) => [kind, decision])).toEqual([
      ['start_server', 'allow'],
      ['expose_root', 'allow'],
      ['call_tool', 'allow'],
      ['call_tool', 'allow'],
    ]);
    expect(decided.map(({ policies }) => policies)).toEqual([
      ['known-servers'],
      ['project-to-confined-servers'],
      ['tools'],
      ['tools'],
    ]);
    expect(JSON.stringify(decided)).not.toMatch(/planted|\/tmp/);
    const set = await rig.boundaries.policies();
    const lines = decided.map((one) => JSON.stringify({ facts: one.case, outcome: one.decision })).join('\n');
    expect(replayDecisions(set, lines)).toEqual({ count: 4, changed: [], unread: [] });
  });

  it('are recorded with the name of the tool that is known when they end', async () => {
    await using rig = await startBoundaries();
    const server = await rig.server(await rig.session('s'));
    let tool = 'other';
    const late = {
      ...call,
      recorded: {
        method: 'tools/call',
        get tool() {
          return tool;
        },
      },
    };
    const recorded = server.began(late, server.decide(late, false));
    tool = 'write_file';
    recorded.end('completed');
    expect(rig.recorded('mcp.called')).toMatchObject([{ tool: 'write_file' }]);
    expect(rig.recorded('policy.decided')).toMatchObject([{ case: { tool: { name: 'other' } } }]);
  });

  it('are recorded apart from the yes that a start needs: what is decided by that has the request as its cause', async () => {
    await using rig = await startBoundaries();
    const server = await rig.server(await rig.session('s'), { origin: 'client' });
    const admitted = server.admit(NEVER);
    await expect.poll(() => rig.waiting()).toHaveLength(1);
    const [review] = rig.waiting();
    await rig.answer(review as never, { decision: 'approve' });
    await admitted;
    const [asking, started, ...more] = rig.recorded('policy.decided');
    expect(asking).toMatchObject({ decision: 'ask_user', case: { kind: 'start_server', server: { known: false } } });
    expect(asking).not.toHaveProperty('request');
    expect(started).toMatchObject({ decision: 'allow', case: { server: { known: true } }, request: review?.id });
    expect(more).toEqual([]);
  });

  it('that never reached the server are recorded as denied, with who refused them, whatever policies say', async () => {
    await using rig = await startBoundaries();
    const server = await rig.server(await rig.session('s'));
    const allowed = server.decide(call, false);
    expect(allowed.outcome).toBe('allow');
    const recorded = server.began(call, allowed);
    recorded.refused('gate');
    recorded.end('completed');
    server.began(call, allowed).refused('person');
    expect(rig.recorded('mcp.called')).toMatchObject([
      { outcome: 'refused', decision: 'deny', refusedBy: 'gate', policies: ['tools'] },
      { outcome: 'refused', decision: 'deny', refusedBy: 'person' },
    ]);
  });

  it('are approved once: also when the answer comes after nobody waits any more', async () => {
    await using rig = await startBoundaries();
    const server = await rig.server(await rig.session('s'));
    const question = { call, key: 'key', outcome: 'ask_user', shown: '{"path":"a"}' } as const;
    const pending = await server.askCall(question, soon());
    expect(pending).toEqual({ kind: 'pending', request: rig.waiting()[0]?.id });
    expect(rig.waiting()).toMatchObject([
      { params: { review: 'call', call: { tool: 'write_file', arguments: '{"path":"a"}' } } },
    ]);
    expect(JSON.stringify(rig.waiting())).not.toContain('planted');
    await rig.answer(rig.waiting()[0] as never, { reply: 'once' });
    const approved = await server.askCall(question, NEVER);
    expect(approved).toEqual({ ...pending, kind: 'approved', by: 'alice' });
    server.began(call, server.decide(call, true), { by: 'alice', request: 'r-1' }).end('completed');
    expect(rig.recorded('mcp.called')).toMatchObject([{ decision: 'ask_user', by: 'alice', request: 'r-1' }]);
    expect(await server.askCall(question, soon())).toMatchObject({ kind: 'pending' });
    server.dropCall('key', 'the turn was cancelled');
    await expect.poll(() => rig.waiting()).toEqual([]);
    const denied = server.askCall(question, NEVER);
    await expect.poll(() => rig.waiting()).toHaveLength(1);
    await rig.answer(rig.waiting()[0] as never, { reject: true });
    expect(await denied).toMatchObject({ kind: 'denied', by: 'alice', request: expect.any(String) });
  });

  it('that reach for what was not given raise an alarm, an event and a record', async () => {
    await using rig = await startBoundaries();
    const server = await rig.server(await rig.session('s'));
    server.alarm({ path: '/etc/shadow', access: 'ro', by: 'agent', tool: 'read_file' });
    expect(rig.alarms).toMatchObject([{ session: 's', path: '/etc/shadow', server: { name: 'files' } }]);
    expect(rig.notices).toMatchObject([{ kind: 'alarm', path: '/etc/shadow', by: 'agent', tool: 'read_file' }]);
    expect(rig.recorded('boundary.alarm')).toMatchObject([{ from: 'agent', place: { path: '/etc/shadow' } }]);
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

describe('what confines a server', () => {
  it('is recorded once for each process, however often it is told', async () => {
    await using rig = await startBoundaries();
    const server = await rig.server(await rig.session('s'));
    const enforcement: Enforcement = {
      backend: 'bubblewrap',
      fs: 'enforced',
      network: 'enforced',
      limits: 'declared',
      limitsTier: 'none',
      gaps: [],
    };
    for (const told of [enforcement, { ...enforcement }, undefined, undefined, enforcement]) server.held(told);
    expect(rig.recorded('mcp.confined')).toMatchObject([{ enforcement }, { kind: 'mcp.confined' }, { enforcement }]);
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
    let longest = 0;
    let last = performance.now();
    const clock = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
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
    expect(longest).toBeLessThan(5000);
  });
});
