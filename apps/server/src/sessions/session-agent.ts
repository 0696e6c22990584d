import { type AgentEpoch, type ConnectionId, ReeveError, setMember } from '@reeve/protocol';
import type { ProcessExit, SandboxRoot } from '@reeve/sandbox';
import { inVersion } from '../agents/acp-version.ts';
import type { AgentConnection } from '../agents/agent-connection.ts';
import type { LaunchedAgent } from '../agents/agent-launch.ts';
import { type Enter, presentScope } from '../audit/trace-scope.ts';
import type { RootTurn } from '../boundary/kept-roots.ts';
import { AgentAccess } from './agent-access.ts';
import { announcesDelete, deleteAtAgent } from './agent-delete.ts';
import { AgentLink, type Heard } from './agent-link.ts';
import type { RestoredBy } from './agent-restore.ts';
import type { AppliedChoices } from './apply-choices.ts';
import { auditAgent } from './audited-agent.ts';
import { chooseAgain, type Opened } from './choose-again.ts';
import { followAgent } from './follow-agent.ts';
import type { SessionAgentOptions, StartWith } from './session-agent-options.ts';
import type { SessionPlace } from './session-place.ts';
import { failureNow } from './session-state.ts';
import type { SetupState } from './setup-state.ts';
import { takeBack } from './take-back.ts';
import { retell } from './transcript.ts';
import type { Prompt } from './turn.ts';

/** The agent of one session: the process that it has, and how it gets one back. */
export class SessionAgent {
  readonly #options: SessionAgentOptions;
  #startWith: StartWith;
  #link: AgentLink | undefined;
  #deletes = false;
  readonly #access: AgentAccess;
  /** Revision of the boundary that the process was started in. */
  #revision: number | undefined;
  /** Why another process must take the place of this one, when it has nothing to do. */
  #expired: string | undefined;
  /** The last process was ended for another one, which is not there yet. */
  #replaced = false;
  /** The process that is taking the session back. */
  #opening: LaunchedAgent | undefined;
  /** In which trace a process was ended that did not end by itself. */
  readonly #stopping = new WeakMap<AgentConnection, Enter>();
  /** The client whose choice the agent is busy with. */
  choosing: ConnectionId | undefined;
  /** Told to the agent before the next prompt, after a restore that it knows nothing of. */
  #transcript: string | undefined;

