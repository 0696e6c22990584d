import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  ALICE,
  at,
  type BoundariesRig,
  carryOut,
  NEVER,
  paths,
  type SessionOptions,
  STRANGER,
  startBoundaries,
} from './boundaries.rig.ts';
import type { DeclaredServer } from './declared-server.ts';
import type { ServerGuard } from './server-guard.ts';

const stdio = (args: readonly string[], env = {}): Pick<DeclaredServer, 'transport'> => ({
  transport: { kind: 'stdio', command: 'sh', args, env },
});

/** A server that nobody knows, in a session with the project and `other`; it waits for a yes. */
async function stranger(rig: BoundariesRig, members: Partial<DeclaredServer> = {}, options: SessionOptions = {}) {
  const roots = ['project', 'other'].map((name) => ({ path: at(rig, name), access: 'rw' as const }));
  const session = await rig.session('s', { roots, ...options });
  const server = await rig.server(session, { ...STRANGER, ...members });
  const admitted = server.admit(NEVER);
  await expect.poll(() => rig.waiting()).toHaveLength(1);
  const [review] = rig.waiting();
  if (!review) throw new Error('nobody is asked');
  return { session, server, admitted, review };
}

/** It asks for its roots until people are asked about them, and waits for nobody then. */
async function asksForRoots(server: ServerGuard, rig: BoundariesRig): Promise<void> {
  const asked = new AbortController();
  const exposed = server.expose('server', asked.signal);
  await expect.poll(() => rig.waiting()).toHaveLength(1);
  asked.abort();
  await exposed;
}

