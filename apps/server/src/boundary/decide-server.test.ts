import type { ReviewResult } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import { ALICE, type BoundariesRig, carryOut, NEVER, startBoundaries } from './boundaries.rig.ts';

/** A server of a client that was approved, for this session unless told, and may run. */
async function running(rig: BoundariesRig, approved: Partial<ReviewResult> = {}) {
  const session = await rig.session('s');
  const server = await rig.server(session, { origin: 'client' });
  const changes = carryOut(server);
  const admitted = server.admit(NEVER);
  await expect.poll(() => rig.waiting()).toHaveLength(1);
  const [review] = rig.waiting();
  if (!review) throw new Error('nobody is asked');
  await rig.answer(review, { decision: 'approve', ...approved });
  await admitted;
  return { session, server, changes, project: session.boundary().roots[0]?.path ?? '' };
}

describe('a decision about a server that nobody asks about', () => {
  it('changes what was decided, and leaves what it does not name', async () => {
    await using rig = await startBoundaries();
    const { session, server } = await running(rig, { scope: 'project', network: { allow: ['a.example'] } });
    expect(await session.decideServer('files', { decision: 'approve', trusted: true }, ALICE)).toEqual({
      kind: 'decided',
    });
    expect(await rig.boundaries.approvals({})).toMatchObject([
      { decision: 'allow', scope: { kind: 'project' }, trusted: true, network: { allow: ['a.example'] }, by: 'alice' },
    ]);
    expect(server.scope().network).toEqual({ allow: ['a.example'] });
    expect(rig.recorded('mcp.approved').at(-1)).toMatchObject({ by: 'alice', trusted: true });
    expect(rig.recorded('mcp.approved').at(-1)).not.toHaveProperty('request');
  });

  it('counts as long as the one before unless it says how long itself, or that it has no end', async () => {
    let now = Date.now();
    await using rig = await startBoundaries({ now: () => now });
    const { session, server } = await running(rig, { scope: 'project', expiresAt: now + 60_000 });
    const times = async () =>
      (await rig.boundaries.approvals({})).map(({ scope, expiresAt }) => [scope.kind, expiresAt]);
    await session.decideServer('files', { decision: 'approve', expiresAt: now + 90_000 }, ALICE);
    expect(await times()).toEqual([['project', now + 90_000]]);
    await session.decideServer('files', { decision: 'approve', trusted: true }, ALICE);
    expect(await times()).toEqual([['project', now + 90_000]]);
    expect(rig.recorded('mcp.approved').at(-1)).toMatchObject({ trusted: true, expiresAt: now + 90_000 });
    await session.decideServer('files', { decision: 'approve', expiresAt: null }, ALICE);
    expect(await times()).toEqual([['project', undefined]]);
    expect(rig.recorded('mcp.approved').at(-1)).not.toHaveProperty('expiresAt');
    await session.decideServer('files', { decision: 'approve', expiresAt: now + 90_000 }, ALICE);
    await session.decideServer('files', { decision: 'approve', scope: 'always', expiresAt: null }, ALICE);
    now += 90_000;
    expect(await server.admit(NEVER)).toMatchObject({ kind: 'admitted' });
    expect(await times()).toContainEqual(['always', undefined]);
  });

  it('counts for calls until its very end, though the clock that ends it is late since the machine slept', async () => {
    let now = Date.now();
    await using rig = await startBoundaries({ now: () => now });
    const { session, server } = await running(rig);
    const claims = { readOnly: true, destructive: false, openWorld: false };
    const call = {
      method: 'tools/call',
      tool: 'read',
      claims,
      recorded: { method: 'tools/call', tool: 'read' },
      paths: [],
    };
    expect(server.decide(call, true).outcome).toBe('ask_user');
    await session.decideServer('files', { decision: 'approve', trusted: true, expiresAt: now + 60_000 }, ALICE);
    expect(server.decide(call, true).outcome).toBe('allow');
    now += 59_999;
    expect(server.decide(call, true).outcome).toBe('allow');
    now += 1;
    expect(server.decide(call, true).outcome).toBe('ask_user');
  });

  it('narrows what policies give it, and gives nothing that it does not have', async () => {
    await using rig = await startBoundaries();
    const { session, server, project } = await running(rig);
    const roots = [{ path: project, access: 'ro' as const }];
    await session.decideServer('files', { decision: 'approve', roots }, ALICE);
    expect(server.scope().roots).toMatchObject(roots);
    const more = [{ path: project, access: 'rw' as const }];
    expect(await session.decideServer('files', { decision: 'approve', roots: more }, ALICE)).toMatchObject({
      kind: 'refused',
      next: expect.stringContaining('reeve roots approve'),
    });
  });

  it('ends it where it is a no, also for this session alone; a yes lets it run again, though nobody asks', async () => {
    await using rig = await startBoundaries();
    const { session, server, changes } = await running(rig);
    await session.decideServer('files', { decision: 'deny' }, ALICE);
    expect(changes.at(-1)?.withdrawn).toBeDefined();
    expect(await server.admit(NEVER)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('alice') });
    await session.decideServer('files', { decision: 'approve' }, ALICE);
    expect(await server.admit(NEVER)).toMatchObject({ kind: 'admitted' });
    expect(rig.waiting()).toEqual([]);
  });

  it('is none where nobody was shown what the server is, and none for a time that is over', async () => {
    await using rig = await startBoundaries();
    const session = await rig.session('s');
    await rig.server(session, { origin: 'client' });
    expect(await session.decideServer('files', { decision: 'approve' }, ALICE)).toMatchObject({
      kind: 'refused',
      next: expect.stringContaining('reeve servers retry'),
    });
    expect(await session.decideServer('files', { decision: 'deny', expiresAt: 1 }, ALICE)).toMatchObject({
      reason: 'That time is over.',
    });
    expect(await session.decideServer('other', { decision: 'deny' }, ALICE)).toMatchObject({ kind: 'refused' });
    expect(await rig.boundaries.approvals({})).toEqual([]);
  });

  it('lets nothing run that policies forbid by now', async () => {
    await using rig = await startBoundaries();
    const { session } = await running(rig);
    const text = '@id("none") forbid (principal, action == Action::"start_server", resource);';
    expect((await rig.boundaries.loadPolicies([{ name: 'more.cedar', text }], ALICE)).kind).toBe('loaded');
    expect(await session.decideServer('files', { decision: 'approve' }, ALICE)).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('none'),
    });
  });
});
