import type { AgentEpoch, SessionId, SessionSetup } from '@reeve/protocol';
import type { SessionPlace } from './session-place.ts';
import type { SessionRecord } from './session-store.ts';

/** What every new session has, however it comes about. */
export interface NewRecord
  extends Omit<
    SessionRecord,
    'cwd' | 'additionalDirectories' | 'place' | 'createdAt' | 'updatedAt' | 'agentEpoch' | 'closed' | 'alias'
  > {
  readonly setup: SessionRecord['setup'];
  readonly asked: Pick<SessionSetup, 'cwd' | 'additionalDirectories'>;
  readonly place: SessionPlace;
  readonly alias?: SessionId | undefined;
}

/** The record of a session that begins now, and has no agent process yet. */
export function newRecord({ asked, alias, ...given }: NewRecord): SessionRecord {
  const now = Date.now();
  return {
    ...given,
    ...(alias === undefined ? {} : { alias }),
    cwd: asked.cwd,
    additionalDirectories: asked.additionalDirectories,
    createdAt: now,
    updatedAt: now,
    agentEpoch: 0 as AgentEpoch,
    closed: false,
  };
}
