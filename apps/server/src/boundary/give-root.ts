import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import type { Decision, ExposeRootFacts, GrantFacts, ServerFacts } from '@reeve/policy';
import {
  type BoundaryRoot,
  boundaryPath,
  type ReviewParams,
  type ReviewResult,
  type SessionBoundary,
} from '@reeve/protocol';
import type { StoredRequest } from '../requests/request-store.ts';
import { applyReview, recordGrants, scopeIn } from './apply-review.ts';
import type { InForce } from './boundary-changes.ts';
import { reviewRoot } from './describe-server.ts';
import type { Grant } from './grant-store.ts';
import type { GuardedServer } from './guarded-server.ts';
import { boundaryRefused } from './place-refusal.ts';
import type { RootFinding } from './root-facts.ts';
import { actorOf } from './server-reviews.ts';
import type { SessionGround } from './session-ground.ts';
import type { Actor, ChangeResult, GrantWish, RequestedRoot } from './session-guard.ts';

/** A session in which a person gives roots to servers. */
export interface GivingSession extends SessionGround {
  widen(part: { readonly roots: readonly BoundaryRoot[] }, by: Actor): Promise<ChangeResult>;
  /** The same, and resolves as soon as it is in force. */
  add(part: { readonly roots: readonly BoundaryRoot[] }, by: Actor): Promise<InForce>;
}

type Wanted =
  | {
      readonly kind: 'found';
      readonly server: GuardedServer;
      readonly root: BoundaryRoot;
      readonly finding: RootFinding;
    }
  | Extract<ChangeResult, { kind: 'refused' | 'invalid' }>;

/** Gives a server a root at once, where policies let this person do so. */
export async function giveRoot(
  session: GivingSession,
  server: GuardedServer | undefined,
  wish: GrantWish,
  by: Actor,
): Promise<ChangeResult> {
  const wanted = await find(session, server, wish, by);
  if (wanted.kind !== 'found') return wanted;
  const { outcome, policies } = decideGrant(session, wanted, by);
  const mayExpose = decideExpose(session, wanted).outcome;
  if (outcome === 'deny' || mayExpose === 'deny') return forbidden(policies);
  if ((outcome === 'ask_admin' || mayExpose === 'ask_admin') && !by.administrator) {
    const next = `Ask an administrator: reeve roots request ${wanted.root.path} --session ${session.session}`;
    return { kind: 'refused', reason: 'Only an administrator may give this directory to a server.', next };
  }
  return give(session, wanted, wish, by);
}

/** Asks people for a root that one of them, or the agent, wants a server to have. */
export async function requestRoot(
  session: GivingSession,
  server: GuardedServer | undefined,
  wish: GrantWish,
  by: Actor,
): Promise<RequestedRoot> {
  const wanted = await find(session, server, wish, by);
  if (wanted.kind !== 'found') return wanted;
  const { root, finding } = wanted;
  const { outcome, policies } = decideExpose(session, wanted);
  if (outcome === 'deny') return forbidden(policies);
  if (outcome === 'allow') {
    const given = await give(session, wanted, wish, by);
    return given.kind === 'changed' || given.kind === 'unchanged' ? { kind: 'granted' } : refusedBy(given);
  }
  const { services } = session;
  if (session.session === undefined)
    return { kind: 'refused', reason: 'The session is not open yet.', next: 'Ask again.' };
  if (services.broker.pendingOf(session.session).length >= services.limits.maxPendingRequests) {
    const reason = 'Too many requests of this session wait for a person (limits.maxPendingRequests).';
    return { kind: 'refused', reason, next: 'Answer some of them first.' };
  }
  const before = services.broker.pendingOf(session.session).find((request) => isAbout(request, wanted));
  if (before) return { kind: 'asked', request: before.id };
  const approval = outcome === 'ask_admin' ? 'administrator' : 'user';
  const undecided = { root, finding, approval } as const;
  const { server: fact, shown, tools } = wanted.server.subject();
  const params: ReviewParams = {
    review: 'root',
    approval,
    server: shown,
    roots: [reviewRoot(undecided)],
    ...(tools === undefined ? {} : { tools }),
    scopes: ['session', 'project', 'always'],
  };
  const request = services.broker.openReview(session.session, params, {
    onAnswer: async (result, answerer) => {
      const given = result as ReviewResult;
      const who = actorOf(answerer);
      const reviewed = { kind: 'root', server: fact, roots: [undecided], named: true, request: request.id } as const;
      await applyReview(session, reviewed, given, who);
      const access = given.roots === undefined ? root.access : given.roots[0]?.access;
      if (given.decision === 'approve' && access !== undefined && !within(session.boundary(), root.path)) {
        // The answer is not kept waiting until the session has changed over.
        await session.add({ roots: [{ ...root, access }] }, who);
      }
    },
    onSettled: () => {},
  });
  return { kind: 'asked', request: request.id };
}

/** Whether somebody asked for this very root before, and nobody has answered. */
function isAbout({ kind, params }: StoredRequest, { server, root }: Extract<Wanted, { kind: 'found' }>): boolean {
  if (kind !== 'review') return false;
  const asked = params as ReviewParams;
  const [only, ...others] = asked.review === 'root' ? (asked.roots ?? []) : [];
  const same = only?.path === root.path && only.access === root.access && others.length === 0;
  return same && asked.server.name === server.server.name;
}

