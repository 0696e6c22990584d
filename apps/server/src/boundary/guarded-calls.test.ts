import { replayDecisions } from '@reeve/policy';
import { describe, expect, it } from 'vitest';
import type { AuditFact } from '../audit/audit-fact.ts';
import { ALICE, at, NEVER, soon, startBoundaries } from './boundaries.rig.ts';

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

  it('are recorded with the revision that they began under and the one that they ended under', async () => {
    await using rig = await startBoundaries();
    const session = await rig.session('s');
    const server = await rig.server(session);
    const begun = server.began(call, server.decide(call, false));
    const changed = await session.narrow({ roots: [{ path: at(rig, 'project'), access: 'ro' }] }, ALICE);
    expect(changed).toMatchObject({ kind: 'changed' });
    begun.end('cancelled');
    expect(rig.recorded('mcp.called')).toMatchObject([{ outcome: 'cancelled', startRevision: 1, endRevision: 2 }]);
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
