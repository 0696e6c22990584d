import { collectIssues, ReeveError, readBoundary, type SetupIssue, setupErrorData } from '@reeve/protocol';
import type { ClientProfile } from '../agents/acp-version.ts';
import type { Actor, ServerOutcome } from '../boundary/session-guard.ts';
import type { Session } from './session.ts';
import type { SessionDirectory } from './session-directory.ts';
import type { BoundaryReport } from './session-place.ts';

export interface BoundaryWriter {
  readonly by: Actor;
  /** What an agent is told of the client that changes the boundary; no agent is started for it. */
  readonly profile: ClientProfile;
  /** Writes down who asked; called before anything changes. */
  readonly log: (session: Session) => void;
}

export interface ChangedBoundary {
  readonly session: Session;
  readonly boundary: BoundaryReport;
  /** What became of it at each MCP server. */
  readonly servers: readonly ServerOutcome[];
}

/** Does something with a session, by id or alias, whether it is in memory or not; one that nobody has is let go afterwards. */
export async function withSession<Result>(
  directory: SessionDirectory,
  idOrAlias: unknown,
  profile: ClientProfile,
  act: (session: Session) => Promise<Result>,
): Promise<Result> {
  const session = await directory.open(await directory.record(idOrAlias), { by: 'reeve', mcpServers: [], profile });
  using _used = session.use();
  return await act(session);
}

/**
 * Gives a session another boundary; what `wished` leaves out stays. Durable and carried out once resolved: after a narrower one nothing of
 * the session runs in the wider one any more. Throws `not_found`, `invalid_params`, `forbidden`, `conflict` and `session_closed`.
 */
export async function setSessionBoundary(
  directory: SessionDirectory,
  idOrAlias: unknown,
  wished: unknown,
  { by, profile, log }: BoundaryWriter,
): Promise<ChangedBoundary> {
  const { issues, report } = collectIssues();
  const wish = readBoundary(wished, report);
  if (issues.length > 0) throw refused(issues);
  return withSession(directory, idOrAlias, profile, async (session) => {
    log(session);
    const result = await session.setBoundary(wish ?? {}, by);
    switch (result.kind) {
      case 'invalid':
        throw refused(result.issues);
      case 'conflict':
        throw new ReeveError('conflict', {
          message: `the boundary is at revision ${result.revision} by now: read it, then send the change again`,
          data: { revision: result.revision },
        });
      case 'refused':
        throw new ReeveError('forbidden', { message: `${result.reason}: ${result.next}` });
      default: {
        requireCarriedOut(result.boundary.revision, result.servers);
        const { boundary } = session;
        if (boundary === undefined || session.ending) {
          throw new ReeveError('session_closed', { data: { sessionId: session.id } });
        }
        return { session, boundary, servers: result.servers };
      }
    }
  });
}

/** Where a request that sets up a session has its boundary. */
const IN_META = /^_meta\["[^"]+"\]\./;

function refused(found: readonly SetupIssue[]): ReeveError {
  const issues = found.map((issue) => ({ ...issue, path: issue.path.replace(IN_META, '') }));
  const data = setupErrorData(issues);
  return new ReeveError('invalid_params', { message: `Invalid params: ${String(data.summary)}`, data: { ...data } });
}

/** The new boundary is in force for all that begins; that a server could not be brought into it must not look done. */
function requireCarriedOut(revision: number, servers: readonly ServerOutcome[]): void {
  const failed = servers.filter(({ result }) => result === 'failed');
  if (failed.length === 0) return;
  const named = failed.map(({ server, detail }) => `${server}${detail === undefined ? '' : `: ${detail}`}`);
  throw new ReeveError('internal_error', {
    message: `the boundary is at revision ${revision}, but not at every MCP server: ${named.join('; ')}`,
    data: { details: 'close the session, or send the boundary again', revision },
  });
}
