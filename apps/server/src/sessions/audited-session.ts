import type { ClientProfile } from '../agents/acp-version.ts';
import type { AuditFact } from '../audit/audit-fact.ts';
import type { SessionRecord } from './session-store.ts';

/** What the audit log has of a new session: that it is there, and what it may touch. */
export function createdFacts(record: SessionRecord, profile: ClientProfile): readonly AuditFact[] {
  const { sessionId: session, agent, protocolVersion = 1, agentVersion } = record;
  const running = agentVersion?.running;
  const version = running === undefined ? {} : { agentVersion: running };
  const created = {
    kind: 'session.created',
    session,
    by: labelOf(profile),
    agent,
    protocolVersion,
    ...version,
  } as const;
  return [created, boundaryFact(record, profile)];
}

/** That the session has the boundary which its record holds. */
export function boundaryFact({ sessionId: session, place }: SessionRecord, profile: ClientProfile): AuditFact {
  const { roots = [], network, revision = 0 } = place?.boundary ?? {};
  return {
    kind: 'boundary.set',
    session,
    by: labelOf(profile),
    revision,
    roots: roots.map(({ path, access }) => ({ path, access })),
    ...(network === undefined ? {} : { network: typeof network === 'string' ? network : network.allow }),
  };
}

/** Name and version as the client gave them. */
function labelOf({ clientInfo = {} }: ClientProfile): string {
  const words = [clientInfo.title ?? clientInfo.name, clientInfo.version];
  return words.filter((word) => typeof word === 'string').join(' ') || 'unnamed client';
}
