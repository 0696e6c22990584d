import type { ClientProfile } from '../agents/acp-version.ts';
import type { PatchedMetadata } from './metadata-keeper.ts';
import type { Session } from './session.ts';
import type { SessionDirectory } from './session-directory.ts';

export interface MetadataWriter {
  /** What an agent is told of the client that changes a choice; no agent is started for it. */
  readonly profile: ClientProfile;
  /** Writes down who asked; called before anything changes. */
  readonly log: (session: Session) => void;
}

/**
 * Changes the metadata of a session, by id or alias, whether it is in memory or not; a session that nobody has is let go afterwards.
 * Durable once resolved. Throws `not_found`, `invalid_params` and `session_closed`.
 */
export async function setSessionMetadata(
  directory: SessionDirectory,
  idOrAlias: unknown,
  patch: unknown,
  { profile, log }: MetadataWriter,
): Promise<PatchedMetadata & { readonly session: Session }> {
  const record = await directory.record(idOrAlias);
  const session = await directory.open(record, { by: 'reeve', mcpServers: [], profile });
  try {
    log(session);
    return { session, ...(await session.metadata.patch(patch)) };
  } finally {
    session.release();
  }
}
