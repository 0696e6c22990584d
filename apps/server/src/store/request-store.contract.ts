import type { AgentEpoch, RequestId, RequestState, SessionId } from '@reeve/protocol';
import { expect, it } from 'vitest';
import type { RequestFilter, RequestStore, StoredRequest } from '../requests/request-store.ts';
import type { StoreUnderTest } from './store-under-test.rig.ts';

const ANSWERED = {
  kind: 'answered',
  at: 5,
  by: 'alice',
  result: { outcome: { outcome: 'selected', optionId: 'ok' } },
} as const;
const CANCELLED = { kind: 'cancelled', at: 6, reason: 'turn cancelled' } as const;

export function describeRequestStoreContract(subject: StoreUnderTest): void {
  const requests = (): RequestStore => subject.store.requests;

  it('finds a request with everything in it, and with the type of its JSON-RPC id', async () => {
    for (const [index, rpcId] of [1, '1', null].entries()) {
      const added = request(`r${index}`, { rpcId, params: { toolCall: { title: 'Ünï 🙂' }, future: [null, 1.5] } });
      await requests().add(added);
      expect(await requests().find(added.id)).toEqual(added);
    }
    expect(await requests().find('unknown' as RequestId)).toBeUndefined();
  });

  it('refuses an id that is stored already, and stores what came beside', async () => {
    const results = await Promise.allSettled([
      requests().add(request('a')),
      requests().add(request('a', { method: 'other' })),
      requests().add(request('b')),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await requests().find('a' as RequestId)).toEqual(request('a'));
    expect(await ids({})).toEqual(['a', 'b']);
  });

  it('settles a request once: the first state stays', async () => {
    await requests().add(request('a'));
    const id = 'a' as RequestId;
    expect(await Promise.all([requests().settle(id, ANSWERED), requests().settle(id, CANCELLED)])).toEqual([
      true,
      false,
    ]);
    expect(await requests().settle(id, CANCELLED)).toBe(false);
    expect(await requests().find(id)).toEqual(request('a', { state: ANSWERED }));
    expect(await requests().settle('unknown' as RequestId, ANSWERED)).toBe(false);
  });

  it('takes a request that is settled already', async () => {
    await requests().add(request('a', { state: CANCELLED }));
    expect(await requests().find('a' as RequestId)).toEqual(request('a', { state: CANCELLED }));
    expect(await requests().settle('a' as RequestId, ANSWERED)).toBe(false);
  });

  it('lists the oldest first, ties in the order they came, by session and by state', async () => {
    await requests().add(request('late', { createdAt: 30 }));
    await requests().add(request('z', { createdAt: 10 }));
    await requests().add(request('a', { createdAt: 10 }));
    await requests().add(request('other', { createdAt: 20, sessionId: 's2' as SessionId }));
    await requests().settle('z' as RequestId, ANSWERED);
    expect(await ids({})).toEqual(['z', 'a', 'other', 'late']);
    expect(await ids({ pendingOnly: true })).toEqual(['a', 'other', 'late']);
    expect(await ids({ sessionId: 's1' as SessionId })).toEqual(['z', 'a', 'late']);
    expect(await ids({ sessionId: 's1' as SessionId, pendingOnly: true })).toEqual(['a', 'late']);
    expect(await ids({ sessionId: 'unknown' as SessionId })).toEqual([]);
  });

  it('voids what is pending, of one session or of all, and counts it', async () => {
    for (const id of ['a', 'b', 'c']) await requests().add(request(id));
    await requests().add(request('other', { sessionId: 's2' as SessionId }));
    await requests().settle('b' as RequestId, ANSWERED);
    expect(await requests().voidPending('agent ended', 9, 's1' as SessionId)).toBe(2);
    const state: RequestState = { kind: 'void', at: 9, reason: 'agent ended' };
    expect(await requests().find('a' as RequestId)).toEqual(request('a', { state }));
    expect(await requests().find('b' as RequestId)).toEqual(request('b', { state: ANSWERED }));
    expect(await ids({ pendingOnly: true })).toEqual(['other']);
    expect(await requests().voidPending('restart', 10)).toBe(1);
    expect(await requests().voidPending('restart', 11)).toBe(0);
    expect(await requests().settle('a' as RequestId, ANSWERED)).toBe(false);
  });

  it('removes the requests of one session', async () => {
    await requests().add(request('a'));
    await requests().add(request('other', { sessionId: 's2' as SessionId }));
    await requests().removeSession('s1' as SessionId);
    await requests().removeSession('unknown' as SessionId);
    expect(await ids({})).toEqual(['other']);
  });

  it('keeps requests and their states when it is opened again', async ({ skip }) => {
    if (!subject.persistent) skip('this driver forgets by design');
    await requests().add(request('a'));
    await requests().add(request('b'));
    await requests().settle('a' as RequestId, ANSWERED);
    await subject.reopen();
    expect(await requests().list({})).toEqual([request('a', { state: ANSWERED }), request('b')]);
    expect(await requests().voidPending('restart', 9)).toBe(1);
  });

  async function ids(filter: RequestFilter): Promise<readonly string[]> {
    return (await requests().list(filter)).map(({ id }) => id);
  }
}

function request(id: string, members: Partial<StoredRequest> = {}): StoredRequest {
  return {
    id: id as RequestId,
    sessionId: 's1' as SessionId,
    agentEpoch: 1 as AgentEpoch,
    rpcId: 7,
    kind: 'permission',
    method: 'session/request_permission',
    params: { options: [] },
    createdAt: 10,
    state: { kind: 'pending' },
    ...members,
  };
}