  constructor(options: SessionAgentOptions) {
    this.#options = options;
    this.#startWith = this.#inOwnVersion(options.startWith);
    this.#access = new AgentAccess({
      has: () => this.#link !== undefined,
      lives: () => this.live !== undefined,
      outdated: () => this.#outdated,
      restore: () => this.#restore().catch((error: unknown) => this.#notStarted(error)),
    });
  }

  /** The process, if there was one since the session is in memory; it may have ended. */
  get link(): AgentLink | undefined {
    return this.#link;
  }

  /** The process, if it lives. */
  get live(): AgentLink | undefined {
    return this.#link?.alive ? this.#link : undefined;
  }

  /** The process, if it lives and may be spoken to at once. */
  get ready(): AgentLink | undefined {
    return this.#access.open ? this.live : undefined;
  }

  /** Why the process must be replaced, where nothing keeps it from being. */
  get #outdated(): string | undefined {
    const { records, isQuiet } = this.#options;
    if (!this.live || !isQuiet()) return undefined;
    return this.#revision === records.record.place?.boundary.revision ? this.#expired : 'its boundary has changed';
  }

  /** The process was taken away for another one, which comes with the next prompt: what the session has in memory is for that. */
  get replaced(): boolean {
    return this.#replaced;
  }

  get restoring(): boolean {
    return this.#access.restoring;
  }

  /**
   * Takes an agent that has opened or restored this conversation. `heard`: what it said since, to be passed on first. `place`: what it was
   * started in.
   */
  bind(
    launched: LaunchedAgent,
    agentSessionId: string,
    heard: readonly Heard[] = [],
    place: SessionPlace | undefined = this.#options.records.record.place,
  ): void {
    const { initialize, enforcement } = launched;
    const { services, stream, turns, asked, records, work } = this.#options;
    this.#deletes = announcesDelete(initialize);
    const epoch = (records.record.agentEpoch + 1) as AgentEpoch;
    records.update({ agentEpoch: epoch, agentSessionId });
    if (records.record.failure?.during === 'start') records.failure = undefined;
    const { sessionId, protocolVersion = 1 } = records.record;
    this.#revision = place?.boundary.revision;
    this.#replaced = false;
    const link = new AgentLink({
      services,
      stream,
      turns,
      asked,
      work,
      launched,
      epoch,
      sessionId,
      agentSessionId,
      version: protocolVersion,
      roots: rootsOf(place),
      cwd: place?.cwd,
      onSessionUpdate: (update) => followAgent(this.#options, update, this.choosing),
      onExit: (exit) => {
        if (this.#link !== link) return;
        stream.note('agent_exited', { epoch, exitCode: exit.code, signal: exit.signal });
        this.#options.onExit(exit);
      },
      onLoosened: (places) => {
        if (this.#link === link) this.#loosened(places, place);
      },
      onMade: (paths) => {
        if (this.#link === link) for (const path of paths) stream.note('protected_made', { epoch, path });
      },
    });
    this.#link = link;
    stream.note('agent_started', { epoch, protocolVersion, enforcement });
    auditAgent(services, {
      launched,
      stream,
      session: sessionId,
      agent: records.record.agent,
      epoch,
      revision: this.#revision,
      roots: rootsOf(place),
      work,
      atEnd: () => this.#stopping.get(launched.connection) ?? work,
    });
    link.start(heard);
  }

  /** Like `bind`, for a conversation that goes on from another one: what was chosen in that is set again. */
  async inherit(launched: LaunchedAgent, opened: Opened, wanted: SetupState): Promise<AppliedChoices> {
    this.bind(launched, opened.agentSessionId);
    return chooseAgain(launched.connection, opened, wanted, this.#options);
  }

  /** Has the next prompt preceded by what the log says was said so far; that outlives the process. */
  async retellNext(): Promise<void> {
    const { services, stream, records } = this.#options;
    this.#transcript = await retell(services.log, records.record.sessionId, stream.durableSeq);
    if (this.#transcript !== undefined) records.update({ untold: true });
  }

  /** What load and resume give the agent when it must be started again; nothing while one lives or is about to be replaced. `keepsServers`: the MCP servers stay. */
  prepare(startWith: StartWith, additionalDirectories: readonly string[], keepsServers = false): void {
    if (this.live || this.#replaced) return;
    const { mcpServers } = keepsServers ? this.#startWith : startWith;
    this.#startWith = this.#inOwnVersion({ ...startWith, mcpServers });
    this.#options.records.update({ additionalDirectories });
  }

  /** Has a live agent, restoring it if need be: how, or undefined when it was alive. */
  wake(): Promise<RestoredBy | undefined> {
    return this.#access.wake();
  }

  /** Keeps everybody who wants the agent waiting until it is disposed of. */
  hold(): Disposable {
    return this.#access.hold();
  }

  /** The boundary has another revision in which nothing of what the process was given is another. */
  staysIn(revision: number, before: number): void {
    if (this.#revision === before) this.#revision = revision;
  }

  /** Has the process replaced before the next prompt. */
  expire(why: string): void {
    this.#expired ??= why;
  }

  /** Resolves when no process is about to take the session back any more. */
  restored(): Promise<void> {
    return this.#access.restored();
  }

  /** Ends the process: the next who wants one starts another. What it asked of people is void. */
  async replace(why: string): Promise<void> {
    const { stream, onReplaced } = this.#options;
    stream.note('agent_replaced', { why });
    await this.stop();
    this.#replaced = true;
    onReplaced();
  }

  /** A live agent; throws `session_closed` when the session ends first. */
  async awake(): Promise<AgentLink> {
    await this.live?.check();
    await this.wake();
    if (this.#link) return this.#link;
    throw this.#closed();
  }

  /** A prompt as the agent must see it: with its own session id, and what it was not there for told before. */
  addressed({ raw, params }: Prompt): Buffer {
    const addressed = (this.#link as AgentLink).toAgent(raw, params);
    const text = this.#transcript;
    if (text === undefined || !Array.isArray(params.prompt)) return addressed;
    this.#transcript = undefined;
    this.#options.records.update({ untold: false });
    return setMember(addressed, ['params', 'prompt'], JSON.stringify([{ type: 'text', text }, ...params.prompt]));
  }

  /** Has the agent forget the session, if it lives and can. */
  async forget(): Promise<void> {
    if (this.live && this.#deletes) await deleteAtAgent(this.live);
  }

  /** Stops the process, if there is one or one is about to take the session back, and tells how it ended. `now`: without any grace. Idempotent. */
  async stop(now = false): Promise<ProcessExit | undefined> {
    const link = this.#link;
    this.#link = undefined;
    this.#replaced = false;
    const connection = link?.connection ?? this.#opening?.connection;
    if (!connection) return undefined;
    this.#stopping.set(connection, presentScope());
    const { stopGraceMs, stopKillMs } = this.#options.services.agents.limits;
    const graces = now ? { graceMs: 0, killAfterMs: 0 } : { graceMs: stopGraceMs, killAfterMs: stopKillMs };
    await Promise.all([connection.process.stop(graces), link?.stop()]);
    return connection.process.exited;
  }

  /** The process may write what it could not when it was started in `place`: it goes on with what it does, and another takes its place then. */
  #loosened(places: readonly RootTurn[], place: SessionPlace | undefined): void {
    const { services, stream, boundary, records } = this.#options;
    const { sessionId: session, agentEpoch: epoch } = records.record;
    const { roots = [], revision = 0 } = place?.boundary ?? {};
    for (const { path, how } of places) {
      stream.note('protection_lost', { epoch, path, how });
      // Of a root that is lost the guard of the session tells.
      if (how === undefined || roots.some((root) => root.path === path)) continue;
      services.audit.note({ kind: 'root.lost', session, how, revision, root: { path, access: 'ro' } });
    }
    this.expire('what it could not write was replaced from outside');
    boundary.tell();
  }

  #notStarted(error: unknown): never {
    const { services, records, isEnding } = this.#options;
    if (!isEnding()) records.failure = failureNow('start', services.rpcErrorOf(error));
    throw error;
  }

  async #restore(): Promise<RestoredBy> {
    if (this.#options.isEnding()) throw this.#closed();
    if (this.live) await this.replace(this.#outdated ?? 'it is replaced');
    return takeBack(this.#options, {
      startWith: this.#startWith,
      onStart: () => {
        this.#expired = undefined;
      },
      onLaunched: (launched) => {
        this.#opening = launched;
      },
      retellNext: () => this.retellNext(),
      bind: (launched, restored, place) => this.bind(launched, restored.agentSessionId, restored.heard, place),
      closed: () => this.#closed(),
    });
  }

  /** Somebody who speaks another version than the session may open it, but the agent is told nothing of him. */
  #inOwnVersion({ by, mcpServers, profile }: StartWith): StartWith {
    return { by, mcpServers, profile: inVersion(profile, this.#options.records.record.protocolVersion ?? 1) };
  }

  #closed(): ReeveError {
    return new ReeveError('session_closed', { data: { sessionId: this.#options.records.record.sessionId } });
  }
}

function rootsOf(place: SessionPlace | undefined): readonly SandboxRoot[] {
  return (place?.boundary.roots ?? []).map(({ name: _, ...root }) => root);
}