describe('the review of a server', () => {
  it('lists what policies would give it beside what they ask about, and a plain yes gives just that', async () => {
    await using rig = await startBoundaries();
    const { server, admitted, review } = await stranger(rig);
    expect(review.params.roots).toMatchObject([
      { path: at(rig, 'other'), access: 'rw' },
      { path: at(rig, 'project'), access: 'rw', given: { policies: ['project-to-confined-servers'] } },
    ]);
    expect(review.params.roots?.[0]).not.toHaveProperty('given');
    await rig.answer(review, { decision: 'approve' });
    await admitted;
    expect(paths(server.scope().roots)).toEqual([at(rig, 'project'), at(rig, 'other')]);
    expect(rig.recorded('grant.given')).toMatchObject([{ roots: [{ path: at(rig, 'other') }] }]);
  });

  it.each([
    ['takes away', [], []],
    ['narrows', [{ path: 'project', access: 'ro' }], [{ path: 'project', access: 'ro' }]],
    ['leaves', [{ path: 'project', access: 'rw' }], [{ path: 'project', access: 'rw' }]],
  ] as const)('%s what policies would give, where the answer lists roots', async (_what, listed, left) => {
    await using rig = await startBoundaries();
    const { server, admitted, review } = await stranger(rig);
    const placed = (roots: readonly { readonly path: string; readonly access: 'ro' | 'rw' }[]) =>
      roots.map(({ path, access }) => ({ path: at(rig, path), access }));
    await rig.answer(review, { decision: 'approve', roots: placed(listed) });
    await admitted;
    expect(server.scope().roots).toEqual(placed(left));
  });

  it('says what of a root the command line leaves, and does not speak of one that it leaves out', async () => {
    await using rig = await startBoundaries();
    const src = await rig.make('project/src');
    await rig.make('project/lib');
    const narrow = await stranger(rig, stdio(['-c', 'true', src]), {
      roots: [{ path: at(rig, 'project'), access: 'rw' }],
    });
    expect(narrow.review.params.roots).toMatchObject([{ path: at(rig, 'project'), only: [src], given: {} }]);
    const part = stdio(['-c', 'true', await rig.make('other/part')]);
    const asked = await rig.session('u', { roots: [{ path: at(rig, 'other'), access: 'rw' }] });
    void (await rig.server(asked, { ...STRANGER, ...part })).admit(NEVER).catch(() => {});
    await expect.poll(() => rig.waiting('u')).toHaveLength(1);
    const [wanted] = rig.waiting('u')[0]?.params.roots ?? [];
    expect(wanted).toMatchObject({ path: at(rig, 'other'), only: [join(at(rig, 'other'), 'part')] });
    expect(wanted).not.toHaveProperty('given');
    const elsewhere = stdio(['-c', 'true', at(rig, 'home')]);
    const session = await rig.session('t', { roots: [{ path: at(rig, 'project'), access: 'rw' }] });
    void (await rig.server(session, { ...STRANGER, ...elsewhere })).admit(NEVER).catch(() => {});
    await expect.poll(() => rig.waiting('t')).toHaveLength(1);
    expect(rig.waiting('t')[0]?.params).not.toHaveProperty('roots');
  });

  it('does not tell apart what can only be decided together', async () => {
    await using rig = await startBoundaries();
    const inside = await Promise.all(['project/a', 'project/a/b', 'project/c'].map(rig.make));
    const roots = [at(rig, 'project'), ...inside].map((path, index) => ({
      path,
      access: index === 3 ? ('ro' as const) : ('rw' as const),
    }));
    const { server, admitted, review } = await stranger(rig, {}, { roots });
    expect(paths(review.params.roots ?? [])).toEqual([at(rig, 'project'), inside[2]]);
    await rig.answer(review, { decision: 'approve', roots: [] });
    await admitted;
    expect(server.scope().roots).toEqual([]);
  });

  it('is asked anew where policies would give it more meanwhile', async () => {
    await using rig = await startBoundaries();
    const { session, review } = await stranger(
      rig,
      {},
      { roots: [{ path: await rig.make('project/a'), access: 'rw' }], cwd: await rig.make('project/a') },
    );
    await session.widen({ roots: [{ path: await rig.make('project/b'), access: 'rw' }] }, ALICE);
    await expect
      .poll(() => paths(rig.waiting()[0]?.params.roots ?? []))
      .toEqual([at(rig, 'project/a'), at(rig, 'project/b')]);
    expect(rig.waiting()).toHaveLength(1);
    expect(rig.waiting()[0]?.id).not.toBe(review.id);
  });

  it('puts the yes and its roots in force together: no server starts with a part of them', async () => {
    await using rig = await startBoundaries();
    const { server, admitted, review } = await stranger(rig);
    const seen: string[][] = [];
    using _watch = server.watch(async ({ after }) => void seen.push(paths(after.roots)));
    await rig.answer(review, { decision: 'approve' });
    await admitted;
    expect(seen).toEqual([[at(rig, 'project'), at(rig, 'other')]]);
  });

  it('takes the place of a question about roots that is open when the server was forgotten', async () => {
    await using rig = await startBoundaries();
    const { server, admitted, review } = await stranger(
      rig,
      {},
      { roots: [{ path: at(rig, 'project'), access: 'rw' }] },
    );
    await rig.answer(review, { decision: 'approve', scope: 'always' });
    await admitted;
    const session = rig.boundaries.find('s' as never);
    await session?.widen({ roots: [{ path: at(rig, 'other'), access: 'rw' }] }, ALICE);
    await asksForRoots(server, rig);
    expect(rig.waiting()).toMatchObject([{ params: { review: 'root' } }]);
    const [ofRoot] = rig.waiting();
    await rig.boundaries.forgetServer(server.fingerprint, ALICE);
    const again = server.admit(NEVER);
    await expect.poll(() => rig.waiting()).toMatchObject([{ params: { review: 'server' } }]);
    expect(rig.waiting()[0]?.id).not.toBe(ofRoot?.id);
    await rig.answer(rig.waiting()[0] as never, { decision: 'approve' });
    expect(await again).toMatchObject({ kind: 'admitted' });
    expect(paths(server.scope().roots)).toEqual([at(rig, 'project'), at(rig, 'other')]);
  });

  it.each(['NODE_OPTIONS', 'LD_PRELOAD', 'BASH_FUNC_echo%%', 'npm_config_node_options', 'PATH'])(
    'is not asked for with %s, by which other code may run than people are shown; in its command people see it',
    async (name) => {
      await using rig = await startBoundaries();
      const session = await rig.session('s');
      const hidden = await rig.server(session, { ...STRANGER, ...stdio(['-c', 'true'], { [name]: 'planted' }) });
      expect(await hidden.admit(NEVER)).toMatchObject({
        kind: 'refused',
        reason: expect.stringContaining(JSON.stringify(name)),
        next: expect.stringContaining('env NAME=value'),
      });
      expect(rig.waiting()).toEqual([]);
      expect(JSON.stringify(rig.recorded('mcp.refused'))).not.toContain('planted');
      expect(rig.recorded('mcp.refused')).toHaveLength(1);
      expect((await session.foresee()).servers).toMatchObject([{ start: 'deny' }]);
      const args = [`${name}=planted`, 'sh', '-c', 'true'];
      const shown = await rig.server(session, {
        ...STRANGER,
        name: 'shown',
        transport: { kind: 'stdio', command: 'env', args, env: { LANG: 'C' } },
      });
      void shown.admit(NEVER).catch(() => {});
      await expect.poll(() => rig.waiting()).toMatchObject([{ params: { server: { args, variables: ['LANG'] } } }]);
      const own = await rig.server(session, { name: 'own', ...stdio(['-c', 'true'], { [name]: 'x' }) });
      expect(await own.admit(NEVER)).toMatchObject({ kind: 'admitted' });
    },
  );
});

