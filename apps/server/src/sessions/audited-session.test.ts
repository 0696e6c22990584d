import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { script } from '@reeve/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditFact } from '../audit/audit-fact.ts';
import { type SessionRig, startRig } from './session.rig.ts';

let rig: SessionRig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig[Symbol.asyncDispose]());

const of = (session: unknown): readonly AuditFact[] =>
  rig.facts.filter((fact) => 'session' in fact && fact.session === session);

describe('the audit of sessions', () => {
  it('tells of a session its beginning, its boundary, its processes and its end, with who wanted them', async () => {
    const alice = await rig.connect({ name: 'alice' });
    const created = await alice.request('session/new', { cwd: rig.cwd, mcpServers: [] });
    const { sessionId } = created as { sessionId: string };
    await alice.request('session/close', { sessionId });
    await expect
      .poll(() => of(sessionId).map(({ kind }) => kind))
      .toEqual(['session.created', 'boundary.set', 'agent.started', 'agent.exited', 'session.ended']);
    const [first, boundary, started, exited, ended] = of(sessionId);
    expect(first).toMatchObject({ agent: 'fake', protocolVersion: 1, by: expect.stringContaining('alice') });
    expect(boundary).toMatchObject({ revision: 1, roots: [{ path: rig.cwd, access: 'rw' }] });
    expect(started).toMatchObject({ epoch: 1, revision: 1, enforcement: { backend: 'none', fs: 'declared' } });
    expect(exited).toMatchObject({ epoch: 1 });
    expect(ended).toMatchObject({ reason: 'closed', by: expect.stringContaining('alice') });
  });

  it('tells of a place that a client may not have, and why, though no session comes of it', async () => {
    const alice = await rig.connect({ name: 'alice' });
    const ask = (params: object) => alice.request('session/new', { cwd: rig.cwd, mcpServers: [], ...params });
    const ours = (meta: object) => ({ _meta: { 'sandboxagent.dev': meta } });
    const boundary = (...paths: string[]) => ({ boundary: { roots: paths.map((path) => ({ path, access: 'rw' })) } });
    mkdirSync(join(rig.cwd, 'inner'));
    for (const [params, reason, path] of [
      [{ cwd: '/proc' }, 'never', '/proc'],
      [ours(boundary(rig.cwd, '/sys/kernel')), 'never', '/sys/kernel'],
      [ours(boundary(rig.cwd, join(rig.cwd, 'none'))), 'missing', join(rig.cwd, 'none')],
      [ours(boundary(join(rig.cwd, 'inner'))), 'outside', rig.cwd],
      [ours({ workspace: 'none' }), 'workspace', undefined],
    ] as const) {
      await expect(ask(params)).rejects.toMatchObject({ code: -32602 });
      const refused = rig.facts.filter(({ kind }) => kind === 'boundary.refused');
      expect(refused.at(-1), reason).toEqual({
        kind: 'boundary.refused',
        by: expect.stringContaining('alice'),
        decision: 'deny',
        reasons: [reason],
        places: path === undefined ? [] : [{ path }],
      });
    }
    expect(rig.facts.map(({ kind }) => kind)).not.toContain('session.created');
  });

  it('tells of a fork where it came from, and of a terminated session that it was', async () => {
    const alice = await rig.connect({ name: 'alice' });
    const { sessionId } = (await alice.request('session/new', { cwd: rig.cwd, mcpServers: [] })) as {
      sessionId: string;
    };
    await alice.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: script({ say: 'hello' }) }] });
    const fork = (await alice.request('session/fork', { sessionId, cwd: rig.cwd, mcpServers: [] })) as {
      sessionId: string;
    };
    expect(of(fork.sessionId)).toContainEqual(expect.objectContaining({ kind: 'session.forked', parent: sessionId }));
    await alice.request('_sandboxagent/session/terminate', { sessionId });
    expect(of(sessionId)).toContainEqual(expect.objectContaining({ kind: 'session.ended', reason: 'terminated' }));
  });
});
