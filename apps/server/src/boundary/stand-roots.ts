import {
  type Boundary,
  type Circumstances,
  type Decision,
  DISTINCT_NAMES,
  type ExposeRootFacts,
  indexRoots,
  type RootGrant,
  type ServerFacts,
} from '@reeve/policy';
import type { BoundaryAccess, BoundaryRoot } from '@reeve/protocol';
import type { DecidedCase } from './decided-cases.ts';
import type { Grant } from './grant-store.ts';
import type { RootFinding } from './root-facts.ts';
import { sameIdentity } from './root-identity.ts';
import type { RootStanding } from './root-standing.ts';
import type { StoodRoots } from './stood-roots.ts';

export interface StandingInput {
  readonly boundary: Boundary;
  /** Roots that are not what was approved any more. */
  readonly lost: ReadonlySet<string>;
  found(path: string): RootFinding | undefined;
  /** What people decided about this server, as far as it counts here and now. */
  readonly grants: readonly Grant[];
  readonly server: ServerFacts;
  readonly circumstances: Circumstances;
  decide(facts: ExposeRootFacts): Decision;
  /** Names a root in a decision; the same for all where no policy speaks of single roots. */
  labelOf(path: string): string;
  /** Those whose standing rests on nothing else than it did before; those that do now are kept there. */
  readonly stood?: StoodRoots;
}

/** A root that nobody has decided about, and who must. */
export interface UndecidedRoot {
  readonly root: BoundaryRoot;
  readonly finding: RootFinding;
  readonly approval: 'user' | 'administrator';
  /** All of it that the server would see; missing where that is the whole root. */
  readonly only?: readonly string[];
}

export interface Standing {
  /** Of every root of the boundary, in order. */
  readonly roots: readonly RootStanding[];
  /** What the server is granted, also below roots. */
  readonly grants: readonly RootGrant[];
  /** Without those that lie in a granted root and so are granted with it. */
  readonly undecided: readonly UndecidedRoot[];
  readonly policyHash: string | undefined;
  /** What policies were told of these roots, and said. */
  readonly cases: readonly DecidedCase[];
}

/**
 * How each root of a boundary stands with one server: policies first, and what people decided where these ask (boundary, section 3).
 * Pure. A decision of a person counts for its root and what lies below, the deepest one first, of two about one root the newer. Whoever is
 * granted a root has what lies in it, whatever was decided about that: no list of roots can take it out (MCP, roots), and none pretends to.
 */
export function standRoots(input: StandingInput): Standing {
  const { boundary, grants, lost, found } = input;
  const standing = grants.filter(({ root }) => {
    const finding = lost.has(root.path) ? undefined : found(root.path);
    return finding !== undefined && sameIdentity(root, finding.identity);
  });
  const byPath = new Map(standing.map((grant) => [grant.root.path, grant]));
  const decided = indexRoots(
    [...byPath.values()].map((grant) => ({
      path: grant.root.path,
      access: grant.access,
      kind: grant.root.kind,
      grant,
    })),
    DISTINCT_NAMES,
  );
  const cases = new Set<DecidedCase>();
  const ask = remembered(input, cases);
  const stood = byPath.size === 0 ? input.stood : undefined;
  const roots: RootStanding[] = [];
  const given: RootGrant[] = [];
  const open: UndecidedRoot[] = [];
  let policyHash: string | undefined;
  for (const root of boundary.roots) {
    const finding = lost.has(root.path) ? undefined : found(root.path);
    if (!finding) {
      roots.push(standingOf(root, undefined, lost.has(root.path) ? 'lost' : 'undecided'));
      continue;
    }
    const known = stood?.of(root, finding);
    if (known) {
      policyHash = known.one.decision.policyHash;
      roots.push(known.standing);
      given.push(known.grant);
      cases.add(known.one);
      continue;
    }
    const person = byPath.size === 0 ? undefined : decided.around(root.path)?.grant;
    const { one, access, state, approval } = standOne(ask, root, finding, person);
    policyHash = one?.decision.policyHash ?? policyHash;
    const standing = standingOf(root, finding, state, access, one?.decision.policies);
    roots.push(person && state !== 'undecided' ? { ...standing, grant: person.id } : standing);
    const grant = access === 'none' ? undefined : grantOf(root, access, finding);
    if (grant) given.push(grant);
    if (approval !== undefined) open.push({ root, finding, approval });
    if (one && grant && state === 'granted') stood?.keep(root, { finding, standing, grant, one });
  }
  if (byPath.size > 0) given.push(...belowRoots(input, byPath, ask));
  if (roots.every(({ root, access }) => access === root.access)) {
    return { roots, grants: given, undecided: open, policyHash, cases: [...cases] };
  }
  const covered = indexRoots(given, DISTINCT_NAMES);
  const undecided = open.filter(({ root }) => {
    const access = covered.around(root.path)?.access;
    return access === undefined || (root.access === 'rw' && access === 'ro');
  });
  const shown = roots.map((one): RootStanding => {
    if (one.state === 'lost' || one.access === one.root.access) return one;
    const around = covered.around(one.root.path);
    const access = one.root.access === 'ro' && around ? 'ro' : around?.access;
    const more = access !== undefined && (one.access === 'none' || (one.access === 'ro' && access === 'rw'));
    return more ? { ...one, access, state: access === one.root.access ? 'granted' : one.state } : one;
  });
  return { roots: shown, grants: given, undecided, policyHash, cases: [...cases] };
}