describe('an answer about a part of the roots', () => {
  const asked = async (rig: BoundariesRig) => {
    const [one, two] = [await rig.make('other/one'), await rig.make('other/two')];
    const roots = [at(rig, 'project'), one, two].map((path) => ({ path, access: 'rw' as const }));
    const server = await rig.server(await rig.session('s', { roots }));
    await asksForRoots(server, rig);
    expect(paths(rig.waiting()[0]?.params.roots ?? [])).toEqual([one, two]);
    return { server, one, two, review: rig.waiting()[0] as never };
  };

  it('approves that part, and the rest is asked about as before', async () => {
    await using rig = await startBoundaries();
    const { server, one, two, review } = await asked(rig);
    await rig.answer(review, { decision: 'approve', roots: [{ path: one, access: 'ro' }], others: 'ask' });
    expect(paths(server.scope().roots)).toEqual([at(rig, 'project'), one]);
    expect(rig.recorded('grant.denied')).toEqual([]);
    expect(rig.waiting()).toMatchObject([{ params: { review: 'root', roots: [{ path: two, access: 'rw' }] } }]);
    expect(rig.waiting()).toHaveLength(1);
    await rig.answer(rig.waiting()[0] as never, { decision: 'approve' });
    expect(paths(server.scope().roots)).toEqual([at(rig, 'project'), one, two]);
  });

  it('denies that part, and the rest is asked about as before', async () => {
    await using rig = await startBoundaries();
    const { server, one, two, review } = await asked(rig);
    await rig.answer(review, { decision: 'deny', roots: [{ path: one, access: 'rw' }], others: 'ask' });
    expect(rig.recorded('grant.denied')).toMatchObject([{ roots: [{ path: one }] }]);
    expect(rig.waiting()).toMatchObject([{ params: { roots: [{ path: two }] } }]);
    expect(server.scope().undecided).toBe(1);
  });

  it('starts a server with a part of its roots, and asks about the rest by itself', async () => {
    await using rig = await startBoundaries();
    const { server, admitted, review } = await stranger(rig);
    await rig.answer(review, { decision: 'approve', roots: [], others: 'ask' });
    await admitted;
    expect(paths(server.scope().roots)).toEqual([at(rig, 'project')]);
    expect(rig.waiting()).toMatchObject([{ params: { review: 'root', roots: [{ path: at(rig, 'other') }] } }]);
  });
});

