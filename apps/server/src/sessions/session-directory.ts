import { setImmediate } from 'node:timers/promises';
import { type ConnectionId, newSessionId, ReeveError, type SessionId } from '@reeve/protocol';
import type { ClientProfile } from '../agents/acp-version.ts';
import { inVersion } from '../agents/acp-version.ts';
import { Adoptions } from './adoptions.ts';
import { forgetAtAgent } from './agent-delete.ts';
import { createdFacts } from './audited-session.ts';
import { ForgottenSessions } from './forgotten-sessions.ts';
import { aliasTaken } from './free-alias.ts';
import { Session, type SessionOptions } from './session.ts';
import type { StartWith } from './session-agent-options.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionRecord } from './session-store.ts';

/** Long enough that a server that stalls keeps its sessions, short enough that another takes over soon. */
const LEASE_MS = 30_000;
const NOBODY: ClientProfile = { clientCapabilities: {} };

/**
 * All sessions of this server: those that somebody uses are in memory, the others in the store only.
 */
export class SessionDirectory {
  readonly #services: SessionServices;
  readonly #live = new Map<SessionId, Session>();
  readonly #opening = new Map<SessionId, Promise<Session>>();
  readonly adoptions = new Adoptions();
  /** What was deleted here, and may still be listed by its agent. */
  readonly forgotten = new ForgottenSessions();
  readonly #renewal: NodeJS.Timeout;
  /** Ids that new sessions have taken and that are in no map yet. */
  readonly #taken = new Set<SessionId>();
  /** Sessions that have a place in memory and are not there yet. */
  #coming = 0;
  #closed = false;

  constructor(services: SessionServices) {
    this.#services = services;
    this.#renewal = setInterval(() => this.#renewLeases(), LEASE_MS / 3).unref();
  }

  get services(): SessionServices {
    return this.#services;
  }

  get liveCount(): number {
    return this.#live.size;
  }