/** Takes a root from one server of a session; the session keeps it. */
export async function withholdRoot(
  session: GivingSession,
  server: GuardedServer | undefined,
  path: string,
  by: Actor,
): Promise<ChangeResult> {
  if (!server) return noServer();
  const scope = scopeIn(session, 'session');
  const standing = server.standing.roots.find(({ root }) => root.path === path);
  const finding = session.examiner.found(path);
  if (!scope || !finding || !(standing || server.grantedPaths().includes(path))) {
    return {
      kind: 'refused',
      reason: 'It is no root of this server.',
      next: 'reeve roots ls shows those that it has.',
    };
  }
  const around = server.standing.grants.find((one) => one.path !== path && path.startsWith(`${one.path}/`));
  if (around) {
    const next = `It lies in ${around.path}, which the server has as well: take that one away.`;
    return { kind: 'refused', reason: 'The server would keep it.', next };
  }
  const denial = grantOf(
    server,
    finding,
    { decision: 'deny', access: standing?.root.access ?? 'rw', scope, by, named: false },
    session,
  );
  session.services.audit.note({
    kind: 'grant.revoked',
    server: server.fact,
    roots: [{ path, access: denial.access }],
    by: by.label,
    scope: 'session',
    ...(session.session === undefined ? {} : { session: session.session }),
  });
  return carryOut(session, server, [denial]);
}

async function give(
  session: GivingSession,
  { server, root, finding }: Extract<Wanted, { kind: 'found' }>,
  wish: GrantWish,
  by: Actor,
): Promise<ChangeResult> {
  const scope = scopeIn(session, wish.scope ?? 'session');
  if (!scope) return { kind: 'refused', reason: 'The session is not open yet.', next: 'Try again when it is.' };
  const { expiresAt } = wish;
  const grant = grantOf(
    server,
    finding,
    {
      decision: 'allow',
      access: root.access,
      scope,
      by,
      named: true,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    },
    session,
  );
  recordGrants(session, server.fact, [grant]);
  if (within(session.boundary(), root.path)) return carryOut(session, server, [grant]);
  await session.services.book.addGrants([grant]);
  return session.widen({ roots: [root] }, by);
}

/** Puts decisions in force, and says what became of them at the server. */
async function carryOut(
  session: GivingSession,
  server: GuardedServer,
  grants: readonly Grant[],
): Promise<ChangeResult> {
  const { carried } = await session.services.book.addGrants(grants);
  await carried;
  return { kind: 'changed', boundary: session.boundary(), servers: [await server.outcome] };
}

async function find(
  session: GivingSession,
  server: GuardedServer | undefined,
  wish: GrantWish,
  by: Actor,
): Promise<Wanted> {
  if (!server) return noServer();
  const path = await realpath(wish.path).catch(() => undefined);
  if (path !== undefined) await session.look([path]);
  const finding = path === undefined ? undefined : session.examiner.found(path);
  if (path === undefined || !finding) {
    const received = 'nothing there';
    const fix = 'name a directory or file that exists on the server';
    return {
      kind: 'invalid',
      issues: [{ path: boundaryPath('roots[0].path'), expected: 'an existing directory', received, fix }],
    };
  }
  if (session.lost().has(path)) {
    const next = 'Whoever changes the boundary of the session and names it there approves it anew.';
    return { kind: 'refused', reason: 'What is there now is not what was approved for this session.', next };
  }
  const { assessment } = finding;
  if (assessment.kind === 'never') {
    session.note((id) => boundaryRefused([{ reason: 'never', path }], { by: by.label, session: id }));
    return { kind: 'refused', reason: assessment.words, next: assessment.next };
  }
  return { kind: 'found', server, root: { path, access: wish.access }, finding };
}

function decideExpose(session: GivingSession, { server, root, finding }: Extract<Wanted, { kind: 'found' }>): Decision {
  const facts: ExposeRootFacts = {
    ...session.circumstances(),
    kind: 'expose_root',
    server: server.facts,
    root: { ...finding.facts, label: 'root' },
    access: root.access,
    initiator: 'person',
  };
  return session.services.policies().decide(facts, session.boundary().revision);
}

function decideGrant(
  session: GivingSession,
  { server, root, finding }: Extract<Wanted, { kind: 'found' }>,
  by: Actor,
): Decision {
  const known: ServerFacts = server.facts;
  const facts: GrantFacts = {
    ...session.circumstances(),
    user: { id: by.label, administrator: by.administrator },
    kind: 'grant',
    server: known,
    root: { ...finding.facts, label: 'root' },
    access: root.access,
  };
  return session.services.policies().decide(facts, session.boundary().revision);
}

interface Given extends Pick<Grant, 'decision' | 'access' | 'scope' | 'named' | 'expiresAt'> {
  readonly by: Actor;
}

function grantOf(
  server: GuardedServer,
  finding: RootFinding,
  { by, ...given }: Given,
  { services }: SessionGround,
): Grant {
  return {
    ...given,
    id: randomUUID(),
    by: by.label,
    administrator: by.administrator,
    at: services.now(),
    server: server.fingerprint,
    serverName: server.server.name,
    root: finding.identity,
  };
}

function within({ roots }: SessionBoundary, path: string): boolean {
  return roots.some((root) => path === root.path || path.startsWith(`${root.path}/`));
}

function forbidden(policies: readonly string[]): Extract<ChangeResult, { kind: 'refused' }> {
  const reason = `Policies forbid it: ${policies.join(', ') || 'no policy permits it'}.`;
  return { kind: 'refused', reason, next: 'Whoever runs Reeve can change the policies.' };
}

function noServer(): Extract<ChangeResult, { kind: 'refused' }> {
  const next = 'reeve servers ls shows those that there are.';
  return { kind: 'refused', reason: 'The session has no MCP server of that name.', next };
}

function refusedBy(result: ChangeResult): Extract<RequestedRoot, { kind: 'refused' | 'invalid' }> {
  if (result.kind === 'refused' || result.kind === 'invalid') return result;
  return { kind: 'refused', reason: 'Somebody changed the boundary meanwhile.', next: 'Ask again.' };
}
