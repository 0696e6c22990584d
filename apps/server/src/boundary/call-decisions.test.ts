import type { PolicySet, ServerFacts } from '@reeve/policy';
import { describe, expect, it } from 'vitest';
import { CallDecisions, type CallGrounds } from './call-decisions.ts';

const grounds: CallGrounds = {
  policies: {} as PolicySet,
  revision: 1,
  circumstances: { user: { id: 'me', administrator: false }, agent: 'codex', session: { id: 's', enforced: true } },
  server: { name: 'files' } as ServerFacts,
};
const claims = { readOnly: false, destructive: true, openWorld: true };
const names = { name: 'read', recorded: 'read' };

/** Counts how often it is really decided. */
function open(maxRemembered?: number) {
  const decisions = new CallDecisions(maxRemembered);
  let made = 0;
  const decide = (more: Partial<CallGrounds> = {}, tool = names, said = claims, stale = false) =>
    decisions.of({ ...grounds, ...more }, { claims: said }, tool, stale, () => {
      made += 1;
      return { outcome: 'allow', policies: [`p${made}`], policyHash: 'h' };
    });
  return { decide, made: () => made };
}

describe('decisions about calls', () => {
  it('are made once for calls that are alike', () => {
    const { decide, made } = open();
    expect([decide(), decide(), decide()].map(({ policies }) => policies[0])).toEqual(['p1', 'p1', 'p1']);
    expect(made()).toBe(1);
  });

  it.each([
    ['policies', { policies: {} as PolicySet }],
    ['revision', { revision: 2 }],
    ['circumstances', { circumstances: { ...grounds.circumstances } }],
    ['server', { server: { ...grounds.server } }],
  ])('are made again with other %s, and those before are forgotten', (_, more) => {
    const { decide, made } = open();
    decide();
    decide(more);
    decide(more);
    expect(made()).toBe(2);
    decide();
    expect(made()).toBe(3);
  });

  it('are told apart by name, by what is recorded, by claims, and by whether the roots are stale', () => {
    const { decide, made } = open();
    decide();
    decide({}, { name: 'read', recorded: 'other' });
    decide({}, { name: 'write', recorded: 'write' });
    decide({}, names, { ...claims, readOnly: true });
    decide({}, names, { ...claims, destructive: false });
    decide({}, names, { ...claims, openWorld: false });
    decide({}, names, claims, true);
    expect(made()).toBe(7);
  });

  it('are not mixed up by names with spaces', () => {
    const { decide, made } = open();
    decide({}, { name: 'a b', recorded: 'c' });
    decide({}, { name: 'a', recorded: 'b c' });
    expect(made()).toBe(2);
  });

  it('are as many as are to be remembered, however many tools an agent names', () => {
    const { decide, made } = open(2);
    for (const name of ['a', 'b']) decide({}, { name, recorded: name });
    decide({}, { name: 'a', recorded: 'a' });
    expect(made()).toBe(2);
    decide({}, { name: 'c', recorded: 'c' });
    decide({}, { name: 'a', recorded: 'a' });
    expect(made()).toBe(4);
  });
});
