import { realpath } from 'node:fs/promises';
import type { ExposeRootFacts } from '@reeve/policy';
import { type BoundaryRoot, boundaryPath, type SessionBoundary } from '@reeve/protocol';
import type { InForce } from './boundary-changes.ts';
import type { DecidedCase } from './decided-cases.ts';
import type { GuardedServer } from './guarded-server.ts';
import { boundaryRefused } from './place-refusal.ts';
import type { RootFinding } from './root-facts.ts';
import type { SessionGround } from './session-ground.ts';
import type { Actor, ChangeResult, GrantWish } from './session-guard.ts';

/** A session in which a person gives roots to servers. */
export interface GivingSession extends SessionGround {
  widen(part: { readonly roots: readonly BoundaryRoot[] }, by: Actor): Promise<ChangeResult>;
  /** The same, and resolves as soon as it is in force. */
  add(part: { readonly roots: readonly BoundaryRoot[] }, by: Actor): Promise<InForce>;
  /** Why it could not be added now; undefined where it could. */
  cannotAdd(roots: readonly BoundaryRoot[]): Promise<string | undefined>;
}

/** A root that a server of the session could have, as it was found to be. */
export interface WantedRoot {
  readonly kind: 'found';
  readonly server: GuardedServer;
  readonly root: BoundaryRoot;
  readonly finding: RootFinding;
}

type Unfit = Extract<ChangeResult, { kind: 'refused' | 'invalid' }>;

/** Looks at what somebody wants a server to have, and refuses what no session could give. */
export async function findWanted(
  session: GivingSession,
  server: GuardedServer | undefined,
  wish: GrantWish,
  by: Actor,
): Promise<WantedRoot | Unfit> {
  if (!server) return noServer();
  if (wish.expiresAt !== undefined && wish.expiresAt <= session.services.now()) return ALREADY_OVER;
  const path = await realpath(wish.path).catch(() => undefined);
  if (path !== undefined) await session.look([path]);
  const finding = path === undefined ? undefined : session.examiner.found(path);
  if (path === undefined || !finding) {
    const received = 'nothing there';
    const fix = 'name a directory or regular file that exists on the server';
    return {
      kind: 'invalid',
      issues: [{ path: boundaryPath('roots[0].path'), expected: 'an existing directory or file', received, fix }],
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
  const unnamed = server.view.unnamed(path);
  if (unnamed !== undefined) return { kind: 'refused', reason: 'The server could not use it.', next: unnamed };
  const root: BoundaryRoot = { path, access: wish.access, ...(finding.facts.kind === 'file' ? { kind: 'file' } : {}) };
  if (!within(session.boundary(), path)) {
    const reason = await session.cannotAdd([root]);
    if (reason !== undefined) return { kind: 'refused', reason, next: 'reeve roots ls shows what the session has.' };
  }
  return { kind: 'found', server, root, finding };
}

const ALREADY_OVER: Unfit = {
  kind: 'refused',
  reason: 'The time until which it would count is over.',
  next: 'Name a time to come, or none.',
};

/** What policies say of showing the root to the server, when a person wants that. */
export function decideExpose(session: GivingSession, { server, root, finding }: WantedRoot): DecidedCase {
  const facts: ExposeRootFacts = {
    ...session.circumstances(),
    kind: 'expose_root',
    server: server.facts,
    root: { ...finding.facts, label: 'root' },
    access: root.access,
    initiator: 'person',
  };
  return { facts, decision: session.services.policies().decide(facts, session.boundary().revision) };
}

/** By path component. */
export function within({ roots }: SessionBoundary, path: string): boolean {
  return roots.some((root) => path === root.path || path.startsWith(`${root.path}/`));
}

export function forbidden(policies: readonly string[]): Extract<ChangeResult, { kind: 'refused' }> {
  const reason = `Policies forbid it: ${policies.join(', ') || 'no policy permits it'}.`;
  return { kind: 'refused', reason, next: 'Whoever runs Reeve can change the policies.' };
}

export function noServer(): Extract<ChangeResult, { kind: 'refused' }> {
  const next = 'reeve servers ls shows those that there are.';
  return { kind: 'refused', reason: 'The session has no MCP server of that name.', next };
}
