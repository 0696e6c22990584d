import {
  type BoundaryWish,
  EXTENSION,
  encodeNotification,
  isReeveError,
  type McpServer,
  type McpServerReport,
  ReeveError,
  type SessionBoundary,
  type SessionId,
} from '@reeve/protocol';
import type { LaunchedAgent } from '../agents/agent-launch.ts';
import type { AgentEntry } from '../agents/agent-registry.ts';
import type { Enter } from '../audit/trace-scope.ts';
import { boundaryRefused } from '../boundary/place-refusal.ts';
import type { Actor, BoundaryChange, BoundaryNotice, ChangeResult, SessionGuard } from '../boundary/session-guard.ts';
import type { RecordKeeper } from './record-keeper.ts';
import { placeAgain } from './require-place.ts';
import { type Governance, mayDeclare, openGovernance } from './session-governance.ts';
import { type BoundaryReport, placeWithin, reportBoundary, type SessionPlace, wishOf } from './session-place.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionStream } from './session-stream.ts';

/** How long an agent may take to end what it does, before it is stopped because its boundary is narrowed. */
const LAST_WORDS_MS = 2_000;

/** What a change of the boundary does to the agent. */
export interface BoundedAgent {
  /** Undefined without a process. */
  readonly live: { readonly launched: LaunchedAgent } | undefined;
  /** Keeps everybody who wants the agent waiting until it is disposed of. */
  hold(): Disposable;
  /** The boundary has another revision in which nothing of what the process was given is another. */
  staysIn(revision: number, before: number): void;
  /** Resolves when no process is about to take the session back any more. */
  restored(): Promise<void>;
  /** Ends the process: the next who wants one starts another. */
  replace(why: string): Promise<void>;
  /** Has the process replaced before the next prompt. */
  expire(why: string): void;
}

export interface BoundaryKeeperOptions {
  readonly services: SessionServices;
  readonly sessionId: SessionId;
  readonly stream: SessionStream;
  readonly records: RecordKeeper;
  /** Made after this. */
  readonly agent: () => BoundedAgent;
  /** Cancels what the agent works on and leaves what waits; resolves when the agent has ended it, or after that many milliseconds. */
  readonly interrupt: (graceMs: number) => Promise<void>;
  /** See SessionAgentOptions. */
  readonly work: Enter;
  /** Opened before the session was there. */
  readonly governance: Governance | undefined;
  readonly isEnding: () => boolean;
}

/**
 * The boundary of one session while it is in memory, and what governs its MCP servers. A change is on disk before it is carried out, and
 * told when it is: a narrower one when nothing of the session runs in the wider one any more.
 */
export class BoundaryKeeper implements AsyncDisposable {
  readonly #options: BoundaryKeeperOptions;
  #governance: Governance | undefined;
  /** Changes are carried out one after the other. */
  #carrying: Promise<void> = Promise.resolve();
  /** Openings and closings, likewise. */
  #opening: Promise<unknown> = Promise.resolve();
  #disposed = false;
  /** Servers whose tools the agent process can have listed: they ran when it began, or it was replaced because they began. */
  #ran = new Set<string>();

  constructor(options: BoundaryKeeperOptions) {
    this.#options = options;
  }

  /** Takes up what was opened before the session was there. Once, when all parts of the session are. */
  begin(): void {
    const { governance, sessionId } = this.#options;
    if (!governance) return;
    this.#keepRevisions(governance.guard);
    this.#take(governance);
    governance.guard.bind(sessionId);
  }

  /** How the MCP servers of the session stand. */
  get servers(): readonly McpServerReport[] {
    return this.#governance?.reports() ?? [];
  }

  /** Undefined where none was approved yet: a record of an older server before its first process. */
  get report(): BoundaryReport | undefined {
    const { records, agent } = this.#options;
    const { place } = records.record;
    return place && reportBoundary(place, agent().live?.launched, this.servers);
  }

