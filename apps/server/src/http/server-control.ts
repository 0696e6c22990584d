import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import {
  type AgentInfo,
  type EventSeq,
  type Health,
  type InstallableAgent,
  isReeveError,
  questionAsked,
  ReeveError,
  type RequestInfo,
  rpcError,
  type SandboxReport,
  type SessionInfo,
} from '@reeve/protocol';
import { stopAgent } from '../agents/agent-launch.ts';
import type { AgentPool } from '../agents/agent-pool.ts';
import type { AgentEntry, AgentRegistry } from '../agents/agent-registry.ts';
import { type EventChunk, lastSeqOf } from '../events/event-chunk.ts';
import { followEvents } from '../events/event-feed.ts';
import type { StoredRequest } from '../requests/request-store.ts';
import { wordsOf } from '../sessions/search-index.ts';
import type { Session } from '../sessions/session.ts';
import type { SessionDirectory } from '../sessions/session-directory.ts';
import { metadataOf } from '../sessions/session-metadata.ts';
import { reportBoundary } from '../sessions/session-place.ts';
import type { SessionRecord } from '../sessions/session-store.ts';
import { sessionState, toldOfTurns } from '../sessions/told-of-turns.ts';
import type { ControlPort } from './control-port.ts';
import { createEventReaders } from './event-readers.ts';
import { readEvents } from './read-events.ts';
import { createSessionDriver } from './session-driver.ts';

/** How long a search waits for what was said since the last one to be ready. */
const SEARCH_MS = 2000;
/** How many sessions are looked through for what an agent offers. */
const NEWEST_SESSIONS = 1000;

export interface ServerControlOptions {
  readonly directory: SessionDirectory;
  readonly registry: AgentRegistry;
  readonly agents: AgentPool;
  readonly version: string;
  /** Agents that are nowhere on this machine and can be installed. */
  readonly installable: () => readonly InstallableAgent[];
  readonly isStopping: () => boolean;
  readonly sandbox: () => Promise<SandboxReport>;
  /** Makes what was said ready to be searched; false where `signal` aborted before all was. */
  readonly search: (signal: AbortSignal) => Promise<boolean>;
}

