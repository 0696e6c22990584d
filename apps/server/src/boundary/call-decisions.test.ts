import type { PolicySet, ServerFacts } from '@reeve/policy';
import { describe, expect, it } from 'vitest';
import { CallDecisions, type CallGrounds } from './call-decisions.ts';
import type { DecidedCase } from './decided-cases.ts';

const claims = { readOnly: false, destructive: true, openWorld: true };
const read = { method: 'tools/call', tool: 'read', claims, recorded: { method: 'tools/call', tool: 'read' } };
const named = (tool: string, recorded = tool) => ({ ...read, tool, recorded: { ...read.recorded, tool: recorded } });

/** Counts how often policies are asked. */
function open(maxRemembered?: number) {
  const told: DecidedCase[] = [];
  const decisions = new CallDecisions((what) => told.push(what), maxRemembered);
  let made = 0;
  const decide: PolicySet['decide'] = () => {
    made += 1;
    return { outcome: 'allow', policies: [`p${made}`], policyHash: 'h', steps: [], failed: [] };
  };
  const grounds: CallGrounds = {
    policies: { decide } as PolicySet,
    revision: 1,
    circumstances: { user: { id: 'me', administrator: false }, agent: 'codex', session: { id: 's', enforced: true } },
    server: { name: 'files' } as ServerFacts,
  };
  return {
    decide: (call = read, more: Partial<CallGrounds> = {}, stale = false) =>
      decisions.decide({ ...grounds, ...more }, call, stale),
    grounds,
    told,
    made: () => made,
  };
}

describe('decisions about calls', () => {
  it('are made, and told, once for calls that are alike', () => {
    const { decide, made, told } = open();
    expect([decide(), decide(), decide()].map(({ policies }) => policies[0])).toEqual(['p1', 'p1', 'p1']);
    expect(made()).toBe(1);
    expect(told).toMatchObject([{ facts: { kind: 'call_tool', tool: { name: 'read' }, staleRoots: false } }]);
  });

  it('are made with the name that was called, and told with the one that may be recorded', () => {
    const { decide, told } = open();
    decide(named('secret', 'other'));
    expect(told).toMatchObject([{ facts: { tool: { name: 'other' } } }]);
  });

  it.each(['policies', 'revision', 'circumstances', 'server'] as const)(
    'are made again with other %s, and those before are forgotten',
    (which) => {
      const { decide, made, grounds } = open();
      const other = { [which]: which === 'revision' ? 2 : { ...(grounds[which] as object) } };
      decide();
      decide(read, other);
      decide(read, other);
      expect(made()).toBe(2);
      decide();
      expect(made()).toBe(3);
    },
  );

  it('are told apart by name, by what is recorded, by claims, and by whether the roots are stale', () => {
    const { decide, made } = open();
    const said = (more: Partial<typeof claims>) => ({ ...read, claims: { ...claims, ...more } });
    const calls = [
      read,
      named('read', 'other'),
      named('write'),
      said({ readOnly: true }),
      said({ destructive: false }),
    ];
    for (const call of [...calls, said({ openWorld: false })]) decide(call);
    decide(read, {}, true);
    expect(made()).toBe(7);
  });

  it('are not mixed up by names with spaces', () => {
    const { decide, made } = open();
    decide(named('a b', 'c'));
    decide(named('a', 'b c'));
    expect(made()).toBe(2);
  });

  it('are as many as are to be remembered, however many tools an agent names', () => {
    const { decide, made } = open(2);
    for (const name of ['a', 'b', 'a']) decide(named(name));
    expect(made()).toBe(2);
    for (const name of ['c', 'a']) decide(named(name));
    expect(made()).toBe(4);
  });
});
