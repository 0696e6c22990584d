import type { RootRisk, SessionBoundary } from '@reeve/protocol';
import type { Boundaries } from '../boundary/boundaries.ts';
import type { SessionGuard } from '../boundary/session-guard.ts';
import type { SessionRecord } from '../sessions/session-store.ts';

/** What each root of a session is, for people who look: of one without a process found out now, nothing where its directories are gone. */
export async function rootRisks(
  boundaries: Boundaries,
  { agent, cwd, place }: SessionRecord,
  guard: SessionGuard | undefined,
  boundary: SessionBoundary,
): Promise<readonly RootRisk[]> {
  if (guard) return told(guard);
  const asked = { agent, place: { boundary, cwd: place?.cwd ?? cwd }, enforced: false, confined: false };
  const looking = await boundaries.open(asked).catch(() => undefined);
  if (!looking) return [];
  await using opened = looking;
  return await told(opened);
}

async function told(guard: SessionGuard): Promise<readonly RootRisk[]> {
  return (await guard.risks()).map(({ root: { path }, risks, highRisk }) => ({ path, risks, highRisk }));
}