/** The control API over the sessions of this server. */
export function createServerControl(options: ServerControlOptions): ControlPort {
  const { directory, registry, agents, version } = options;
  const { services } = directory;
  const driver = createSessionDriver(directory, agents);
  const readers = createEventReaders((id) => services.feed.wake(id));
  const startedAt = performance.now();

  async function reportOf(stored: SessionRecord): Promise<SessionInfo> {
    const live = directory.live(stored.sessionId);
    const record = live?.record ?? stored;
    return {
      sessionId: record.sessionId,
      agent: record.agent,
      protocolVersion: record.protocolVersion ?? 1,
      ...(record.alias === undefined ? {} : { alias: record.alias }),
      ...(record.title === undefined ? {} : { title: record.title }),
      metadata: metadataOf(record),
      cwd: record.cwd,
      additionalDirectories: record.additionalDirectories,
      createdAt: record.createdAt,
      updatedAt: record.updatedAt,
      state: sessionState(record, live),
      ...toldOfTurns(record, live),
      lastSeq: live?.lastSeq ?? (await services.log.head(record.sessionId)),
      attached: live?.attachedCount ?? 0,
      clients: [...(live?.clients ?? []), ...readers.of(record.sessionId)],
      pendingRequests: live ? services.broker.pendingOf(record.sessionId).length : 0,
      ...(record.agentVersion === undefined ? {} : { agentVersion: record.agentVersion }),
      ...(live?.enforcement === undefined ? {} : { enforcement: live.enforcement }),
      ...boundaryOf(live, record),
      ...(live ? { mcpServers: live.servers } : {}),
    };
  }

  function report(entry: AgentEntry): AgentInfo {
    const told = reportAgent(entry, registry.defaultAgent);
    return agents.needsLogin(entry) ? { ...told, loginNeeded: true } : told;
  }

  async function* follow(id: string, after: EventSeq, by: string, signal: AbortSignal): AsyncGenerator<EventChunk> {
    const record = await directory.find(id);
    if (!record) return;
    using _ = readers.add(record.sessionId, by);
    yield* followEvents(services.log, services.feed, record.sessionId, after, signal);
  }

  return {
    health: (): Health => ({
      status: options.isStopping() ? 'stopping' : 'ok',
      version,
      pid: process.pid,
      uptimeMs: Math.round(performance.now() - startedAt),
    }),
    sandbox: options.sandbox,
    agents: async () => registry.list().map(report),
    installable: options.installable,
    async agent(name) {
      const entry = registry.find(name);
      if (!entry) return undefined;
      const initialize = agents.lastInitialize(entry);
      const newest = await services.store.list({ limit: NEWEST_SESSIONS });
      const setup = newest?.sessions.find((record) => record.agent === name)?.setup;
      return {
        ...report(entry),
        ...(initialize === undefined ? {} : { initialize }),
        ...(setup === undefined ? {} : { setup }),
      };
    },
    async checkAgent(name, signal) {
      const entry = registry.find(name);
      if (!entry) return undefined;
      const begun = performance.now();
      const durationMs = (): number => Math.round(performance.now() - begun);
      try {
        const { connection, initialize } = await agents.launch(entry, { clientCapabilities: {} });
        const duration = durationMs();
        await stopAgent(connection, agents.limits);
        signal.throwIfAborted();
        return { name, ok: true, durationMs: duration, initialize };
      } catch (error) {
        const told = isReeveError(error) ? error.toRpc() : rpcError('internal_error', { message: String(error) });
        return { name, ok: false, durationMs: durationMs(), error: told };
      }
    },
    async listSessions({ q = '', ...query }) {
      const words = wordsOf(q);
      const whole = words.length === 0 || (await options.search(AbortSignal.timeout(SEARCH_MS)));
      const page = await services.store.list({ ...query, words });
      if (!page) return undefined;
      const sessions = await Promise.all(page.sessions.map(reportOf));
      return {
        sessions,
        ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
        ...(whole ? {} : { incomplete: true }),
      };
    },
    async session(id) {
      const record = await directory.find(id);
      return record && reportOf(record);
    },
    async events(id, after, limit) {
      const record = await directory.find(id);
      if (!record) return undefined;
      const head = await services.log.head(record.sessionId);
      const chunks = await readEvents(services.log, record.sessionId, after, limit);
      const last = chunks.at(-1);
      return { chunks, hasMore: (last ? lastSeqOf(last) : after) < head, lastSeq: head };
    },
    async eventsBefore(id, before, limit) {
      const record = await directory.find(id);
      if (!record) return undefined;
      const lastSeq = await services.log.head(record.sessionId);
      const end = Math.min(before, lastSeq + 1);
      const after = Math.max(0, end - 1 - limit) as EventSeq;
      const chunks = await readEvents(services.log, record.sessionId, after, end - 1 - after, end);
      // The log may have lost its beginning: then the page does not begin where it could.
      return { chunks, hasMore: after > 0 && chunks[0]?.firstSeq === after + 1, lastSeq };
    },
    async createSession(wanted, by) {
      const result = await driver.create(wanted, by);
      return { session: await reportOf(await directory.record(result.sessionId)), result };
    },
    async forkSession(id, wanted, by) {
      const result = await driver.fork(id, wanted, by);
      return { session: await reportOf(await directory.record(result.sessionId)), result };
    },
    prompt: driver.prompt,
    cancel: driver.cancel,
    terminate: (id, by) => directory.terminate(id, by),
    setMetadata: driver.setMetadata,
    follow,
    async closeSession(id, by) {
      return found(directory.close(id, by));
    },
    deleteSession: (id, by) => directory.remove(id, by),
    async requests({ session, pendingOnly }) {
      const record = session === undefined ? undefined : await directory.find(session);
      if (session !== undefined && !record) return [];
      const list = await services.requests.list({ pendingOnly, ...(record ? { sessionId: record.sessionId } : {}) });
      return list.map(reportRequest);
    },
    async request(id) {
      const request = await services.requests.find(id);
      return request && reportRequest(request);
    },
    async answer(id, answer, by) {
      // Whoever holds the token of the server administers it.
      const outcome = await services.broker.answer(id, answer, { label: by, administrator: true });
      switch (outcome.kind) {
        case 'answered':
          return { kind: 'answered', request: reportRequest(outcome.request) };
        case 'already_resolved':
          return { kind: 'settled', request: reportRequest(outcome.request) };
        case 'not_offered':
          return {
            kind: 'not-offered',
            detail: outcome.why,
            offered: outcome.offered,
          };
        case 'unknown':
          return { kind: 'unknown' };
      }
    },
  };
}

function boundaryOf(live: Session | undefined, { place }: SessionRecord): Pick<SessionInfo, 'boundary'> {
  const boundary = live ? live.boundary : place && reportBoundary(place, undefined);
  return boundary === undefined ? {} : { boundary };
}

/** False where the session is unknown. */
async function found(done: Promise<void>): Promise<boolean> {
  try {
    await done;
    return true;
  } catch (error) {
    if (error instanceof ReeveError && error.name === 'not_found') return false;
    throw error;
  }
}

export function reportRequest(request: StoredRequest): RequestInfo {
  const { id, sessionId, kind, method, rpcId, params, createdAt, state } = request;
  const question = questionAsked(method, params);
  return { id, sessionId, kind, method, rpcId, params, ...(question ? { question } : {}), createdAt, state };
}

/** Whether the agent's command can be found; whether it works is for `checkAgent`. */
export function reportAgent(entry: AgentEntry, defaultAgent: string | undefined): AgentInfo {
  const { name, command, args } = entry;
  const available = isOnPath(command, entry.env.PATH);
  const problem = `"${command}" is no executable file on its PATH: install it, or mend "command" in the configuration`;
  return { name, command, args, available, ...(available ? {} : { problem }), default: name === defaultAgent };
}

function isOnPath(command: string, path: string | undefined): boolean {
  const places =
    isAbsolute(command) || command.includes('/')
      ? [command]
      : (path ?? '').split(delimiter).map((place) => join(place, command));
  return places.some((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
