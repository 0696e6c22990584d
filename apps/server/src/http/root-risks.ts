import type { RootRisk, SessionBoundary } from '@reeve/protocol';
import type { Boundaries } from '../boundary/boundaries.ts';
import type { Foresight } from '../boundary/foreseen.ts';
import type { GuardedSessionOptions, SessionGuard } from '../boundary/session-guard.ts';
import type { SessionRecord } from '../sessions/session-store.ts';

/** What each root of a session is, for people who look: of one without a process found out now, nothing where its directories are gone. */
export async function rootRisks(
  boundaries: Boundaries,
  record: SessionRecord,
  guard: SessionGuard | undefined,
  boundary: SessionBoundary,
): Promise<readonly RootRisk[]> {
  if (guard) return told(guard);
  const looking = await boundaries.open(unstarted(record, boundary)).catch(() => undefined);
  if (!looking) return [];
  await using opened = looking;
  return await told(opened);
}

/** What a directory or file would be as a root of a session; undefined where that cannot be found out. @param path canonical */
export async function lookAt(
  boundaries: Boundaries,
  record: SessionRecord,
  path: string,
): Promise<Foresight['roots'][number] | undefined> {
  const boundary = { roots: [{ path, access: 'ro' as const }], revision: 1 };
  const looking = await boundaries.open(unstarted(record, boundary)).catch(() => undefined);
  if (!looking) return undefined;
  await using opened = looking;
  return (await opened.risks())[0];
}

function unstarted({ agent, cwd, place }: SessionRecord, boundary: SessionBoundary): GuardedSessionOptions {
  return { agent, place: { boundary, cwd: place?.cwd ?? cwd }, enforced: false, confined: false };
}

async function told(guard: SessionGuard): Promise<readonly RootRisk[]> {
  return (await guard.risks()).map(({ root: { path }, risks, highRisk }) => ({ path, risks, highRisk }));
}
