import {
  type GovernedServerDetails,
  type GovernedServerInfo,
  ReeveError,
  type RequestInfo,
  type ReviewParams,
  type ReviewResult,
  type ServerApprovalInfo,
  type ServerList,
  type SessionId,
} from '@reeve/protocol';
import type { Boundaries } from '../boundary/boundaries.ts';
import type { ServerApproval } from '../boundary/grant-store.ts';
import type { Actor, ServerWish } from '../boundary/session-guard.ts';
import type { StoredRequest } from '../requests/request-store.ts';
import type { Session } from '../sessions/session.ts';
import type { SessionDirectory } from '../sessions/session-directory.ts';
import { reachOf } from './decision-filter.ts';
import type { GovernancePort, Refused, ServerVerdict } from './governance-port.ts';
import { reportRequest } from './server-control.ts';

type GovernedServers = Pick<GovernancePort, 'servers' | 'server' | 'retryServer' | 'decideServer' | 'forgetServer'>;

/** The MCP servers of the sessions that are in memory. */
export function governedServers(directory: SessionDirectory, boundaries: Boundaries): GovernedServers {
  const { broker, requests } = directory.services;

  const liveSession = async (session: string): Promise<Session | undefined> =>
    directory.live((await directory.record(session)).sessionId);

  const serversOf = (session: Session): readonly GovernedServerInfo[] => {
    const waiting = broker.pendingOf(session.id).filter(isReview);
    const guard = boundaries.find(session.id);
    return session.servers.map((report) => {
      const about = report.governed ? guard?.about(report.name) : undefined;
      return {
        ...report,
        sessionId: session.id,
        ...(about ? { identity: about.server } : {}),
        ...(about?.tools ? { tools: about.tools } : {}),
        requests: waiting.filter(({ params }) => serverOf(params)?.name === report.name).map(({ id }) => id),
      };
    });
  };

  /** Decides in each session that has the server, where nobody asks. */
  const unasked = async (
    fingerprint: string,
    wish: ServerWish,
    by: Actor,
    only: SessionId | undefined,
  ): ReturnType<GovernedServers['decideServer']> => {
    const changed: SessionId[] = [];
    let refused: Refused | undefined;
    for (const guard of boundaries.sessions()) {
      const { session } = guard;
      const server = guard.servers().find((one) => one.fingerprint === fingerprint);
      if (!server || session === undefined || (only !== undefined && session !== only)) continue;
      const { name } = server.server;
      const outcome = await guard.decideServer(name, wish, by);
      if (outcome.kind === 'refused') {
        refused ??= outcome;
        continue;
      }
      changed.push(session);
      const live = directory.live(session);
      const stopped = live?.servers.some((report) => report.name === name && report.state === 'refused');
      if (live && stopped && wish.decision === 'approve') (await live.governed()).running.retry(name);
    }
    if (changed.length > 0) return { kind: 'decided', decided: { requests: [], changed } };
    return refused ?? { kind: 'refused', reason: 'no session that is open uses this server', next: FORGET };
  };

  return {
    async servers(session): Promise<ServerList> {
      const one = session === undefined ? undefined : await liveSession(session);
      const ids = boundaries.sessions().flatMap((guard) => guard.session ?? []);
      const all = ids.flatMap((id) => directory.live(id) ?? []);
      const sessions = session === undefined ? all : one ? [one] : [];
      const servers = sessions.flatMap(serversOf);
      const fingerprints = new Set(servers.map(({ fingerprint }) => fingerprint));
      const approvals = (await boundaries.approvals({})).filter(
        ({ fingerprint }) => session === undefined || fingerprints.has(fingerprint),
      );
      return { servers, approvals: approvals.map(reportApproval) };
    },
    async server(session, name): Promise<GovernedServerDetails | undefined> {
      const live = await liveSession(session);
      const found = live && serversOf(live).find((server) => server.name === name);
      if (!live || !found) return undefined;
      const { fingerprint } = found;
      const approvals = fingerprint === undefined ? [] : await boundaries.approvals({ fingerprint });
      const reviews = broker.pendingOf(live.id).filter(({ id }) => found.requests.includes(id));
      const stderrTail = found.governed ? (await live.governed()).running.stderrTail(name) : undefined;
      return {
        ...found,
        approvals: approvals.map(reportApproval),
        reviews: reviews.map(({ id, params }) => ({ request: id, params })),
        ...(stderrTail === undefined ? {} : { stderrTail }),
      };
    },
    async retryServer(session, name) {
      const live = await liveSession(session);
      return live !== undefined && (await live.governed()).running.retry(name);
    },
    async decideServer(fingerprint, { session, ...result }, by) {
      const only = session === undefined ? undefined : (await directory.record(session)).sessionId;
      const waiting = (await requests.list({ pendingOnly: true })).filter(
        (request) =>
          isReview(request) &&
          (only === undefined || request.sessionId === only) &&
          (request.params as ReviewParams).review === 'server' &&
          serverOf(request.params)?.fingerprint === fingerprint,
      );
      if (waiting.length === 0) return unasked(fingerprint, given(result), by, only);
      const answer = answerOf(given(result));
      const answered: RequestInfo[] = [];
      for (const { id } of waiting) {
        const outcome = await broker.answer(id, answer, by);
        if (outcome.kind === 'answered') answered.push(reportRequest(outcome.request));
        if (outcome.kind === 'not_offered') {
          throw new ReeveError('not_offered', { message: outcome.why, data: { offered: outcome.offered } });
        }
      }
      return { kind: 'decided', decided: { requests: answered, changed: [] } };
    },
    forgetServer: (fingerprint, by) => boundaries.forgetServer(fingerprint, by),
  };
}

const FORGET = '"reeve servers ls" shows those that are used; "reeve servers forget" forgets what was decided.';

function isReview({ kind }: StoredRequest): boolean {
  return kind === 'review';
}

function serverOf(params: unknown): ReviewParams['server'] | undefined {
  return (params as Partial<ReviewParams> | null)?.server;
}

/** Without the members that were left out. */
function given(members: Omit<ServerVerdict, 'session'>): ServerWish {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}

/** As the answer to a review, which has no end unless it names one. */
function answerOf({ expiresAt, ...wish }: ServerWish): ReviewResult {
  return typeof expiresAt === 'number' ? { ...wish, expiresAt } : wish;
}

function reportApproval({ scope, administrator: _, ...approval }: ServerApproval): ServerApprovalInfo {
  return { ...approval, ...reachOf(scope) };
}
