import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditFact } from '../audit/audit-fact.ts';
import { newTraceId } from '../audit/trace-id.ts';
import { underTrace } from '../audit/trace-scope.ts';
import { type BoundariesRig, carryOut, startBoundaries } from './boundaries.rig.ts';

const ALICE = { label: 'alice', administrator: true };
const CLAIMS = { readOnly: true, destructive: false, openWorld: false };

let rig: BoundariesRig;
beforeEach(async () => {
  rig = await startBoundaries();
});
afterEach(() => rig[Symbol.asyncDispose]());

const traces = (kind: AuditFact['kind']): readonly (string | undefined)[] => rig.recorded(kind).map(rig.traceOf);

describe('what a guard tells the audit log', () => {
  it('before the session has a name is of the trace in which it was opened, whoever binds it', async () => {
    const [opening, binding, turn] = [newTraceId(), newTraceId(), newTraceId()];
    await using guard = await underTrace(opening, () => rig.session('s', { unbound: true }));
    const server = await rig.server(guard);
    // The loop that keeps a server running was begun by nobody in particular.
    await server.admit(new AbortController().signal);
    await server.expose('reeve', AbortSignal.abort());
    guard.follow((act) => underTrace(turn, act));
    underTrace(binding, () => guard.bind('s' as never));
    expect([...traces('mcp.admitted'), ...traces('roots.exposed')]).toEqual([opening, opening]);
    await server.expose('reeve', AbortSignal.abort());
    expect(traces('roots.exposed')).toEqual([opening, turn]);
  });

  it('of a call and its alarm is of the turn in which it began, also when the server answers in another one', async () => {
    await using guard = await rig.session('s');
    const server = await rig.server(guard);
    const [first, second] = [newTraceId(), newTraceId()];
    const names = { method: 'tools/call', tool: 'read' };
    const call = { ...names, recorded: names, claims: CLAIMS, paths: [] };
    const begin = () => server.began(call, server.decide(call, false));
    const early = underTrace(first, begin);
    const late = underTrace(second, begin);
    underTrace(second, () => server.alarm({ path: '/etc', access: 'ro', by: 'agent' }));
    underTrace(second, () => early.end('completed'));
    late.end('failed');
    expect(traces('mcp.called')).toEqual([first, second]);
    expect(traces('boundary.alarm')).toEqual([second]);
    expect(rig.alarms.map(({ trace }) => trace)).toEqual([second]);
  });

  it('of a change, down to what was found inside the restarted server, is of whoever wanted it', async () => {
    const other = join(rig.directory, 'other');
    const project = join(rig.directory, 'project');
    const roots = [project, other].map((path) => ({ path, access: 'rw' as const }));
    await using guard = await rig.session('s', { roots });
    const [turn, change] = [newTraceId(), newTraceId()];
    guard.follow((act) => underTrace(turn, act));
    const server = await rig.server(guard);
    await underTrace(turn, () => guard.grant({ server: 'files', path: other, access: 'rw' }, ALICE));
    await underTrace(turn, () => guard.grant({ server: 'files', path: project, access: 'rw' }, ALICE));
    carryOut(server);
    await underTrace(change, () => guard.revoke(other, ALICE));
    expect(traces('boundary.changed')).toEqual([change]);
    expect(traces('boundary.verified')).toEqual([change]);
    server.held({ backend: 'bubblewrap', fs: 'enforced', network: 'enforced', limits: 'enforced', gaps: [] } as never);
    expect(traces('mcp.confined')).toEqual([turn]);
  });

  it('of a root that is lost is of a trace of its own: nobody asked for that', async () => {
    const more = await rig.make('more');
    const roots = [join(rig.directory, 'project'), more].map((path) => ({ path, access: 'rw' as const }));
    const turn = newTraceId();
    await using _guard = await underTrace(turn, () => rig.session('s', { roots }));
    await rm(more, { recursive: true });
    await expect.poll(() => rig.recorded('root.lost').length).toBe(1);
    const [lost] = traces('root.lost');
    expect(lost).toMatch(/^[\da-f]{32}$/);
    expect(lost).not.toBe(turn);
  });

  it('of a grant that expires is of a trace of its own', async () => {
    const turn = newTraceId();
    await using guard = await rig.session('s');
    await rig.server(guard);
    const wish = { server: 'files', path: join(rig.directory, 'project'), access: 'rw' } as const;
    await underTrace(turn, () => guard.grant({ ...wish, expiresAt: Date.now() + 50 }, ALICE));
    await expect.poll(() => rig.recorded('grant.expired').length).toBe(1);
    expect(traces('grant.given')).toEqual([turn]);
    expect(traces('grant.expired')[0]).toMatch(/^[\da-f]{32}$/);
    expect(traces('grant.expired')).not.toContain(turn);
  });
});
