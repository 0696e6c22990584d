import type { AgentEpoch, RequestAnswer, RequestId, ReviewParams, SessionId } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import { checkAnswer } from './check-answer.ts';
import type { StoredRequest } from './request-store.ts';

const root = { risks: ['ordinary'], highRisk: false, inProject: true };
const params: ReviewParams = {
  review: 'root',
  approval: 'user',
  server: {
    name: 'files',
    fingerprint: 'sha256:1',
    origin: 'client',
    transport: 'stdio',
    command: 'files',
    args: [],
    local: true,
    sandboxed: true,
    changed: false,
  },
  roots: [
    { ...root, path: '/projects/a', access: 'rw' },
    { ...root, path: '/projects/b', access: 'ro' },
  ],
  scopes: ['session', 'project'],
};

function review(members: Partial<ReviewParams> = {}): StoredRequest {
  return {
    id: 'r1' as RequestId,
    sessionId: 's' as SessionId,
    agentEpoch: 0 as AgentEpoch,
    rpcId: null,
    kind: 'review',
    method: '_sandboxagent/review',
    params: { ...params, ...members },
    createdAt: 0,
    state: { kind: 'pending' },
  };
}

const check = (answer: unknown, administrator = false, members: Partial<ReviewParams> = {}) =>
  checkAnswer(review(members), answer as RequestAnswer, { administrator, now: 1000 });

describe('the answer to a review', () => {
  it.each<[unknown, unknown]>([
    [{ decision: 'approve' }, { decision: 'approve', scope: 'session' }],
    [{ reply: 'once' }, { decision: 'approve', scope: 'session' }],
    [{ optionId: 'allow_always' }, { decision: 'approve', scope: 'project' }],
    [{ result: { decision: 'deny', scope: 'project' } }, { decision: 'deny', scope: 'project' }],
    [{ reject: 'not now' }, { decision: 'deny', scope: 'session', reason: 'not now' }],
    [
      { decision: 'approve', expiresAt: 1001, roots: [{ path: '/projects/a', access: 'ro' }], trusted: true },
      {
        decision: 'approve',
        scope: 'session',
        expiresAt: 1001,
        roots: [{ path: '/projects/a', access: 'ro' }],
        trusted: true,
      },
    ],
  ])('%j becomes a decision with its scope', (answer, result) => {
    expect(check(answer)).toEqual({ kind: 'ok', result });
  });

  it.each<[unknown, RegExp]>([
    [{ decision: 'maybe' }, /"approve" \| "deny"/],
    [{ answers: [] }, /"approve" \| "deny"/],
    [{ decision: 'approve', scope: 'always' }, /one of session, project/],
    [{ decision: 'approve', expiresAt: 1000 }, /time to come/],
    [{ decision: 'approve', expiresAt: 'soon' }, /time to come/],
    [{ decision: 'approve', roots: [{ path: '/projects', access: 'ro' }] }, /not asked about/],
    [{ decision: 'approve', roots: [{ path: '/projects/b', access: 'rw' }] }, /no more access/],
    [{ decision: 'approve', roots: [{ path: '/projects/a', access: 'w' }] }, /"ro" or "rw"/],
    [
      {
        decision: 'approve',
        roots: [
          { path: '/projects/a', access: 'ro' },
          { path: '/projects/a', access: 'ro' },
        ],
      },
      /twice/,
    ],
    [{ decision: 'approve', trusted: 'yes' }, /trusted/],
    [{ decision: 'approve', network: 'all' }, /network/],
    [{ decision: 'approve', everything: true }, /"everything" is no part/],
  ])('%j is refused, since it is more or other than was asked', (answer, why) => {
    expect(check(answer)).toMatchObject({ kind: 'not_offered', why: expect.stringMatching(why) });
  });

  it('approves what needs an administrator only from one, and is denied by anybody', () => {
    const needs = { approval: 'administrator' } as const;
    expect(check({ decision: 'approve' }, false, needs)).toMatchObject({
      kind: 'not_offered',
      why: expect.stringMatching(/only an administrator/),
    });
    expect(check({ decision: 'approve' }, true, needs)).toMatchObject({ kind: 'ok' });
    expect(check({ decision: 'deny' }, false, needs)).toMatchObject({ kind: 'ok' });
  });

  it('of what was wanted is filled in from it, and never more', () => {
    const wanted = { wanted: { scope: 'project', expiresAt: 2000 } } as const;
    const given = { scope: 'project', expiresAt: 2000 };
    expect(check({ decision: 'approve' }, false, wanted)).toMatchObject({ kind: 'ok', result: given });
    expect(check({ reply: 'once' }, false, wanted)).toMatchObject({ result: { scope: 'session', expiresAt: 2000 } });
    expect(check({ decision: 'approve', expiresAt: 1500 }, false, wanted)).toMatchObject({
      result: { expiresAt: 1500 },
    });
    expect(check({ decision: 'approve', expiresAt: 2001 }, false, wanted)).toMatchObject({ kind: 'not_offered' });
    const over = { wanted: { expiresAt: 1000 } };
    expect(check({ decision: 'approve' }, false, over)).toMatchObject({ why: expect.stringContaining('is over') });
    expect(check({ decision: 'deny' }, false, over)).toEqual({
      kind: 'ok',
      result: { decision: 'deny', scope: 'session' },
    });
    expect(check({ decision: 'deny', scope: 'always' }, false, wanted)).toMatchObject({ kind: 'ok' });
  });

  it('is about a part of the roots only where that can be', () => {
    const part = { roots: [{ path: '/projects/a', access: 'ro' }], others: 'ask' } as const;
    for (const decision of ['approve', 'deny']) {
      expect(check({ decision, ...part })).toEqual({ kind: 'ok', result: { decision, scope: 'session', ...part } });
    }
    expect(check({ decision: 'deny', roots: part.roots })).toMatchObject({ kind: 'not_offered' });
    expect(check({ decision: 'deny', ...part }, false, { review: 'server' })).toMatchObject({ kind: 'not_offered' });
    expect(check({ decision: 'approve', ...part }, false, { review: 'server' })).toMatchObject({ kind: 'ok' });
    expect(check({ decision: 'approve', others: 'all' })).toMatchObject({ why: expect.stringContaining('others') });
  });
});

describe('the answer to the review of a call', () => {
  it('counts once: no time is taken for it, and that is said', () => {
    const call = { review: 'call', scopes: ['session'], call: { method: 'tools/call' } } as const;
    expect(check({ decision: 'approve' }, false, call)).toMatchObject({ kind: 'ok' });
    expect(check({ decision: 'approve', expiresAt: 5000 }, false, call)).toMatchObject({
      kind: 'not_offered',
      why: expect.stringContaining('counts for that call, once'),
    });
  });
});
