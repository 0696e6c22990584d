import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from './default-policy.ts';
import { explainDecision } from './explain-decision.ts';
import { exposeRoot, server } from './facts.rig.ts';
import { openPolicies, type PolicySet } from './policy-set.ts';
import { replayDecisions } from './replay-decisions.ts';

let policies: PolicySet;
beforeAll(async () => {
  const opened = await openPolicies([{ name: 'default.cedar', text: DEFAULT_POLICY }]);
  if (opened.kind === 'opened') policies = opened.set;
});
afterAll(() => policies?.[Symbol.dispose]());

const unknown = { ...exposeRoot, server: { ...server, known: false } };

describe('the explanation of a decision', () => {
  it('names the deciding policies with their reasons and places', () => {
    const { words, steps } = explainDecision(policies, unknown);
    expect(words).toBe('It is allowed once a user says yes.');
    expect(steps).toEqual([
      { approval: 'none', allowed: false, policies: [] },
      {
        approval: 'user',
        allowed: true,
        policies: [{ id: 'ask', effect: 'permit', reason: 'A person said yes.', file: 'default.cedar', line: 26 }],
      },
    ]);
  });

  it('says every single fact that would change the outcome, and no other', () => {
    expect(explainDecision(policies, unknown).differences).toEqual([
      { fact: 'server.local', from: true, to: false, outcome: 'deny' },
      { fact: 'server.known', from: false, to: true, outcome: 'allow' },
      { fact: 'root.highRisk', from: false, to: true, outcome: 'ask_admin' },
    ]);
  });
});

describe('recorded decisions', () => {
  const line = (facts: object, outcome: string): string => JSON.stringify({ facts, outcome, at: 1 });

  it('that come out as before are counted, and those that do not are told with their line', () => {
    const text = [line(exposeRoot, 'allow'), '', line(unknown, 'allow'), line(unknown, 'deny')].join('\n');
    expect(replayDecisions(policies, text)).toEqual({
      count: 3,
      changed: [
        { line: 3, from: 'allow', to: 'ask_user', tighter: true, policies: ['ask'], facts: unknown },
        { line: 4, from: 'deny', to: 'ask_user', tighter: false, policies: ['ask'], facts: unknown },
      ],
      unread: [],
    });
  });

  it('that cannot be read are told, and never repeated', () => {
    const text = ['{', '[]', line(exposeRoot, 'maybe'), line({ ...exposeRoot, access: 'secret-word' }, 'allow')].join(
      '\n',
    );
    const { unread, count } = replayDecisions(policies, text);
    expect(count).toBe(0);
    expect(unread.map((one) => one.line)).toEqual([1, 2, 3, 4]);
    expect(JSON.stringify(unread)).not.toMatch(/maybe|secret-word/);
  });
});
