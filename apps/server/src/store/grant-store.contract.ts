import type { SessionId } from '@reeve/protocol';
import { expect, it } from 'vitest';
import type { DecisionScope, Grant, GrantStore, ServerApproval } from '../boundary/grant-store.ts';
import type { StoreUnderTest } from './store-under-test.rig.ts';

const SESSION = { kind: 'session', session: 's1' as SessionId } as const;

export function describeGrantStoreContract(subject: StoreUnderTest): void {
  const store = (): GrantStore => subject.store.grants;

  it('gives back grants with everything in them, in the order they came', async () => {
    const all = [grant('b', { expiresAt: 9 }), grant('a', { scope: SESSION }), grant('c', { decision: 'deny' })];
    await store().putGrants(all);
    expect(await store().grants({})).toEqual(all);
  });

  it('puts a grant of the same id in the place of the earlier one', async () => {
    await store().putGrants([grant('a'), grant('b')]);
    await store().putGrants([grant('a', { access: 'ro' })]);
    expect(await store().grants({})).toEqual([grant('a', { access: 'ro' }), grant('b')]);
  });

  it('finds decisions by server, by session and by scope', async () => {
    const project: DecisionScope = { kind: 'project', project: '/projects/a' };
    await store().putGrants([
      grant('always'),
      grant('session', { scope: SESSION }),
      grant('project', { scope: project }),
      grant('other', { server: 'sha256:2' }),
    ]);
    const ids = async (filter: Parameters<GrantStore['grants']>[0]) =>
      (await store().grants(filter)).map(({ id }) => id);
    expect(await ids({ fingerprint: 'sha256:1' })).toEqual(['always', 'session', 'project']);
    expect(await ids({ session: 's1' as SessionId })).toEqual(['session']);
    expect(await ids({ scope: 'always' })).toEqual(['always', 'other']);
    expect(await ids({ fingerprint: 'sha256:2', scope: 'project' })).toEqual([]);
  });

  it('keeps approvals of servers apart from grants of roots', async () => {
    await store().putApproval(approval('a'));
    await store().putGrants([grant('b')]);
    expect(await store().approvals({ fingerprint: 'sha256:1' })).toEqual([approval('a')]);
    expect(await store().removeApprovals(['b'])).toBe(0);
    expect(await store().removeGrants(['a', 'b', 'unknown'])).toBe(1);
    expect(await store().approvals({})).toHaveLength(1);
    expect(await store().removeApprovals(['a'])).toBe(1);
  });

  it('removes what was decided for one session alone', async () => {
    await store().putGrants([grant('a', { scope: SESSION }), grant('b')]);
    await store().putApproval(approval('c', { scope: SESSION }));
    await store().removeSession('s1' as SessionId);
    await store().removeSession('unknown' as SessionId);
    expect((await store().grants({})).map(({ id }) => id)).toEqual(['b']);
    expect(await store().approvals({})).toEqual([]);
  });

  it('keeps decisions when it is opened again', async ({ skip }) => {
    if (!subject.persistent) skip('this driver forgets by design');
    await store().putGrants([grant('a')]);
    await store().putApproval(approval('b'));
    await subject.reopen();
    expect(await store().grants({})).toEqual([grant('a')]);
    expect(await store().approvals({})).toEqual([approval('b')]);
  });
}

function grant(id: string, members: Partial<Grant> = {}): Grant {
  return {
    id,
    decision: 'allow',
    scope: { kind: 'always' },
    by: 'alice 1.0',
    administrator: false,
    at: 5,
    server: 'sha256:1',
    serverName: 'files',
    access: 'rw',
    root: { path: '/projects/Ünï', kind: 'directory', dev: '1', ino: '2', born: '3', boot: 'b' },
    named: false,
    ...members,
  };
}

function approval(id: string, members: Partial<ServerApproval> = {}): ServerApproval {
  return {
    id,
    decision: 'allow',
    scope: { kind: 'always' },
    by: 'alice 1.0',
    administrator: true,
    at: 5,
    fingerprint: 'sha256:1',
    serverName: 'files',
    trusted: false,
    network: { allow: ['example.org'] },
    ...members,
  };
}