describe('a root that is asked for', () => {
  const wish = (path: string) => ({ server: 'files', path, access: 'rw' as const });
  const open = async (rig: BoundariesRig) => {
    const session = await rig.session('s');
    const server = await rig.server(session);
    carryOut(server);
    await server.admit(NEVER);
    return { session, server };
  };

  it('is said to become the session’s, and its agent’s, where it is none of its roots yet', async () => {
    await using rig = await startBoundaries();
    const { session } = await open(rig);
    await session.request(wish(at(rig, 'other')), ALICE);
    expect(rig.waiting()).toMatchObject([{ params: { roots: [{ path: at(rig, 'other'), joinsSession: true }] } }]);
    await rig.answer(rig.waiting()[0] as never, {
      decision: 'approve',
      roots: [{ path: at(rig, 'other'), access: 'ro' }],
    });
    expect(session.boundary().roots).toMatchObject([{}, { path: at(rig, 'other'), access: 'ro' }]);
    const inside = await rig.make('other/inside');
    await session.revoke(at(rig, 'other'), ALICE, 'files');
    await session.request({ ...wish(inside), access: 'ro' }, ALICE);
    expect(rig.waiting()[0]?.params.roots?.[0]).not.toHaveProperty('joinsSession');
  });

  it('is given for as long and as far as was asked, by a plain yes; for no more by any', async () => {
    const now = 1_000_000;
    await using rig = await startBoundaries({ now: () => now });
    const { session } = await open(rig);
    const expiresAt = Date.now() + 60_000;
    const over = { ...wish(at(rig, 'other')), expiresAt: now };
    expect(await session.request(over, ALICE)).toMatchObject({
      kind: 'refused',
      next: expect.stringContaining('time to come'),
    });
    await session.request({ ...wish(at(rig, 'other')), scope: 'project', expiresAt }, ALICE);
    const [review] = rig.waiting();
    expect(review?.params).toMatchObject({ scopes: ['session', 'project'], wanted: { scope: 'project', expiresAt } });
    for (const more of [{ scope: 'always' }, { expiresAt: expiresAt + 1 }] as const) {
      await expect(rig.answer(review as never, { decision: 'approve', ...more })).rejects.toThrow(/scope|expiresAt/);
    }
    await rig.answer(review as never, { decision: 'approve' });
    expect(await rig.boundaries.grants({})).toMatchObject([{ scope: { kind: 'project' }, expiresAt }]);
  });

  it('may be a single file: it joins the session and the server alone, and a pipe or a directory in its place is not that', async () => {
    await using rig = await startBoundaries();
    const { session, server } = await open(rig);
    const file = at(rig, 'other/one.txt');
    await writeFile(file, 'text');
    await session.request(wish(file), ALICE);
    const [review] = rig.waiting();
    expect(review?.params).toMatchObject({ roots: [{ path: file, joinsSession: true }] });
    await rm(file);
    await mkdir(file);
    await expect(rig.answer(review as never, { decision: 'approve' })).rejects.toThrow(/not what was asked about/);
    expect(await session.request(wish('/dev/null'), ALICE)).toMatchObject({
      kind: expect.stringMatching(/invalid|refused/),
    });
    await rm(file, { recursive: true });
    await writeFile(`${file}.new`, 'another');
    await rename(`${file}.new`, file);
    await expect(rig.answer(review as never, { decision: 'approve' })).rejects.toThrow(/not what was asked about/);
    await rig.answer(review as never, { decision: 'deny' });
    expect(await session.grant(wish(file), { label: 'root', administrator: true })).toMatchObject({ kind: 'changed' });
    const { access } = wish(file);
    await expect.poll(() => session.boundary().roots).toContainEqual({ path: file, access, kind: 'file' });
    expect(server.scope().roots).toContainEqual({ path: file, access, kind: 'file' });
    expect(await session.revoke(file, ALICE)).toMatchObject({ kind: 'changed' });
    expect(paths(server.scope().roots)).not.toContain(file);
  });

  it('is refused, and not asked about, where the command line of the server names other directories alone', async () => {
    await using rig = await startBoundaries();
    const src = await rig.make('project/src');
    const roots = ['project', 'other'].map((name) => ({ path: at(rig, name), access: 'rw' as const }));
    const session = await rig.session('s', { roots });
    const server = await rig.server(session, stdio(['-c', 'true', src]));
    await server.expose('server', NEVER);
    expect(rig.waiting()).toEqual([]);
    expect(server.scope()).toMatchObject({ roots: [{ path: src }], undecided: 0 });
    expect(session.standing('files')).toMatchObject([
      { state: 'granted', access: 'rw' },
      { state: 'denied', access: 'none', why: expect.stringContaining(`names only ${src}`) },
    ]);
    const refused = { kind: 'refused', next: expect.stringContaining(`names only ${src}`) };
    expect(await session.request(wish(at(rig, 'other')), ALICE)).toMatchObject(refused);
    expect(await session.grant(wish(at(rig, 'other')), ALICE)).toMatchObject(refused);
    expect(await session.grant({ ...wish(at(rig, 'project')), access: 'ro' }, ALICE)).toMatchObject({
      kind: 'changed',
    });
  });

  it('is not approved where the session cannot have it, or something else is there by now: the answer says so', async () => {
    const limits = { maxRoots: 2, maxLinkScan: 10, maxWatchedRoots: 2, maxPendingRequests: 10, rootCheckMs: 60_000 };
    await using rig = await startBoundaries({ limits });
    const { session } = await open(rig);
    const [one, two] = [await rig.make('other/one'), await rig.make('other/two')];
    await session.request(wish(one), ALICE);
    await session.request(wish(two), ALICE);
    const [first, second] = rig.waiting();
    await rename(one, `${one}-before`);
    await mkdir(one);
    await expect(rig.answer(first as never, { decision: 'approve' })).rejects.toThrow(/not what was asked about/);
    await rename(one, `${one}-after`);
    await rename(`${one}-before`, one);
    await rig.answer(first as never, { decision: 'approve' });
    await expect(rig.answer(second as never, { decision: 'approve' })).rejects.toThrow(/limits\.maxRoots/);
    expect(paths(rig.waiting().map(({ params }) => params.roots?.[0] as never))).toEqual([two]);
    await rig.answer(second as never, { decision: 'deny' });
    expect(await session.request(wish(await rig.make('other/three')), ALICE)).toMatchObject({ kind: 'refused' });
    expect(rig.failures).toEqual([]);
  });
});