  /**
   * What governs the session, for an agent process that is about to start in `place`: what there is where it serves the same servers in that
   * boundary or a newer one, so that endpoints outlive processes; else another. `mcpServers`: undefined for whatever there is.
   */
  govern(mcpServers: readonly McpServer[] | undefined, place: SessionPlace, entry: AgentEntry): Promise<Governance> {
    const { services, sessionId, records } = this.#options;
    const next = this.#opening.then(async () => {
      const now = this.#governance;
      const same =
        now &&
        now.guard.boundary().revision >= place.boundary.revision &&
        (mcpServers === undefined || JSON.stringify(now.mcpServers) === JSON.stringify(mcpServers));
      if (same) return now;
      this.#governance = undefined;
      await now?.[Symbol.asyncDispose]();
      if (this.#disposed) throw this.#closed();
      // The place was found before others were waited for: a boundary that was narrowed meanwhile is not widened again.
      const kept = records.record.place;
      const opened = await openGovernance(services.governance, {
        place: kept !== undefined && kept.boundary.revision > place.boundary.revision ? kept : place,
        mcpServers: mcpServers ?? [],
        entry,
        metadata: records.metadata,
        sessionId,
        onGuard: (guard) => this.#keepRevisions(guard),
      });
      if (this.#disposed) {
        await opened[Symbol.asyncDispose]();
        throw this.#closed();
      }
      return this.#take(opened);
    });
    this.#opening = next.catch(() => {});
    return next;
  }

  /** A process of the agent is about to begin: it finds the servers that run, and those that only run again. */
  agentBegins(): void {
    const back = (name: string, state: string) =>
      this.#ran.has(name) && (state === 'starting' || state === 'restarting');
    const found = this.servers.filter(({ name, state }) => state === 'running' || back(name, state));
    this.#ran = new Set(found.map(({ name }) => name));
  }

  /** What governs the session now, opened where nothing does yet. */
  async governed(): Promise<Governance> {
    const { services, records, isEnding } = this.#options;
    if (isEnding()) throw this.#closed();
    const place = await placeAgain(services, records.record);
    if (records.record.place === undefined) records.update({ place });
    return this.govern(undefined, place, services.agents.entry(records.record.agent));
  }

  /**
   * Gives the session another boundary; what `wish` leaves out stays. Durable and carried out once resolved. Throws what the agent's own
   * entry does not allow, and `session_closed`.
   */
  async set(wish: BoundaryWish, by: Actor, expectedRevision?: number): Promise<ChangeResult> {
    const { services, sessionId, records } = this.#options;
    const { guard } = await this.governed();
    const { agent, place } = records.record;
    if (place) {
      const boundary = { ...place.boundary, ...wish };
      const mayBeDeclared = mayDeclare(services.governance, records.metadata.workspace, boundary.roots);
      const asked = { cwd: place.cwd, boundary, mayDeclare: mayBeDeclared };
      try {
        await services.agents.checkPlace(services.agents.entry(agent), asked);
      } catch (error) {
        const who = { by: by.label, session: sessionId };
        if (isReeveError(error)) await services.audit.record(boundaryRefused([{ reason: 'forbidden' }], who));
        throw error;
      }
    }
    return guard.set(wish, by, expectedRevision);
  }

  /** Tells the clients how the boundary stands, and what holds it. */
  tell(): void {
    const { sessionId, stream } = this.#options;
    stream.append({
      source: 'reeve',
      kind: 'update',
      varies: true,
      message: Buffer.from(encodeNotification(EXTENSION.boundaryUpdate, { sessionId, boundary: this.report })),
    });
  }

  /** The turn was cancelled: calls that wait for a person are refused. */
  dropHolds(reason: string): void {
    this.#governance?.dropHolds(reason);
  }

  /** Ends endpoints and MCP servers. Idempotent. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    await this.#opening;
    await this.#governance?.[Symbol.asyncDispose]();
  }

  #take(governance: Governance): Governance {
    this.#governance = governance;
    governance.guard.follow(this.#options.work);
    this.#ran = new Set(governance.reports().flatMap(({ name, state }) => (state === 'running' ? [name] : [])));
    governance.guard.watch(async (change) => {
      using _held = this.#options.agent().hold();
      const carried = this.#carrying.then(() => this.#carryOut(change));
      this.#carrying = carried.catch(() => {});
      await carried;
    });
    for (const problem of governance.problems) this.#options.stream.note('mcp_server_left_out', { problem });
    governance.listen({ onServer: (report) => this.#noteServer(report), onNotice: (notice) => this.#note(notice) });
    return governance;
  }

  /** The record follows each revision at once: it is queued before what is recorded under the number, which is then never used again. */
  #keepRevisions(guard: SessionGuard): void {
    const { boundary } = this.#options.records.record.place ?? {};
    const { revision } = guard.boundary();
    // Servers were decided about before the session was there.
    if (boundary && boundary.revision < revision) this.#keep(guard, { ...boundary, revision });
    guard.watch(async ({ after }) => this.#keep(guard, after));
  }

  #keep(guard: SessionGuard, boundary: SessionBoundary): void {
    const { records } = this.#options;
    const { place, metadata } = records.record;
    if (place === undefined) return;
    records.update({
      place: placeWithin(place, boundary, guard.identities()),
      metadata: { ...metadata, boundary: wishOf(boundary) },
    });
  }

  async #carryOut({ before, after, diff, by }: BoundaryChange): Promise<void> {
    const { services, sessionId, stream, records, agent, isEnding, interrupt } = this.#options;
    if (records.record.place === undefined || isEnding()) return;
    if (diff.restart === 'none' && !diff.listChanged) agent().staysIn(after.revision, before.revision);
    // What cannot be written down is carried out all the same: nothing may go on in the wider boundary.
    const [kept] = await Promise.allSettled([records.stored()]);
    if (diff.restart === 'required') {
      await agent().restored();
      // A prompt that was given the process before is sent by then, and is what the agent works on.
      await new Promise(setImmediate);
      if (agent().live) {
        await interrupt(LAST_WORDS_MS);
        await agent().replace('its boundary was narrowed');
      }
    }
    if (kept?.status === 'rejected') throw kept.reason;
    stream.note('boundary_carried_out', { revision: after.revision, direction: diff.direction, by });
    this.tell();
    await stream.durable();
    services.feed.wake(sessionId);
  }

  #note({ kind, ...facts }: BoundaryNotice): void {
    if (!this.#options.isEnding()) this.#options.stream.note(kind, facts);
  }

  #noteServer({ name, state, fingerprint, lastError, revision }: McpServerReport): void {
    const { services, records, agent, isEnding, stream } = this.#options;
    if (isEnding()) return;
    if (state === 'running' && !this.#ran.has(name)) {
      this.#ran.add(name);
      const rules = services.agents.entry(records.record.agent).sandbox;
      // Its tools were not there when the agent listed them.
      if (rules?.mcpRelists === false) agent().expire('an MCP server has begun whose tools it does not know');
    }
    stream.note('mcp_server', {
      server: name,
      state,
      fingerprint,
      ...(revision === undefined ? {} : { revision }),
      ...(lastError === undefined ? {} : { lastError }),
    });
  }

  #closed(): ReeveError {
    return new ReeveError('session_closed', { data: { sessionId: this.#options.sessionId } });
  }
}