type Ask = (finding: RootFinding, access: BoundaryAccess, person: Grant | undefined) => DecidedCase;

interface Stood {
  readonly one?: DecidedCase;
  readonly access: BoundaryAccess | 'none';
  readonly state: RootStanding['state'];
  /** Who must be asked; nobody when undefined. */
  readonly approval?: 'user' | 'administrator';
}

function standOne(ask: Ask, root: BoundaryRoot, finding: RootFinding, person: Grant | undefined): Stood {
  if (finding.assessment.kind === 'never') return { access: 'none', state: 'denied' };
  if (person?.decision === 'deny') return { access: 'none', state: 'denied' };
  const wanted = person && person.access === 'ro' ? 'ro' : root.access;
  const one = ask(finding, wanted, person);
  const { outcome } = one.decision;
  if (outcome === 'deny') return { one, access: 'none', state: 'denied' };
  if (outcome === 'allow' || (person && (outcome === 'ask_user' || person.administrator))) {
    return { one, access: wanted, state: 'granted' };
  }
  const approval = outcome === 'ask_admin' ? 'administrator' : 'user';
  // What may be read without asking is not kept back until somebody decides about writing.
  const read = wanted === 'rw' && ask(finding, 'ro', person).decision.outcome === 'allow';
  return { one, access: read ? 'ro' : 'none', state: 'undecided', approval };
}

/** What people gave that lies inside a root of the boundary and is none of it. */
function belowRoots({ boundary, found }: StandingInput, byPath: ReadonlyMap<string, Grant>, ask: Ask): RootGrant[] {
  const whole = indexRoots(boundary.roots, DISTINCT_NAMES);
  const given: RootGrant[] = [];
  for (const [path, person] of byPath) {
    const around = whole.around(path);
    const finding = around && around.path !== path && person.decision === 'allow' ? found(path) : undefined;
    if (!around || !finding) continue;
    const root = { path, access: around.access === 'ro' ? ('ro' as const) : person.access };
    const { access } = standOne(ask, root, finding, person);
    if (access !== 'none') given.push(grantOf(root, access, finding));
  }
  return given;
}

function grantOf({ path }: BoundaryRoot, access: BoundaryAccess, { facts }: RootFinding): RootGrant {
  return { path, access, ...(facts.kind === 'file' ? { kind: 'file' } : {}) };
}

type AskedCase = DecidedCase & { readonly facts: ExposeRootFacts };

/** Of these the latest are tried first: neighbours are of one kind. */
const MAX_KINDS = 32;

/** Ten thousand roots are of few kinds: each kind is decided once. */
function remembered({ server, circumstances, decide, labelOf }: StandingInput, cases: Set<DecidedCase>): Ask {
  const byLabel = new Map<string, AskedCase[]>();
  return (finding, access, person) => {
    const label = labelOf(finding.identity.path);
    const initiator = person?.named ? 'person' : 'reeve';
    const known = byLabel.get(label) ?? [];
    byLabel.set(label, known);
    const at = known.findIndex(
      ({ facts }) => facts.access === access && facts.initiator === initiator && isAlike(facts.root, finding.facts),
    );
    const before = known[at];
    if (before) {
      if (at > 0) known.unshift(...known.splice(at, 1));
      return before;
    }
    const root = { ...finding.facts, label };
    const facts: ExposeRootFacts = { ...circumstances, kind: 'expose_root', server, root, access, initiator };
    const one: AskedCase = { facts, decision: decide(facts) };
    cases.add(one);
    known.unshift(one);
    known.length = Math.min(known.length, MAX_KINDS);
    return one;
  };
}

function isAlike(one: RootFinding['facts'], other: RootFinding['facts']): boolean {
  return (
    one.kind === other.kind &&
    one.depth === other.depth &&
    one.inProject === other.inProject &&
    one.highRisk === other.highRisk &&
    one.repository === other.repository &&
    one.risks.length === other.risks.length &&
    one.risks.every((risk, at) => risk === other.risks[at])
  );
}

/** How a root stands with its server, which may use it for nothing unless told. */
export function standingOf(
  root: BoundaryRoot,
  finding: RootFinding | undefined,
  state: RootStanding['state'],
  access: RootStanding['access'] = 'none',
  policies: RootStanding['policies'] = [],
): RootStanding {
  const { risks = [], highRisk = false, inProject = false } = finding?.facts ?? {};
  const standing = { root, state, access, risks, highRisk, inProject, policies };
  const { assessment } = finding ?? {};
  return assessment?.kind === 'never' ? { ...standing, why: `${assessment.words} ${assessment.next}` } : standing;
}
