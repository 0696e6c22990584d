import {
  type AgentEpoch,
  type ConnectionId,
  type JsonObject,
  type McpServer,
  ReeveError,
  setMember,
} from '@reeve/protocol';
import type { ProcessExit, SandboxRoot } from '@reeve/sandbox';
import { inVersion } from '../agents/acp-version.ts';
import { type ClientProfile, type LaunchedAgent, stopAgent } from '../agents/agent-launch.ts';
import { announcesDelete, deleteAtAgent } from './agent-delete.ts';
import { AgentLink, type Heard } from './agent-link.ts';
import { type RestoredBy, restoreAgent } from './agent-restore.ts';
import type { AppliedChoices } from './apply-choices.ts';
import type { AskedRequests } from './asked-requests.ts';
import { boundaryFact } from './audited-session.ts';
import type { BoundaryKeeper } from './boundary-keeper.ts';
import { chooseAgain, type Opened } from './choose-again.ts';
import type { Foreground } from './foreground.ts';
import { hasBegun } from './has-begun.ts';
import type { RecordKeeper } from './record-keeper.ts';
import { resumeAgent } from './resume-agent.ts';
import type { Governance } from './session-governance.ts';
import { agentPlace, placeAgain, type SessionPlace } from './session-place.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionStream } from './session-stream.ts';
import type { SetupState } from './setup-state.ts';
import { tellSetup, tellTranslated } from './tell-choices.ts';
import { retell } from './transcript.ts';
import type { Prompt } from './turn.ts';
import type { TurnQueue } from './turn-queue.ts';

/** What an agent is started with when there is none. */
export interface StartWith {
  /** As the last `session/new`, `load` or `resume` gave them. In memory only: they hold secrets. */
  readonly mcpServers: readonly McpServer[];
  readonly profile: ClientProfile;
  /** What the session's first process was started under; the session owns it from then on. */
  readonly governance?: Governance;
}

export interface SessionAgentOptions {
  readonly services: SessionServices;
  readonly stream: SessionStream;
  readonly turns: TurnQueue;
  readonly asked: AskedRequests;
  readonly foreground: Foreground;
  readonly records: RecordKeeper;
  readonly boundary: BoundaryKeeper;
  readonly startWith: StartWith;
  /** The agent has nothing to do and may be replaced by another process. */
  readonly isQuiet: () => boolean;
  /** The session takes no agent any more. */
  readonly isEnding: () => boolean;
  /** The process was ended for another one. */
  readonly onReplaced: () => void;
  /** The process ended by itself. */
  readonly onExit: () => void;
}

/** The agent of one session: the process that it has, and how it gets one back. */
export class SessionAgent {
  readonly #options: SessionAgentOptions;
  #startWith: StartWith;
  #link: AgentLink | undefined;
  #deletes = false;
  #restoring: Promise<RestoredBy> | undefined;
  /** Revision of the boundary that the process was started in. */
  #revision: number | undefined;
  /** Why another process must take the place of this one, when it has nothing to do. */
  #expired: string | undefined;
  /** Who keeps prompts from reaching the agent, and how they are told that nobody does any more. */
  #holds = 0;
  #released = Promise.withResolvers<void>();
  /** The process that is taking the session back. */
  #opening: LaunchedAgent | undefined;
  /** The client whose choice the agent is busy with. */
  choosing: ConnectionId | undefined;
  /** Told to the agent before the next prompt, after a restore that it knows nothing of. */
  #transcript: string | undefined;

  constructor(options: SessionAgentOptions) {
    this.#options = options;
    this.#startWith = this.#inOwnVersion(options.startWith);
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
    return this.#restoring || this.#holds > 0 || this.#outdated !== undefined ? undefined : this.live;
  }