  /** Keeps a place for a session until it is in memory. Refuses with `overloaded` when there is none, `shutting_down` when the server stops. */
  takeRoom(): Disposable {
    if (this.#closed) throw new ReeveError('shutting_down');
    const { maxSessionsLive } = this.#services.limits;
    if (this.#live.size + this.#coming < maxSessionsLive) {
      this.#coming += 1;
      const leave = (): void => {
        this.#coming -= 1;
      };
      return { [Symbol.dispose]: leave };
    }
    throw new ReeveError('overloaded', {
      message: `${maxSessionsLive} sessions are live already (limits.maxSessionsLive)`,
    });
  }

  /** Whether a session of an agent is one of this server's, or was and was deleted. */
  async knows(agent: string, agentSessionId: unknown): Promise<boolean> {
    if (typeof agentSessionId !== 'string' || this.forgotten.has(agent, agentSessionId)) return true;
    return (await this.#services.store.findByAgentSession(agent, agentSessionId)) !== undefined;
  }

  /** A session in memory, by id. */
  live(sessionId: SessionId): Session | undefined {
    const session = this.#live.get(sessionId);
    return session?.ending ? undefined : session;
  }

  /** Sessions in memory that a connection is attached to. */
  attachedTo(connection: ConnectionId): readonly Session[] {
    return [...this.#live.values()].filter((session) => session.attachment(connection));
  }

  /** The session that a connection is attached to, by id or alias. */
  findAttached(idOrAlias: unknown, connection: ConnectionId): Session | undefined {
    if (typeof idOrAlias !== 'string') return undefined;
    return this.#named(idOrAlias, (session) => session.attachment(connection) !== undefined);
  }

  /** Like `findAttached`; throws `not_found` with the next step. */
  attached(idOrAlias: unknown, connection: ConnectionId): Session {
    const session = this.findAttached(idOrAlias, connection);
    if (session) return session;
    throw new ReeveError('not_found', {
      message: 'this connection is not attached to the session: send session/load or session/resume first',
      data: { sessionId: idOrAlias ?? null },
    });
  }

  /** What is kept of a session, by id or alias; from the store only where it is not in memory. */
  async find(idOrAlias: unknown): Promise<SessionRecord | undefined> {
    if (typeof idOrAlias !== 'string') return undefined;
    const live = this.#named(idOrAlias, ({ published }) => published);
    if (live) return live.record;
    const found = await this.#services.store.find(idOrAlias);
    return found && (this.#live.get(found.sessionId)?.record ?? found);
  }

  /** The same; throws `not_found`. */
  async record(idOrAlias: unknown): Promise<SessionRecord> {
    const found = await this.find(idOrAlias);
    if (found) return found;
    throw new ReeveError('not_found', {
      message: 'there is no such session',
      data: { sessionId: idOrAlias ?? null },
    });
  }

  /** A new session as `draft` makes it, published. */
  async add(
    wantedId: SessionId,
    recordOf: (sessionId: SessionId) => SessionRecord,
    startWith: StartWith,
  ): Promise<Session> {
    const session = await this.draft(wantedId, recordOf, startWith);
    // Both write down the whole boundary, which may be large.
    await setImmediate();
    await this.publish(session);
    return session;
  }

  /**
   * Puts a new session into memory, under the id that the agent gave it unless another session has that. Until `publish` it is in no
   * list and nobody finds it: a server that dies before leaves no half session.
   */
  async draft(
    wantedId: SessionId,
    recordOf: (sessionId: SessionId) => SessionRecord,
    startWith: StartWith,
  ): Promise<Session> {
    const stored = await this.#services.store.find(wantedId);
    const free = !stored && !this.#live.has(wantedId) && !this.#taken.has(wantedId);
    const record = recordOf(free ? wantedId : newSessionId());
    const { sessionId } = record;
    this.#taken.add(sessionId);
    try {
      for (const fact of createdFacts(record, startWith.by)) await this.#services.audit.record(fact);
      return await this.#create(record, startWith, true);
    } finally {
      this.#taken.delete(sessionId);
    }
  }

  /** Puts a draft into the store. Throws when its alias is taken or the store fails; the session has ended then, and nothing is kept. */
  async publish(session: Session): Promise<void> {
    try {
      if (session.ending) throw new ReeveError('session_closed', { data: { sessionId: session.id } });
      if ((await session.publish()) === 'stored') return this.#services.feed.wake(session.id);
    } catch (error) {
      await session.end('deleted').catch(() => {});
      throw error;
    }
    await session.end('deleted');
    await this.#services.log.erase(session.id);
    throw aliasTaken(session.record.alias);
  }

  /** The session in memory, opened from the store if it is not. */
  async open(record: SessionRecord, startWith: StartWith): Promise<Session> {
    const { sessionId } = record;
    const live = this.#live.get(sessionId);
    if (live && !live.ending) return live;
    let opening = this.#opening.get(sessionId);
    if (!opening) {
      opening = this.#reopen(record, startWith).finally(() => this.#opening.delete(sessionId));
      this.#opening.set(sessionId, opening);
    }
    return opening;
  }

  /** Ends a session and keeps its log; throws `not_found`. `by`: who wants it, for people. Idempotent. */
  async close(idOrAlias: unknown, by = 'reeve'): Promise<void> {
    const record = await this.record(idOrAlias);
    const live = await this.#inMemory(record.sessionId);
    if (live) await live.end('closed', by);
    else {
      await this.#services.store.put({ ...record, closed: true });
      this.#services.feed.wake(record.sessionId);
    }
  }

  /** Ends the turn and the process now; the session can be loaded again. Throws `not_found`. Idempotent. */
  async terminate(idOrAlias: unknown, by: string): Promise<void> {
    const { sessionId } = await this.record(idOrAlias);
    const live = await this.#inMemory(sessionId);
    await live?.end('terminated', by);
  }

  /** Ends a session and removes all of it, at its agent too where that can. An unknown one is no error (ACP, session/delete). */
  async remove(idOrAlias: unknown, by = 'reeve', profile: ClientProfile = NOBODY): Promise<void> {
    const record = await this.find(idOrAlias);
    if (!record) return;
    const { sessionId } = record;
    const live = await this.#inMemory(sessionId);
    const served = live?.enforcement !== undefined;
    await live?.end('deleted', by);
    if (!served)
      await forgetAtAgent(
        this.#services,
        record.agent,
        record.agentSessionId,
        inVersion(profile, record.protocolVersion ?? 1),
      );
    this.forgotten.add(record.agent, record.agentSessionId);
    await this.discard(sessionId);
  }

  /** Removes what is kept of a session that has ended. The agent is not asked to forget it. */
  async discard(sessionId: SessionId): Promise<void> {
    await this.#services.store.remove(sessionId);
    await this.#services.requests.removeSession(sessionId);
    await this.#services.governance.boundaries.forgetSession(sessionId);
    await this.#services.log.erase(sessionId);
    this.#services.feed.wake(sessionId);
  }

  /** A connection is gone: it leaves every session. */
  leaveAll(connection: ConnectionId): void {
    for (const session of this.#live.values()) session.detach(connection);
  }

  /** Ends every session; turns end as cancelled, and that is on disk when it resolves. */
  async shutdown(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#renewal);
    await Promise.allSettled(this.#opening.values());
    await Promise.allSettled([...this.#live.values()].map((session) => session.end('shutdown')));
  }

  /** A session in memory that counts, by id or alias: these are one space of names. */
  #named(idOrAlias: string, counts: (session: Session) => boolean): Session | undefined {
    const byId = this.#live.get(idOrAlias as SessionId);
    if (byId) return counts(byId) ? byId : undefined;
    for (const session of this.#live.values()) {
      if (session.record.alias === idOrAlias && counts(session)) return session;
    }
    return undefined;
  }

  /** The session in memory, also one that is just being opened. */
  async #inMemory(sessionId: SessionId): Promise<Session | undefined> {
    await this.#opening.get(sessionId)?.catch(() => {});
    return this.#live.get(sessionId);
  }

  async #reopen(record: SessionRecord, startWith: StartWith): Promise<Session> {
    await this.#live.get(record.sessionId)?.ending;
    using _room = this.takeRoom();
    return await this.#create(await this.record(record.sessionId), startWith, false);
  }

  async #create(record: SessionRecord, startWith: StartWith, draft: boolean): Promise<Session> {
    const { log, owner } = this.#services;
    let lease = await log.acquire(record.sessionId, owner, LEASE_MS);
    if (draft && lease.kind === 'acquired' && lease.lastSeq > 0) {
      // Of a draft that was never published: the server died.
      await log.erase(record.sessionId);
      lease = await log.acquire(record.sessionId, owner, LEASE_MS);
    }
    if (lease.kind === 'held') {
      throw new ReeveError('conflict', {
        message: `another server has this session until ${new Date(lease.untilMs).toISOString()}`,
        data: { sessionId: record.sessionId, owner: lease.owner },
      });
    }
    const options: SessionOptions = {
      services: this.#services,
      record,
      lease,
      startWith,
      draft,
      onEnd: (session) => {
        if (this.#live.get(session.id) === session) this.#live.delete(session.id);
        this.#services.feed.wake(session.id);
      },
    };
    const session = new Session(options);
    this.#live.set(record.sessionId, session);
    return session;
  }

  #renewLeases(): void {
    const { log, warn } = this.#services;
    for (const session of this.#live.values()) {
      log.renew(session.id, session.leaseEpoch, LEASE_MS).then(
        (kept) => kept || warn('a session was taken over by another server', { sessionId: session.id }),
        (error: unknown) => warn('a lease could not be renewed', { sessionId: session.id, error: String(error) }),
      );
    }
  }
}
