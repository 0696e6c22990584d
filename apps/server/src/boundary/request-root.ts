import type { BoundaryRoot, ReviewParams, ReviewResult, ReviewScope, ReviewWish } from '@reeve/protocol';
import type { StoredRequest } from '../requests/request-store.ts';
import { applyReview } from './apply-review.ts';
import { reviewRoot } from './describe-server.ts';
import { give } from './give-root.ts';
import type { GuardedServer } from './guarded-server.ts';
import type { RootFinding } from './root-facts.ts';
import { identify, sameIdentity } from './root-identity.ts';
import { actorOf } from './server-reviews.ts';
import type { Actor, ChangeResult, GrantWish, RequestedRoot } from './session-guard.ts';
import { decideExpose, findWanted, forbidden, type GivingSession, type WantedRoot, within } from './wanted-root.ts';

/** Asks people for a root that one of them, or the agent, wants a server to have. */
export async function requestRoot(
  session: GivingSession,
  server: GuardedServer | undefined,
  wish: GrantWish,
  by: Actor,
): Promise<RequestedRoot> {
  const wanted = await findWanted(session, server, wish, by);
  if (wanted.kind !== 'found') return wanted;
  const { root, finding } = wanted;
  const exposing = decideExpose(session, wanted);
  session.decided(exposing);
  const { outcome, policies } = exposing.decision;
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
  const wants = wishOf(wish);
  const before = services.broker.pendingOf(session.session).find((request) => isAbout(request, wanted, wants));
  if (before) return { kind: 'asked', request: before.id };
  const approval = outcome === 'ask_admin' ? 'administrator' : 'user';
  const undecided = { root, finding, approval } as const;
  const joins = within(session.boundary(), root.path) ? {} : { joinsSession: true as const };
  const { server: fact, shown, tools } = wanted.server.subject();
  const params: ReviewParams = {
    review: 'root',
    approval,
    server: shown,
    roots: [{ ...reviewRoot(undecided), ...joins }],
    ...(tools === undefined ? {} : { tools }),
    scopes: SCOPES.slice(0, wants?.scope === undefined ? SCOPES.length : SCOPES.indexOf(wants.scope) + 1),
    ...(wants === undefined ? {} : { wanted: wants }),
  };
  const given = ({ decision, roots }: ReviewResult): BoundaryRoot | undefined => {
    const access = roots === undefined ? root.access : roots[0]?.access;
    return decision === 'deny' || access === undefined ? undefined : { ...root, access };
  };
  const request = services.broker.openReview(session.session, params, {
    refusal: async (result) => {
      const one = given(result as ReviewResult);
      return one && refusalOf(session, one, finding);
    },
    onAnswer: async (result, answerer) => {
      const who = actorOf(answerer);
      const reviewed = { kind: 'root', server: fact, roots: [undecided], named: true, request: request.id } as const;
      await applyReview(session, reviewed, result as ReviewResult, who);
      const one = given(result as ReviewResult);
      if (!one || within(session.boundary(), one.path)) return;
      // The answer is not kept waiting until the session has changed over.
      const { carried } = await session.add({ roots: [one] }, who);
      void carried.then(({ kind }) => {
        const failed = kind !== 'changed' && kind !== 'unchanged';
        if (failed) services.onFailure(new Error(kind), 'a root was approved, and could not be added to its session');
      });
    },
    onSettled: () => {},
  });
  return { kind: 'asked', request: request.id };
}

/** From the least. */
const SCOPES: readonly ReviewScope[] = ['session', 'project', 'always'];

function wishOf({ scope, expiresAt }: GrantWish): ReviewWish | undefined {
  if (scope === undefined && expiresAt === undefined) return undefined;
  return { ...(scope === undefined ? {} : { scope }), ...(expiresAt === undefined ? {} : { expiresAt }) };
}

/** Why the session cannot have what a person says yes to, any more. */
async function refusalOf(
  session: GivingSession,
  root: BoundaryRoot,
  { identity }: RootFinding,
): Promise<string | undefined> {
  const now = await identify(root.path, identity.boot);
  if (!now || !sameIdentity(identity, now))
    return 'what is there now is not what was asked about: deny it, and ask again';
  return within(session.boundary(), root.path) ? undefined : session.cannotAdd([root]);
}

/** Whether somebody asked for this very root before, for as long and as far, and nobody has answered. */
function isAbout(
  { kind, params }: StoredRequest,
  { server, root }: WantedRoot,
  wants: ReviewWish | undefined,
): boolean {
  if (kind !== 'review') return false;
  const asked = params as ReviewParams;
  const [only, ...others] = asked.review === 'root' ? (asked.roots ?? []) : [];
  const same = only?.path === root.path && only.access === root.access && others.length === 0;
  const { scope, expiresAt } = asked.wanted ?? {};
  return same && scope === wants?.scope && expiresAt === wants?.expiresAt && asked.server.name === server.server.name;
}

function refusedBy(result: ChangeResult): Extract<RequestedRoot, { kind: 'refused' | 'invalid' }> {
  if (result.kind === 'refused' || result.kind === 'invalid') return result;
  return { kind: 'refused', reason: 'Somebody changed the boundary meanwhile.', next: 'Ask again.' };
}
