import type {
  BoundaryInfo,
  BoundaryRoot,
  GrantInfo,
  PathCheckInfo,
  RequestedRootInfo,
  RootWish,
} from '@reeve/protocol';
import type { Boundaries } from '../boundary/boundaries.ts';
import { checkPath } from '../boundary/check-path.ts';
import type { Grant } from '../boundary/grant-store.ts';
import type { ChangeResult, GrantWish, SessionGuard } from '../boundary/session-guard.ts';
import type { SessionDirectory } from '../sessions/session-directory.ts';
import type { SessionRecord } from '../sessions/session-store.ts';
import { withSession } from '../sessions/set-session-boundary.ts';
import { decisionFilter, reachOf } from './decision-filter.ts';
import type { GovernancePort } from './governance-port.ts';
import { HTTP_PROFILE } from './http-client-port.ts';
import { rootRisks } from './root-risks.ts';

type SessionBoundaries = Pick<
  GovernancePort,
  | 'boundary'
  | 'setBoundary'
  | 'narrow'
  | 'revokeRoot'
  | 'checkPath'
  | 'requestRoot'
  | 'grants'
  | 'grant'
  | 'revokeGrant'
>;

/** The boundaries of the sessions of this server. A session that has no process is opened for a change, not for a look. */
export function sessionBoundaries(directory: SessionDirectory, boundaries: Boundaries): SessionBoundaries {
  const guarded = <T>(session: string, act: (guard: SessionGuard) => Promise<T>): Promise<T> =>
    withSession(directory, session, HTTP_PROFILE, async (opened) => act((await opened.governed()).guard));

  return {
    async boundary(session): Promise<BoundaryInfo> {
      const record = await directory.record(session);
      const guard = boundaries.find(record.sessionId);
      const boundary = guard?.boundary() ?? recordedBoundary(record);
      const { revision, roots, require, ...wished } = boundary;
      // What a process reaches, also where nobody asked for a rule.
      const network = guard ? directory.live(record.sessionId)?.boundary?.network : wished.network;
      return {
        sessionId: record.sessionId,
        revision,
        roots,
        ...(network === undefined ? {} : { network }),
        ...(require === undefined ? {} : { require }),
        live: guard !== undefined,
        risks: await rootRisks(boundaries, record, guard, boundary),
        servers: guard ? standings(guard).map(({ name, standing }) => ({ name, roots: standing })) : [],
      };
    },
    setBoundary: (session, { expectedRevision, roots, network, require }, by) =>
      withSession(directory, session, HTTP_PROFILE, (opened) =>
        opened.setBoundary(
          {
            ...(roots === undefined ? {} : { roots }),
            ...(network === undefined ? {} : { network }),
            ...(require === undefined ? {} : { require }),
          },
          by,
          expectedRevision,
        ),
      ),
    narrow: (session, { roots, network }, by) =>
      guarded(session, (guard) =>
        guard.narrow({ ...(roots === undefined ? {} : { roots }), ...(network === undefined ? {} : { network }) }, by),
      ),
    revokeRoot: (session, path, server, by) => guarded(session, (guard) => guard.revoke(path, by, server)),

    async checkPath(session, path): Promise<PathCheckInfo> {
      const record = await directory.record(session);
      const guard = boundaries.find(record.sessionId);
      const { roots } = guard?.boundary() ?? recordedBoundary(record);
      const found = await checkPath({ path, roots, servers: guard ? standings(guard) : [] });
      return { path, ...found, ...adviceOn(path, found, record.sessionId) };
    },
    requestRoot: (session, wish, by) =>
      guarded(session, async (guard) => {
        const servers = wish.server === undefined ? guard.servers().map(({ server }) => server.name) : [wish.server];
        if (servers.length === 0) {
          const next = `Give it to the session itself: reeve roots approve ${wish.path} --session ${session}.`;
          return { kind: 'refused', reason: 'the session has no MCP server that could be given a root', next };
        }
        const asked: { granted: string[]; requests: RequestedRootInfo['requests'][number][] } = {
          granted: [],
          requests: [],
        };
        for (const server of servers) {
          const result = await guard.request(grantWish(server, wish), by);
          if (result.kind === 'asked') asked.requests.push({ server, request: result.request as never });
          else if (result.kind === 'granted') asked.granted.push(server);
          else if (wish.server !== undefined || servers.length === 1) return result;
        }
        return { kind: 'asked', asked };
      }),

    async grants(query) {
      const found = await boundaries.grants(await decisionFilter(directory, query));
      return found.map(reportGrant);
    },
    grant: ({ session, ...wish }, by) =>
      guarded(session, async (guard): Promise<ChangeResult> => {
        if (wish.server !== undefined) return guard.grant(grantWish(wish.server, wish), by);
        if ((wish.scope ?? 'session') === 'session' && wish.expiresAt === undefined) {
          return guard.widen({ roots: [{ path: wish.path, access: wish.access }] }, by);
        }
        const reason = 'a boundary is of one session and does not expire: only what an MCP server gets reaches further';
        return { kind: 'refused', reason, next: 'Name a server, or leave scope and expiry out.' };
      }),
    revokeGrant: (id, by) => boundaries.revokeGrant(id, by),
  };
}

function standings(guard: SessionGuard) {
  return guard.servers().map(({ server: { name } }) => ({ name, standing: guard.standing(name) }));
}

/** Sessions from before there were boundaries work where their client said, read-write. */
function recordedBoundary({ place, cwd, additionalDirectories }: SessionRecord) {
  const roots = [cwd, ...additionalDirectories].map((path): BoundaryRoot => ({ path, access: 'rw' }));
  return place?.boundary ?? { revision: 1, roots };
}

function grantWish(server: string, { path, access, scope, expiresAt }: RootWish): GrantWish {
  return {
    server,
    path,
    access,
    ...(scope === undefined ? {} : { scope }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

/** Why a path may not be used, or not for everything, and what to do about it. */
function adviceOn(
  path: string,
  { canonical, agent, root, needed, servers, protected: guarded }: Omit<PathCheckInfo, 'path'>,
  session: string,
): Pick<PathCheckInfo, 'reason' | 'next'> {
  if (canonical === undefined) {
    const reason = 'a link there leads nowhere or in circles, it may not be looked at, or it is no plain absolute path';
    return { reason, next: 'Name the place that is meant by its whole path, without links and "..".' };
  }
  const leads = canonical === path ? path : `${path}, which is ${canonical},`;
  if (agent === 'none') {
    const next = `Give it to the session: reeve roots approve ${needed ?? canonical}:ro --session ${session}.`;
    return { reason: `${leads} is in no root of the session`, next };
  }
  if (guarded !== undefined && root?.access === 'rw') {
    const reason = `${leads} is protected: ${guarded} decides what other tools run`;
    return { reason, next: 'A person has to change it, outside of the session.' };
  }
  const without = servers.filter(({ access }) => access === 'none').map(({ server }) => JSON.stringify(server));
  if (without.length > 0) {
    const next = `Ask for it: reeve roots request ${root?.path ?? canonical} --session ${session} --server NAME.`;
    return { reason: `MCP servers that were not given it: ${without.join(', ')}`, next };
  }
  if (agent === 'rw') return {};
  const next = `Let it be written: reeve roots approve ${root?.path ?? canonical}:rw --session ${session}.`;
  return { reason: `${leads} is read-only in the session`, next };
}

function reportGrant({ id, decision, server, serverName, access, root, scope, by, at, expiresAt }: Grant): GrantInfo {
  return {
    id,
    decision,
    server,
    serverName,
    path: root.path,
    access,
    ...reachOf(scope),
    by,
    at,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}