  /** Why the process must be replaced, where nothing keeps it from being. */
  get #outdated(): string | undefined {
    const { records, isQuiet } = this.#options;
    if (!this.live || !isQuiet()) return undefined;
    return this.#revision === records.record.place?.boundary.revision ? this.#expired : 'its boundary has changed';
  }

  get restoring(): boolean {
    return this.#restoring !== undefined;
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
    const { initialize, enforcement, egress } = launched;
    const { services, stream, turns, asked, records } = this.#options;
    this.#deletes = announcesDelete(initialize);
    const epoch = (records.record.agentEpoch + 1) as AgentEpoch;
    records.update({ agentEpoch: epoch, agentSessionId });
    const { sessionId, protocolVersion = 1 } = records.record;
    this.#revision = place?.boundary.revision;
    this.#expired = undefined;
    const link = new AgentLink({
      services,
      stream,
      turns,
      asked,
      launched,
      epoch,
      sessionId,
      agentSessionId,
      version: protocolVersion,
      roots: rootsOf(place),
      cwd: place?.cwd,
      onSessionUpdate: (update) => this.#follow(update),
      onExit: (exit) => {
        if (this.#link !== link) return;
        stream.note('agent_exited', { epoch, exitCode: exit.code, signal: exit.signal });
        this.#options.onExit();
      },
    });
    this.#link = link;
    stream.note('agent_started', { epoch, protocolVersion, enforcement });
    egress.listen(({ host, port, decision, reason }) => {
      stream.note('egress', { epoch, host, port, decision, reason });
      if (decision === 'denied') services.audit.note({ kind: 'egress.denied', session: sessionId, host, port, reason });
    });
    const { agent } = records.record;
    const revision = place?.boundary.revision;
    const roots = rootsOf(place);
    services.audit.note({ kind: 'agent.started', session: sessionId, agent, epoch, enforcement, revision, roots });
    void launched.connection.process.exited.then(({ code: exitCode, signal }) =>
      services.audit.note({ kind: 'agent.exited', session: sessionId, epoch, exitCode, signal }),
    );
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

  /** What load and resume give the agent when it must be started again; nothing while one lives. `keepsServers`: the MCP servers stay. */
  prepare(startWith: StartWith, additionalDirectories: readonly string[], keepsServers = false): void {
    if (this.live) return;
    const { mcpServers } = keepsServers ? this.#startWith : startWith;
    this.#startWith = this.#inOwnVersion({ ...startWith, mcpServers });
    this.#options.records.update({ additionalDirectories });
  }

  /** Has a live agent, restoring it if need be: how, or undefined when it was alive. */
  async wake(): Promise<RestoredBy | undefined> {
    let restored: RestoredBy | undefined;
    for (;;) {
      if (this.#holds > 0) await this.#released.promise;
      // While choices are set again nothing else may act on the agent: not a prompt in another mode than the one that was chosen.
      else if (!this.#restoring && this.#outdated === undefined && (this.live || (restored && this.#link)))
        return restored;
      else {
        this.#restoring ??= this.#restore().finally(() => {
          this.#restoring = undefined;
        });
        restored = await this.#restoring;
      }
    }
  }

  /** Keeps everybody who wants the agent waiting until it is disposed of. */
  hold(): Disposable {
    this.#holds += 1;
    return {
      [Symbol.dispose]: () => {
        this.#holds -= 1;
        if (this.#holds > 0) return;
        this.#released.resolve();
        this.#released = Promise.withResolvers();
      },
    };
  }

  /** Has the process replaced before the next prompt. */
  expire(why: string): void {
    this.#expired ??= why;
  }

  /** Resolves when no process is about to take the session back any more. */
  async restored(): Promise<void> {
    await this.#restoring?.catch(() => undefined);
  }

  /** Ends the process: the next who wants one starts another. What it asked of people is void. */
  async replace(why: string): Promise<void> {
    const { stream, onReplaced } = this.#options;
    stream.note('agent_replaced', { why });
    await this.stop();
    onReplaced();
  }

  /** A live agent; throws `session_closed` when the session ends first. */
  async awake(): Promise<AgentLink> {
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
    const connection = link?.connection ?? this.#opening?.connection;
    if (!connection) return undefined;
    const { stopGraceMs, stopKillMs } = this.#options.services.agents.limits;
    const graces = now ? { graceMs: 0, killAfterMs: 0 } : { graceMs: stopGraceMs, killAfterMs: stopKillMs };
    await Promise.all([connection.process.stop(graces), link?.stop()]);
    return connection.process.exited;
  }

  async #restore(): Promise<RestoredBy> {
    const { services, stream, records, boundary, isEnding } = this.#options;
    if (isEnding()) throw this.#closed();
    if (this.live) await this.replace(this.#outdated ?? 'it is replaced');
    const { agents, limits } = services;
    const { agent, protocolVersion, agentSessionId, agentVersion, setup: wanted } = records.record;
    const { mcpServers, profile } = this.#startWith;
    const silenceMs = limits.sessionNewMs;
    const { entry, version } = await agents.versions.entryAgain(agents.entry(agent), agentVersion, profile);
    const known = records.record.place;
    const place = await placeAgain(services, records.record);
    const governance = await boundary.govern(mcpServers, place, entry);
    const start = (): Promise<LaunchedAgent> => agents.launch(entry, profile, agentPlace(place, governance));
    let launched = await start();
    this.#opening = launched;
    const relaunch = async (): Promise<LaunchedAgent> => {
      if (isEnding()) throw this.#closed();
      await stopAgent(launched.connection, agents.limits);
      launched = await start();
      this.#opening = launched;
      if (isEnding()) throw this.#closed();
      return launched;
    };
    try {
      if (place !== known && records.record.place === known) {
        records.update({ place });
        services.audit.note(boundaryFact(records.record, profile));
      }
      const { metadata } = records;
      const { cwd, additionalDirectories } = place;
      const servers = governance.forAgent(protocolVersion ?? 1);
      const request = {
        agentName: agent,
        agentSessionId,
        cwd,
        additionalDirectories,
        mcpServers: servers,
        silenceMs,
        metadata,
      };
      const begun = await hasBegun(services.log, records.record.sessionId);
      const ladder = { begun, restoreMs: limits.restoreMs, relaunch };
      const restored =
        protocolVersion === 2 ? await resumeAgent(launched, request) : await restoreAgent(launched, request, ladder);
      if (restored.by === 'transcript' || records.record.untold) await this.retellNext();
      if (isEnding()) throw this.#closed();
      if (version) records.update({ agentVersion: version });
      stream.note('agent_restored', { by: restored.by, failures: restored.failures });
      this.bind(launched, restored.agentSessionId, restored.heard, place);
      await chooseAgain(launched.connection, restored, wanted, this.#options);
      return restored.by;
    } catch (error) {
      await launched.connection.process.stop();
      throw isEnding() ? this.#closed() : error;
    } finally {
      this.#opening = undefined;
    }
  }

  /** Takes over what an update says of the session itself, and tells what follows from it for clients that see it otherwise. */
  #follow(update: JsonObject): void {
    const { stream, records, foreground } = this.#options;
    if (update.sessionUpdate === 'state_update') return foreground.follow(update);
    const before = records.record.setup;
    records.follow(update);
    const { sessionId, setup } = records.record;
    if (this.choosing) {
      // The others are told what the agent leaves to the answer: its modes and an option may be one switch.
      const told = update.sessionUpdate === 'current_mode_update' ? ['modes'] : ['configOptions'];
      const asTold = Object.fromEntries(told.map((name) => [name, setup[name]]));
      tellSetup(stream, sessionId, { ...before, ...asTold }, setup, { connection: this.choosing });
      if (update.sessionUpdate !== 'config_option_update') return;
    }
    // Its own list of options lacks those that stand for its models and modes.
    tellTranslated(stream, sessionId, update.sessionUpdate === 'config_option_update' ? {} : before, setup);
  }

  /** Somebody who speaks another version than the session may open it, but the agent is told nothing of him. */
  #inOwnVersion({ mcpServers, profile }: StartWith): StartWith {
    return { mcpServers, profile: inVersion(profile, this.#options.records.record.protocolVersion ?? 1) };
  }

  #closed(): ReeveError {
    return new ReeveError('session_closed', { data: { sessionId: this.#options.records.record.sessionId } });
  }
}

function rootsOf(place: SessionPlace | undefined): readonly SandboxRoot[] {
  return (place?.boundary.roots ?? []).map(({ path, access }) => ({ path, access }));
}
