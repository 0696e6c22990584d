import type { Decision, RootFacts, ServerFacts } from '@reeve/policy';
import type { BoundaryRoot } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import type { Grant } from './grant-store.ts';
import type { RootFinding } from './root-facts.ts';
import { type StandingInput, standRoots } from './stand-roots.ts';
import { StoodRoots } from './stood-roots.ts';

const circumstances = { user: { id: 'me', administrator: false }, agent: 'a', session: { id: 's', enforced: true } };
const server = { name: 'files' } as ServerFacts;
const [p, q] = [
  { path: '/p', access: 'rw' },
  { path: '/q', access: 'rw' },
] as const satisfies BoundaryRoot[];

function finding(path: string, facts: Partial<RootFacts> = {}): RootFinding {
  return {
    identity: { path, kind: 'directory', dev: '1', ino: path, born: '0', boot: 'b' },
    assessment: { kind: 'assessed', risks: [], high: false },
    facts: { kind: 'directory', depth: 1, inProject: true, highRisk: false, risks: ['ordinary'], ...facts },
  };
}

/** Stands with every root allowed but those that are not in the project; counts what policies are asked. */
function open() {
  const stood = new StoodRoots();
  const found = new Map<string, RootFinding>([p, q].map(({ path }) => [path, finding(path)]));
  let asked = 0;
  const decide: StandingInput['decide'] = ({ root }) => {
    asked += 1;
    const outcome = root.inProject ? 'allow' : 'deny';
    return { outcome, policies: [`${asked}`], policyHash: 'h', steps: [], failed: [] } satisfies Decision;
  };
  const stand = (
    more: { grounds?: string; roots?: readonly BoundaryRoot[]; grants?: readonly Grant[]; lost?: string } = {},
  ) =>
    standRoots({
      boundary: { roots: more.roots ?? [p, q], network: 'none', revision: 1 },
      lost: new Set(more.lost === undefined ? [] : [more.lost]),
      found: (path) => found.get(path),
      grants: more.grants ?? [],
      server,
      circumstances,
      decide,
      labelOf: (path) => path,
      stood: stood.under(more.grounds ?? 'one'),
    });
  return { stand, found, asked: () => asked };
}

describe('roots that stand as they did', () => {
  it('are not decided again, and what was decided of them is told as before', () => {
    const { stand, asked } = open();
    const first = stand();
    expect(stand()).toEqual(first);
    expect(first.cases).toHaveLength(2);
    expect(asked()).toBe(2);
  });

  it('are told of alone: what is said of a root that is none any more is left out', () => {
    const { stand } = open();
    stand();
    expect(stand({ roots: [q] }).cases).toMatchObject([{ facts: { root: { label: '/q' } } }]);
  });

  it('are decided again where policies would be told something else besides', () => {
    const { stand, asked } = open();
    stand();
    stand({ grounds: 'other' });
    expect(asked()).toBe(4);
    stand({ grounds: 'one' });
    expect(asked()).toBe(6);
  });

  it('are decided again where another thing is found there, or the root is wanted in another way', () => {
    const { stand, found, asked } = open();
    stand();
    found.set('/p', finding('/p', { inProject: false }));
    expect(stand().roots.map(({ state }) => state)).toEqual(['denied', 'granted']);
    expect(asked()).toBe(3);
    expect(stand({ roots: [p, { ...q, access: 'ro' }] }).grants).toEqual([{ path: '/q', access: 'ro' }]);
  });

  it('are lost when they are lost', () => {
    const { stand } = open();
    stand();
    expect(stand({ lost: '/p' }).roots.map(({ state }) => state)).toEqual(['lost', 'granted']);
  });

  it('stand as a person says, where one did, and as before when that is over', () => {
    const { stand } = open();
    const before = stand();
    const grant = { decision: 'deny', access: 'rw', root: finding('/p').identity, named: false } as unknown as Grant;
    expect(stand({ grants: [grant] }).roots.map(({ state }) => state)).toEqual(['denied', 'granted']);
    expect(stand()).toEqual(before);
  });
});
