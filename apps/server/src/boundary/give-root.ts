import { randomUUID } from 'node:crypto';
import type { GrantFacts, ServerFacts } from '@reeve/policy';
import { recordGrants, scopeIn } from './apply-review.ts';
import type { DecidedCase } from './decided-cases.ts';
import type { Grant } from './grant-store.ts';
import type { GuardedServer } from './guarded-server.ts';
import type { RootFinding } from './root-facts.ts';
import type { SessionGround } from './session-ground.ts';
import type { Actor, ChangeResult, GrantWish } from './session-guard.ts';
import {
  decideExpose,
  findWanted,
  forbidden,
  type GivingSession,
  noServer,
  type WantedRoot,
  within,
} from './wanted-root.ts';

/** Gives a server a root at once, where policies let this person do so. */
export async function giveRoot(
  session: GivingSession,
  server: GuardedServer | undefined,
  wish: GrantWish,
  by: Actor,
): Promise<ChangeResult> {
  const wanted = await findWanted(session, server, wish, by);
  if (wanted.kind !== 'found') return wanted;
  const granting = decideGrant(session, wanted, by);
  const { outcome, policies } = granting.decision;
  const exposing = decideExpose(session, wanted);
  const mayExpose = exposing.decision.outcome;
  for (const decided of [granting, exposing]) session.decided(decided);
  if (outcome === 'deny' || mayExpose === 'deny') return forbidden(policies);
  if ((outcome === 'ask_admin' || mayExpose === 'ask_admin') && !by.administrator) {
    const next = `Ask an administrator: reeve roots request ${wanted.root.path} --session ${session.session}`;
    return { kind: 'refused', reason: 'Only an administrator may give this directory to a server.', next };
  }
  return give(session, wanted, wish, by);
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

/** What was found, and may be given. */
export async function give(
  session: GivingSession,
  { server, root, finding }: WantedRoot,
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

function decideGrant(session: GivingSession, { server, root, finding }: WantedRoot, by: Actor): DecidedCase {
  const known: ServerFacts = server.facts;
  const facts: GrantFacts = {
    ...session.circumstances(),
    user: { id: by.label, administrator: by.administrator },
    kind: 'grant',
    server: known,
    root: { ...finding.facts, label: 'root' },
    access: root.access,
  };
  return { facts, decision: session.services.policies().decide(facts, session.boundary().revision) };
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
