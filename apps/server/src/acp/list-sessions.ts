import { isObject, type JsonObject, META_KEY, ReeveError } from '@reeve/protocol';
import { type AskedAgent, announced, listAgentSessions } from '../sessions/agent-sessions.ts';
import type { SessionDirectory } from '../sessions/session-directory.ts';
import { metadataOf } from '../sessions/session-metadata.ts';
import { readSessionPage } from '../sessions/session-page.ts';
import type { SessionRecord } from '../sessions/session-store.ts';
import { sessionState, toldOfTurns } from '../sessions/told-of-turns.ts';

/** In front of cursors that go on with what the agent lists; no cursor of a store has a dot. */
const AGENT_CURSOR = 'agent.';

/**
 * `session/list` (ACP): first the sessions of this server, of all agents, then pages of those that only the connection's agent knows;
 * where this server has none, the agent's come at once. An agent that fails costs its own part only, and `_meta` says so.
 */
export async function listSessions(
  directory: SessionDirectory,
  asked: AskedAgent,
  { cwd, cursor }: JsonObject,
): Promise<JsonObject> {
  if (typeof cursor === 'string' && cursor.startsWith(AGENT_CURSOR)) {
    return agentPart(directory, asked, cwd, readAgentCursor(cursor));
  }
  const page = await readSessionPage(directory.services.store, { cwd, cursor });
  const sessions = page.sessions.map((record) => shown(directory, record));
  if (page.nextCursor !== undefined) return { sessions, nextCursor: page.nextCursor };
  if (sessions.length === 0) return agentPart(directory, asked, cwd, undefined);
  const initialize = await directory.services.agents.initialize(asked.entry, asked.profile);
  return { sessions, ...(announced(initialize).list ? { nextCursor: agentCursor(undefined) } : {}) };
}

function shown(directory: SessionDirectory, stored: SessionRecord): JsonObject {
  const live = directory.live(stored.sessionId);
  const record = live?.record ?? stored;
  return {
    sessionId: record.sessionId,
    cwd: record.cwd,
    ...(record.additionalDirectories.length > 0 ? { additionalDirectories: record.additionalDirectories } : {}),
    ...(record.title === undefined ? {} : { title: record.title }),
    updatedAt: new Date(record.updatedAt).toISOString(),
    _meta: {
      [META_KEY]: {
        ...metadataOf(record),
        agent: record.agent,
        protocolVersion: record.protocolVersion ?? 1,
        ...(record.agentVersion === undefined ? {} : { agentVersion: record.agentVersion }),
        state: sessionState(record, live),
        ...toldOfTurns(record, live),
        ...(live && live.servers.length > 0 ? { mcpServers: live.servers } : {}),
        ...(record.alias === undefined ? {} : { requestedSessionId: record.alias }),
      },
    },
  };
}

/** What the agent lists and this server does not know. */
async function agentPart(
  directory: SessionDirectory,
  asked: AskedAgent,
  cwd: unknown,
  cursor: string | undefined,
): Promise<JsonObject> {
  const { services } = directory;
  const agent = asked.entry.name;
  const query = { ...(typeof cwd === 'string' ? { cwd } : {}), ...(cursor === undefined ? {} : { cursor }) };
  const page = await listAgentSessions(services, asked, query);
  switch (page.kind) {
    case 'none':
      return { sessions: [] };
    case 'failed':
      return { sessions: [], _meta: { [META_KEY]: { agentList: { agent, error: page.error } } } };
    case 'page': {
      const known = await Promise.all(page.sessions.map((session) => directory.knows(agent, session.sessionId)));
      const sessions = page.sessions.filter(
        (session, index) =>
          !known[index] && typeof session.cwd === 'string' && (typeof cwd !== 'string' || session.cwd === cwd),
      );
      return {
        sessions: sessions.map((session) => foreign(agent, session)),
        ...(page.nextCursor === undefined ? {} : { nextCursor: agentCursor(page.nextCursor) }),
      };
    }
  }
}

/** An entry of the agent; nothing under our key is believed. */
function foreign(agent: string, session: JsonObject): JsonObject {
  const meta = isObject(session._meta) ? session._meta : {};
  return { ...session, _meta: { ...meta, [META_KEY]: { agent, origin: 'agent' } } };
}

function agentCursor(cursor: string | undefined): string {
  return `${AGENT_CURSOR}${Buffer.from(cursor ?? '').toString('base64url')}`;
}

/** The agent's own cursor; undefined for its first page. */
function readAgentCursor(text: string): string | undefined {
  const cursor = Buffer.from(text.slice(AGENT_CURSOR.length), 'base64url').toString();
  if (agentCursor(cursor) !== text) {
    throw new ReeveError('invalid_params', {
      message: 'cursor: not one of this server; start again without a cursor',
      data: { cursor: text },
    });
  }
  return cursor === '' ? undefined : cursor;
}
