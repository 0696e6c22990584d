import { stat } from 'node:fs/promises';
import type {
  BoundaryInfo,
  BoundaryRoot,
  GrantInfo,
  PathCheckInfo,
  RequestedRootInfo,
  RootWish,
} from '@reeve/protocol';
import type { Boundaries } from '../boundary/boundaries.ts';
import { checkPath, whereItLeads } from '../boundary/check-path.ts';
import type { Grant } from '../boundary/grant-store.ts';
import { placeOfSystem } from '../boundary/resolve-boundary.ts';
import type { ChangeResult, GrantWish, SessionGuard } from '../boundary/session-guard.ts';
import type { SessionDirectory } from '../sessions/session-directory.ts';
import type { SessionRecord } from '../sessions/session-store.ts';
import { withSession } from '../sessions/set-session-boundary.ts';
import { decisionFilter, reachOf } from './decision-filter.ts';
import type { GovernancePort } from './governance-port.ts';
import { HTTP_PROFILE } from './http-client-port.ts';
import { adviseOnPath } from './path-advice.ts';
import { lookAt, rootRisks } from './root-risks.ts';

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
        ...(guard?.lost().size ? { lost: roots.flatMap(({ path }) => (guard.lost().has(path) ? [path] : [])) } : {}),
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
    revokeRoot: (session, path, server, by) =>
      guarded(session, async (guard) => guard.revoke(await rootMeant(guard, path), by, server)),

    async checkPath(session, path): Promise<PathCheckInfo> {
      const record = await directory.record(session);
      const guard = boundaries.find(record.sessionId);
      const { roots } = guard?.boundary() ?? recordedBoundary(record);
      const lost = guard?.lost() ?? NONE;
      const found = { path, ...(await checkPath({ path, roots, lost, servers: guard ? standings(guard) : [] })) };
      const outside =
        found.needed !== undefined && placeOfSystem(found.needed) === undefined ? found.needed : undefined;
      const needed = outside === undefined ? undefined : await lookAt(boundaries, record, outside);
      const unfit = outside === undefined || needed?.highRisk || needed?.why !== undefined;
      const file =
        found.needed !== undefined && unfit && found.canonical !== undefined && (await isFile(found.canonical))
          ? await lookAt(boundaries, record, found.canonical)
          : undefined;
      return { ...found, ...adviseOnPath({ found, session: record.sessionId, needed, file }) };
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
  return guard.servers().map((server) => {
    const { name } = server.server;
    return { name, standing: guard.standing(name), has: server.scope().roots };
  });
}

const NONE: ReadonlySet<string> = new Set();

/** The path of the root that somebody names, who may name it by a link. */
async function rootMeant(guard: SessionGuard, path: string): Promise<string> {
  if (guard.boundary().roots.some((root) => root.path === path)) return path;
  return (await whereItLeads(path)) ?? path;
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
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
