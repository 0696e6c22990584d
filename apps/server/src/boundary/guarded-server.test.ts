import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionId } from '@reeve/protocol';
import type { Enforcement } from '@reeve/sandbox';
import { describe, expect, it } from 'vitest';
import { ALICE, at, carryOut, NEVER, paths, STRANGER, startBoundaries } from './boundaries.rig.ts';
import type { DeclaredServer } from './declared-server.ts';
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
