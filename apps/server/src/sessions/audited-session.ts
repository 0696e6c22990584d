import type { AuditFact } from '../audit/audit-fact.ts';
import type { SessionRecord } from './session-store.ts';

/** What the audit log has of a new session: that it is there, and what it may touch. */
export function createdFacts(record: SessionRecord, by: string): readonly AuditFact[] {
  const { sessionId: session, agent, protocolVersion = 1, agentVersion } = record;
  const running = agentVersion?.running;
  const version = running === undefined ? {} : { agentVersion: running };
  const created = {
    kind: 'session.created',
    session,
    by,
    agent,
    protocolVersion,
    ...version,
  } as const;
  return [created, boundaryFact(record, by)];
}

/** That the session has the boundary which its record holds. */
export function boundaryFact({ sessionId: session, place }: SessionRecord, by: string): AuditFact {
  const { roots = [], network, revision = 0 } = place?.boundary ?? {};
  return {
    kind: 'boundary.set',
    session,
    by,
    revision,
    roots: roots.map(({ path, access }) => ({ path, access })),
    ...(network === undefined ? {} : { network: typeof network === 'string' ? network : network.allow }),
  };
}
