import { DEFAULT_POLICY, openPolicies, type PolicySet, type RootFacts, type ServerFacts } from '@reeve/policy';
import type { BoundaryRoot } from '@reeve/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Grant } from './grant-store.ts';
import type { RootFinding } from './root-facts.ts';
import { standRoots } from './stand-roots.ts';

const SERVER: ServerFacts = {
  name: 'files',
  fingerprint: 'sha256:1',
  transport: 'stdio',
  origin: 'configuration',
  local: true,
  sandboxed: true,
  known: true,
  trusted: false,
};
const DEFAULT = { name: 'default.cedar', text: DEFAULT_POLICY };
const READ_FREELY =
  '@id("read") permit (principal is Server, action == Action::"expose_root", resource) when { context.access == "ro" };';

let policies: PolicySet;
let reading: PolicySet;
beforeAll(async () => {
  const open = async (text: string): Promise<PolicySet> => {
    const opened = await openPolicies([DEFAULT, { name: 'more.cedar', text }]);
    if (opened.kind !== 'opened') throw new Error(JSON.stringify(opened.problems));
    return opened.set;
  };
  [policies, reading] = await Promise.all([open(''), open(READ_FREELY)]);
});
afterAll(() => {
  policies[Symbol.dispose]();
  reading[Symbol.dispose]();
});

function finding(path: string, facts: Partial<RootFacts> = {}): RootFinding {
  return {
    identity: { path, kind: facts.kind ?? 'directory', dev: '1', ino: path, born: '0', boot: 'b' },
    assessment: { kind: 'assessed', risks: [{ kind: 'ordinary', words: '' }], high: false },
    facts: { kind: 'directory', depth: 2, inProject: false, highRisk: false, risks: ['outside_project'], ...facts },
  };
}

function grant(path: string, members: Partial<Grant> = {}): Grant {
  return {
    id: `grant of ${path}`,
    decision: 'allow',
    scope: { kind: 'always' },
    by: 'alice',
    administrator: false,
    at: 1,
    server: 'sha256:1',
    serverName: 'files',
    access: 'rw',
    root: finding(path).identity,
    named: false,
    ...members,
  };
}

interface Case {
  readonly roots: readonly BoundaryRoot[];
  readonly grants?: readonly Grant[];
  readonly findings?: Readonly<Record<string, Partial<RootFacts>>>;
  readonly server?: Partial<ServerFacts>;
  readonly set?: PolicySet;
}

function stand({ roots, grants = [], findings = {}, server = {}, set = policies }: Case) {
  const {
    roots: stood,
    grants: given,
    undecided,
  } = standRoots({
    boundary: { roots, network: 'none', revision: 1 },
    lost: new Set(['/lost']),
    found: (path) => finding(path, findings[path]),
    grants,
    server: { ...SERVER, ...server },
    circumstances: { user: { id: 'me', administrator: false }, agent: 'codex', session: { id: 's', enforced: true } },
    decide: (facts) => set.decide(facts, 1),
    labelOf: () => 'root',
  });
  return {
    states: stood.map(({ state, access }) => `${state} ${access}`),
    given: given.map(({ path, access }) => `${access} ${path}`),
    undecided: undecided.map(({ root, approval }) => `${root.path} ${approval}`),
  };
}

const rw = (path: string): BoundaryRoot => ({ path, access: 'rw' });
const ro = (path: string): BoundaryRoot => ({ path, access: 'ro' });
const PROJECT = { inProject: true, risks: ['ordinary'] } as const;

describe('how a root stands with a server', () => {
  it('is for policies to say first: the project is given, another root asked about, a lost one gone', () => {
    expect(stand({ roots: [rw('/p'), ro('/x'), rw('/lost')], findings: { '/p': PROJECT } })).toEqual({
      states: ['granted rw', 'undecided none', 'lost none'],
      given: ['rw /p'],
      undecided: ['/x user'],
    });
  });

  it('of high risk waits for an administrator, whose yes alone counts', () => {
    const findings = { '/home': { highRisk: true } };
    const asked = stand({ roots: [ro('/home')], findings });
    expect(asked.undecided).toEqual(['/home administrator']);
    const byUser = stand({ roots: [ro('/home')], findings, grants: [grant('/home')] });
    expect(byUser).toMatchObject({ given: [], undecided: ['/home administrator'] });
    const byAdministrator = stand({
      roots: [ro('/home')],
      findings,
      grants: [grant('/home', { administrator: true })],
    });
    expect(byAdministrator).toMatchObject({ given: ['ro /home'], undecided: [] });
  });

  it('is refused to a remote server without asking, and asked about where a person named it', () => {
    const server = { local: false, transport: 'http', sandboxed: false } as const;
    expect(stand({ roots: [rw('/p')], server })).toMatchObject({ states: ['denied none'], undecided: [] });
    const named = stand({ roots: [rw('/p')], server, grants: [grant('/p', { named: true, access: 'ro' })] });
    expect(named.given).toEqual(['ro /p']);
    const unnamed = stand({ roots: [rw('/p')], server, grants: [grant('/p')] });
    expect(unnamed.given).toEqual([]);
  });

  it('is read already where only writing must be asked about', () => {
    expect(stand({ roots: [rw('/x')], set: reading })).toEqual({
      states: ['undecided ro'],
      given: ['ro /x'],
      undecided: ['/x user'],
    });
  });

  it('is what the deepest and newest decision of a person says, of nested and overlapping roots too', () => {
    const roots = [rw('/a'), rw('/a/b'), rw('/a/b/c'), ro('/d')];
    const grants = [
      grant('/a', { at: 1 }),
      grant('/a/b', { decision: 'deny', at: 2 }),
      grant('/a/b/c', { at: 1, access: 'ro' }),
      grant('/d', { decision: 'deny', at: 1 }),
      grant('/d', { at: 2, id: 'newer' }),
    ];
    expect(stand({ roots, grants }).states).toEqual(['granted rw', 'granted rw', 'granted ro', 'granted ro']);
    const [, ...inside] = roots;
    expect(stand({ roots: inside, grants }).states).toEqual(['denied none', 'granted ro', 'granted ro']);
  });

  it('is given with the root that it lies in, and then nobody is asked about it', () => {
    const nested = stand({ roots: [rw('/p'), ro('/p/vendor'), rw('/p/x')], findings: { '/p': PROJECT } });
    expect(nested).toMatchObject({ given: ['rw /p'], undecided: [] });
  });

  it('may be a part of a root of the session, or a single file', () => {
    const file = { kind: 'file' } as const;
    const part = stand({
      roots: [rw('/a'), ro('/b')],
      grants: [
        grant('/a/src'),
        grant('/b/one.txt', { root: finding('/b/one.txt', file).identity }),
        grant('/elsewhere'),
      ],
      findings: { '/b/one.txt': file },
    });
    expect(part.given).toEqual(['rw /a/src', 'ro /b/one.txt']);
    expect(part.undecided).toEqual(['/a user', '/b user']);
  });

  it('is not given for what has taken the place of what was approved', () => {
    const before = { ...finding('/x').identity, ino: 'another' };
    expect(stand({ roots: [rw('/x')], grants: [grant('/x', { root: before })] })).toMatchObject({
      given: [],
      undecided: ['/x user'],
    });
  });
});
