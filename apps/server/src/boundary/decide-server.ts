import type { ReviewResult } from '@reeve/protocol';
import { applyReview } from './apply-review.ts';
import type { GuardedServer } from './guarded-server.ts';
import type { ServerView } from './server-view.ts';
import type { Actor, ServerDecided, ServerWish } from './session-guard.ts';
import { forbidden, type GivingSession, noServer } from './wanted-root.ts';

/**
 * A person decides about a server though nobody asks. A yes changes what was decided before: what it does not say of scope, time, trust and
 * network stays, and one of the same scope takes its place. A no ends it, also for this session alone. Resolves when that is carried out.
 */
export async function decideServer(
  session: GivingSession,
  server: GuardedServer | undefined,
  wish: ServerWish,
  by: Actor,
): Promise<ServerDecided> {
  if (!server) return noServer();
  const { view } = server;
  if (typeof wish.expiresAt === 'number' && wish.expiresAt <= session.services.now()) {
    return { kind: 'refused', reason: 'That time is over.', next: 'Name a time to come.' };
  }
  const given = wish.roots === undefined ? [] : view.given(view.stand(), []);
  const refused = wish.decision === 'deny' ? undefined : (whyNot(view, by) ?? notItsOwn(given, wish));
  if (refused) return refused;
  const settled = completed(view, wish);
  const shown = view.subject().shown;
  if (settled.decision === 'approve' && shown.package !== undefined) {
    await session.services.packages?.approve(server.fingerprint, shown.package);
  }
  const reviewed = { kind: 'server', server: server.fact, roots: [], given, named: false } as const;
  const { carried } = await applyReview(session, reviewed, settled, by);
  await carried;
  return { kind: 'decided' };
}

/** Why this person cannot let it run, where nobody was shown what it is. */
function whyNot(view: ServerView, by: Actor): Extract<ServerDecided, { kind: 'refused' }> | undefined {
  const { outcome, policies } = view.decideStart();
  if (outcome === 'deny') return forbidden(policies);
  if (outcome === 'ask_admin' && !by.administrator) {
    const next = 'An administrator answers at the command line, over HTTP or in the console.';
    return { kind: 'refused', reason: 'Only an administrator may let this server run.', next };
  }
  const decided = view.approval() ?? view.denial();
  if (view.unseenLoaders().length === 0 && (outcome === 'allow' || decided)) return undefined;
  const next = 'A session that uses it asks; where it was refused, "reeve servers retry" asks again.';
  return { kind: 'refused', reason: 'nobody is asked about this server now', next };
}

function notItsOwn(given: ReturnType<ServerView['given']>, { roots = [] }: ServerWish) {
  const own = new Map(given.map(({ root }) => [root.path, root.access]));
  const other = roots.find(({ path, access }) => !(own.get(path) === 'rw' || own.get(path) === access));
  if (!other) return undefined;
  const next = 'Give it more with "reeve roots approve PATH --server NAME".';
  return { kind: 'refused', reason: `The server does not have ${other.path} (${other.access}) now.`, next } as const;
}

function completed(view: ServerView, { expiresAt: wished, ...wish }: ServerWish): ReviewResult {
  const before = wish.decision === 'approve' ? view.approval() : undefined;
  const expiresAt = wished === undefined ? before?.expiresAt : wished;
  const timed = typeof expiresAt === 'number' ? { ...wish, expiresAt } : wish;
  if (wish.decision === 'deny') return timed;
  const scope = wish.scope ?? (before ?? view.denial())?.scope.kind;
  return {
    ...timed,
    ...(scope === undefined ? {} : { scope }),
    trusted: wish.trusted ?? before?.trusted ?? false,
    network: wish.network ?? before?.network ?? 'none',
  };
}
