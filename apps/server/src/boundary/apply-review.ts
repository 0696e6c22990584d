import { randomUUID } from 'node:crypto';
import type { BoundaryAccess, BoundaryNetwork, BoundaryRoot, ReviewResult, ReviewScope } from '@reeve/protocol';
import type { ServerFact } from '../audit/governance-fact.ts';
import type { Carried } from './decision-book.ts';
import type { GivenRoot } from './given-roots.ts';
import type { DecisionScope, Grant, ServerApproval } from './grant-store.ts';
import type { SessionGround } from './session-ground.ts';
import type { Actor } from './session-guard.ts';
import type { UndecidedRoot } from './stand-roots.ts';

/** What people were asked about one server. */
export interface Reviewed {
  readonly kind: 'server' | 'root';
  readonly server: ServerFact;
  readonly roots: readonly UndecidedRoot[];
  /** What the server has anyway; an answer may take it away, or give less of it. */
  readonly given?: readonly GivenRoot[];
  /** A person named the roots for this server. */
  readonly named: boolean;
  /** Id of the request; missing where nobody was asked. */
  readonly request?: string;
}

/** Keeps what a person answered: durable once resolved, and in force. What an approval leaves out of the roots is denied with it. */
export async function applyReview(
  ground: SessionGround,
  reviewed: Reviewed,
  result: ReviewResult,
  by: Actor,
): Promise<Carried> {
  const { book } = ground.services;
  const { server, request } = reviewed;
  const scope = scopeIn(ground, result.scope ?? 'session');
  if (scope === undefined) return { carried: Promise.resolve() };
  const decided = {
    decision: result.decision === 'approve' ? 'allow' : 'deny',
    scope,
    by: by.label,
    administrator: by.administrator,
    at: ground.services.now(),
    ...(result.expiresAt === undefined ? {} : { expiresAt: result.expiresAt }),
  } as const;
  const denied = result.decision === 'deny';
  const ofServer = reviewed.kind === 'server';
  const grants = (ofServer && denied ? [] : accessDecided(reviewed, result)).map(
    ({ root, finding, access }): Grant => ({
      ...decided,
      decision: access === 'none' ? 'deny' : 'allow',
      id: randomUUID(),
      server: server.fingerprint,
      serverName: server.name,
      access: access === 'none' ? root.access : access,
      root: finding.identity,
      named: reviewed.named,
    }),
  );
  recordGrants(ground, server, grants, request);
  // An answer that a server may not run in this session alone is asked for again when somebody wants it again.
  const passing = denied && scope.kind === 'session' && request !== undefined;
  if (!ofServer || passing) return book.addGrants(grants);
  const { trusted = false, network = 'none' } = result;
  const { fingerprint, name: serverName } = server;
  const approval = { ...decided, id: randomUUID(), fingerprint, serverName, trusted, network };
  recordApproval(ground, server, approval, request);
  return book.addReviewed(approval, grants);
}

interface DecidedRoot extends Pick<UndecidedRoot, 'root' | 'finding'> {
  readonly access: BoundaryAccess | 'none';
}

/** What an answer says of each root; nothing of those that it leaves as they are. */
function accessDecided({ roots, given = [] }: Reviewed, result: ReviewResult): readonly DecidedRoot[] {
  const left = new Set(undecidedAfter(roots, result).map(({ root }) => root.path));
  const listed = result.roots && new Map(result.roots.map(({ path, access }) => [path, access]));
  const accessOf = ({ path, access }: BoundaryRoot): BoundaryAccess | 'none' => {
    if (result.decision === 'deny') return 'none';
    return listed === undefined ? access : (listed.get(path) ?? 'none');
  };
  const asked = roots.filter(({ root }) => !left.has(root.path));
  // What policies give stays theirs, unless somebody wants the server to have less of it.
  const less = listed === undefined ? [] : given.filter(({ root }) => listed.get(root.path) !== root.access);
  const named = result.others === 'ask' ? less.filter(({ root }) => listed?.has(root.path)) : less;
  return [...asked, ...named].map(({ root, finding }) => ({ root, finding, access: accessOf(root) }));
}

/** Roots about which an answer says nothing: they are asked about again. */
export function undecidedAfter(roots: readonly UndecidedRoot[], result: ReviewResult): readonly UndecidedRoot[] {
  if (result.others !== 'ask' || result.roots === undefined) return [];
  const listed = new Set(result.roots.map(({ path }) => path));
  return roots.filter(({ root }) => !listed.has(root.path));
}

/** Undefined for a session that has no name yet. */
export function scopeIn(ground: SessionGround, kind: ReviewScope): DecisionScope | undefined {
  if (kind === 'always') return { kind };
  if (kind === 'project') return { kind, project: ground.place().project };
  return ground.session === undefined ? undefined : { kind, session: ground.session };
}

export function recordGrants(
  ground: SessionGround,
  server: ServerFact,
  grants: readonly Grant[],
  request?: string,
): void {
  for (const decision of ['allow', 'deny'] as const) {
    const decided = grants.filter((grant) => grant.decision === decision);
    const [first] = decided;
    if (!first) continue;
    ground.services.audit.note({
      kind: decision === 'allow' ? 'grant.given' : 'grant.denied',
      server,
      roots: decided.map(({ root, access }) => ({ path: root.path, access })),
      by: first.by,
      scope: first.scope.kind,
      ...(ground.session === undefined ? {} : { session: ground.session }),
      ...(first.expiresAt === undefined ? {} : { expiresAt: first.expiresAt }),
      ...(request === undefined ? {} : { request }),
    });
  }
}

function recordApproval(
  ground: SessionGround,
  server: ServerFact,
  approval: ServerApproval,
  request: string | undefined,
): void {
  const { decision, by, scope, expiresAt, trusted, network } = approval;
  ground.services.audit.note({
    kind: decision === 'allow' ? 'mcp.approved' : 'mcp.denied',
    server,
    by,
    scope: scope.kind,
    trusted,
    network: hostsOf(network),
    ...(request === undefined ? {} : { request }),
    ...(ground.session === undefined ? {} : { session: ground.session }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });
}

export function hostsOf(network: BoundaryNetwork): 'none' | 'full' | readonly string[] {
  return typeof network === 'string' ? network : network.allow;
}
