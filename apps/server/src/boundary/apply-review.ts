import { randomUUID } from 'node:crypto';
import type { BoundaryNetwork, ReviewResult, ReviewScope } from '@reeve/protocol';
import type { ServerFact } from '../audit/governance-fact.ts';
import type { Carried } from './decision-book.ts';
import type { DecisionScope, Grant, ServerApproval } from './grant-store.ts';
import type { SessionGround } from './session-ground.ts';
import type { Actor } from './session-guard.ts';
import type { UndecidedRoot } from './stand-roots.ts';

/** What people were asked about one server. */
export interface Reviewed {
  readonly kind: 'server' | 'root';
  readonly server: ServerFact;
  readonly roots: readonly UndecidedRoot[];
  /** A person named the roots for this server. */
  readonly named: boolean;
  /** Id of the request. */
  readonly request: string;
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
  const written: Promise<Carried>[] = [];
  // That a server may not run in this session alone is asked again when somebody wants it again.
  if (reviewed.kind === 'server' && (decided.decision === 'allow' || scope.kind !== 'session')) {
    const { trusted = false, network = 'none' } = result;
    const approval = {
      ...decided,
      id: randomUUID(),
      fingerprint: server.fingerprint,
      serverName: server.name,
      trusted,
      network,
    };
    recordApproval(ground, server, approval, request);
    written.push(book.addApproval(approval));
  }
  const given = result.decision === 'approve' ? (result.roots ?? reviewed.roots.map(({ root }) => root)) : [];
  const accessOf = new Map(given.map(({ path, access }) => [path, access]));
  const ofServer = reviewed.kind === 'server' && result.decision === 'deny';
  const grants = ofServer
    ? []
    : reviewed.roots.map(({ root, finding }): Grant => {
        const access = accessOf.get(root.path);
        return {
          ...decided,
          decision: access === undefined ? 'deny' : 'allow',
          id: randomUUID(),
          server: server.fingerprint,
          serverName: server.name,
          access: access ?? root.access,
          root: finding.identity,
          named: reviewed.named,
        };
      });
  if (grants.length > 0) {
    recordGrants(ground, server, grants, request);
    written.push(book.addGrants(grants));
  }
  const all = await Promise.all(written);
  return { carried: Promise.all(all.map(({ carried }) => carried)).then(() => {}) };
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

function recordApproval(ground: SessionGround, server: ServerFact, approval: ServerApproval, request: string): void {
  const { decision, by, scope, expiresAt, trusted, network } = approval;
  ground.services.audit.note({
    kind: decision === 'allow' ? 'mcp.approved' : 'mcp.denied',
    server,
    by,
    scope: scope.kind,
    trusted,
    network: hostsOf(network),
    request,
    ...(ground.session === undefined ? {} : { session: ground.session }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });
}

export function hostsOf(network: BoundaryNetwork): 'none' | 'full' | readonly string[] {
  return typeof network === 'string' ? network : network.allow;
}
