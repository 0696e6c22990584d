import {
  type AgentEpoch,
  type ConnectionId,
  isObject,
  type JsonObject,
  type JsonRpcId,
  type SessionId,
  setMember,
} from '@reeve/protocol';
import type { ProcessExit, SandboxRoot } from '@reeve/sandbox';
import type { AcpVersion } from '../agents/acp-version.ts';
import type { AgentConnection, FromAgent } from '../agents/agent-connection.ts';
import type { LaunchedAgent } from '../agents/agent-launch.ts';
import { stopAgent } from '../agents/agent-launch.ts';
import type { Enter } from '../audit/trace-scope.ts';
import { loosenedBy, watchHeldPlaces } from '../boundary/held-places.ts';
import type { KeptRoots, RootTurn } from '../boundary/kept-roots.ts';
import { type MadePaths, watchMadePaths } from '../boundary/made-paths.ts';
import { AskedRequests } from './asked-requests.ts';
import type { ClientPort } from './client-port.ts';
import { ClientRequests } from './client-requests.ts';
import { isMomentary } from './foreground.ts';
import type { LocalSession, LocalSessionOptions } from './local-services.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionStream } from './session-stream.ts';
import type { TurnQueue } from './turn-queue.ts';

export interface LinkOptions {
  readonly services: SessionServices;
  readonly stream: SessionStream;
  readonly turns: TurnQueue;
  readonly asked: AskedRequests;
  /** See SessionAgentOptions. */
  readonly work: Enter;
  readonly launched: LaunchedAgent;
  readonly epoch: AgentEpoch;
  readonly sessionId: SessionId;
  readonly agentSessionId: string;
  readonly version: AcpVersion;
  /** What the session is about: where Reeve serves files and commands itself. */
  readonly roots: readonly SandboxRoot[];
  readonly cwd: string | undefined;
  /** An update that tells something about the session itself: mode, config options, title. */
  readonly onSessionUpdate: (update: JsonObject) => void;
  readonly onExit: (exit: ProcessExit) => void;
  /** Its sandbox does not protect these any more. */
  readonly onLoosened: (places: readonly RootTurn[]) => void;
  /** Its sandbox would have protected these, had they been there at the start. */
  readonly onMade: (paths: readonly string[]) => void;
}

/** A message of an agent before it had a link. */
export interface Heard {
  readonly message: FromAgent;
  readonly raw: Buffer;
}

/** Updates that change what is kept of the session, by version; all others are only passed on. */
const SESSION_UPDATES: Readonly<Record<AcpVersion, ReadonlySet<unknown>>> = {
  1: new Set(['current_mode_update', 'config_option_update', 'session_info_update']),
  2: new Set(['config_option_update', 'session_info_update', 'available_commands_update', 'state_update']),
};

/**
 * One agent process in the service of one session: what it says goes to the log and the clients, what it asks goes to people or
 * client programs. When the disk is slower than the agent, the agent waits.
 */
export class AgentLink {
  readonly connection: AgentConnection;
  readonly epoch: AgentEpoch;
  readonly agentSessionId: string;
  readonly #options: LinkOptions;
  readonly #clientRequests: ClientRequests;
  readonly #local: LocalSession | undefined;
  readonly #renamed: boolean;
  readonly #places: KeptRoots;
  readonly #made: MadePaths;
  #launched: LaunchedAgent;
  #paused = false;
  #ended = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#launched = options.launched;
    this.connection = options.launched.connection;
    this.epoch = options.epoch;
    this.agentSessionId = options.agentSessionId;
    this.#renamed = options.agentSessionId !== options.sessionId;
    const { stream, turns, services, roots, cwd, version, launched } = options;
    // An agent of v2 has files and terminals of its own: there is no method by which it could ask.
    this.#local =
      version === 1
        ? services.local?.open({
            roots,
            cwd,
            confinement: commandsOf(launched),
            onEgress: (decision) => launched.egress.see(decision),
            onTerminal: ({ kind, ...facts }) => stream.note(`terminal_${kind}`, facts),
            onFileRefused: ({ method, reason, path }, count) =>
              services.audit.note({
                kind: 'fs.refused',
                session: options.sessionId,
                decision: 'deny',
                method,
                reason,
                place: { path },
                count,
              }),
            onCommandRefused: ({ reason, path }, count) =>
              services.audit.note({
                kind: 'terminal.refused',
                session: options.sessionId,
                decision: 'deny',
                reason,
                place: { path },
                count,
              }),
          })
        : undefined;
    const { maxWatchedRoots: maxWatched, rootCheckMs: checkMs } = services.limits;
    this.#places = watchHeldPlaces({
      places: launched.connection.process.heldPlaces,
      maxWatched,
      checkMs,
      onLoosened: (places) => this.#loosened(places),
    });
    this.#made = watchMadePaths({
      process: launched.connection.process,
      checkMs,
      onMade: (paths) => options.work(() => options.onMade(paths)),
    });
    this.#clientRequests = new ClientRequests({
      controllers: () => {
        const all = stream.controllers();
        const prompter = turns.prompter;
        return prompter
          ? [...all.filter(({ id }) => id === prompter.id), ...all.filter(({ id }) => id !== prompter.id)]
          : all;
      },
      deliver: (port, message) => stream.sendAfter(port, stream.lastSeq, message),
      reply: (message, by) => this.#reply(message, by),
      local: this.#local,
      maxPendingRequests: services.limits.maxPendingRequests,
      overfull: () => this.connection.unreadBytes > services.limits.agentInputBytes,
    });
  }

  /** Begins to pass on what the agent says, and before that what it said to somebody else who listened. */
  start(heard: readonly Heard[] = []): void {
    for (const { message, raw } of heard) this.#receive(message, raw);
    this.connection.listen({
      onMessage: (message, raw) => this.#receive(message, raw),
      onExit: (exit) => this.#exited(exit),
    });
  }

  /** What was started, with what holds it now. */
  get launched(): LaunchedAgent {
    return this.#launched;
  }

  /** Tells what its sandbox would protect, had it been there at the start. */
  lookBack(): void {
    this.#made.look();
  }

  /** The same, and looks whether its sandbox still protects what it did at the start. Never rejects. */
  check(): Promise<void> {
    this.lookBack();
    return this.#places.check();
  }

  get alive(): boolean {
    return !this.#ended && this.connection.exit === undefined;
  }

  /** A message of a client as the agent must see it: with the agent's own session id. */
  toAgent(raw: Buffer, params: unknown): Buffer {
    if (!isObject(params) || params.sessionId === this.agentSessionId) return raw;
    return setMember(raw, ['params', 'sessionId'], JSON.stringify(this.agentSessionId));
  }

  /** A client left the session. */
  left(connection: ConnectionId): void {
    this.#clientRequests.left(connection);
  }

  async stop(): Promise<void> {
    this.#clientRequests.forgetAll();
    this.#places[Symbol.dispose]();
    this.#made[Symbol.dispose]();
    await Promise.all([
      stopAgent(this.connection, this.#options.services.agents.limits),
      this.#local?.[Symbol.asyncDispose](),
    ]);
  }

  #receive(message: FromAgent, raw: Buffer): void {
    if (this.#ended) return;
    if (message.kind === 'notification') this.#notified(message, raw);
    else this.#options.work(() => this.#requested(message, raw));
    this.#mindBacklog();
  }

  #notified(message: Extract<FromAgent, { kind: 'notification' }>, raw: Buffer): void {
    const { params } = message;
    const { stream, services, sessionId, version } = this.#options;
    if (message.method === '$/cancel_request') {
      stream.append({ source: 'agent', kind: 'command', message: raw });
      const requestId = isObject(params) ? (params.requestId as JsonRpcId) : null;
      services.broker.cancelOne(sessionId, this.epoch, requestId, 'the agent took the request back');
      this.#clientRequests.cancel(requestId);
      return;
    }
    if (message.method === 'elicitation/complete') {
      stream.append({ source: 'agent', kind: 'command', message: raw });
      this.#options.asked.completed(params, raw);
      return;
    }
    const update = isObject(params) && isObject(params.update) ? params.update : undefined;
    const varies = update?.sessionUpdate === 'config_option_update' || (version === 2 && isMomentary(update));
    stream.append({ source: 'agent', kind: 'update', varies, message: this.#fromAgent(raw, params) });
    if (update && SESSION_UPDATES[version].has(update.sessionUpdate)) {
      if (isObject(params) && params.sessionId === this.agentSessionId) this.#options.onSessionUpdate(update);
    }
  }

  #requested(message: Extract<FromAgent, { kind: 'request' }>, raw: Buffer): void {
    const renamed = this.#fromAgent(raw, message.params);
    if (AskedRequests.asks(message.method)) {
      this.#options.asked.ask(message, renamed, this.epoch);
      return;
    }
    this.#options.stream.append({ source: 'agent', kind: 'request', message: renamed });
    this.#clientRequests.forward(message, renamed);
  }

  /** The agent's message with the id that clients know; serialised anew only where the ids differ. */
  #fromAgent(raw: Buffer, params: unknown): Buffer {
    if (!this.#renamed || !isObject(params) || params.sessionId !== this.agentSessionId) return raw;
    return setMember(raw, ['params', 'sessionId'], JSON.stringify(this.#options.sessionId));
  }

  #reply(message: Uint8Array, by: ClientPort | undefined): void {
    if (!this.alive) return;
    this.#options.stream.append({ source: by ? 'client' : 'reeve', kind: 'response', connection: by?.id, message });
    this.connection.send(message);
  }

  /** Holds the agent while more than the limit waits for the disk; it goes on at half of it. */
  #mindBacklog(): void {
    const { stream, services } = this.#options;
    if (this.#paused || stream.backlogBytes <= services.limits.agentBacklogBytes) return;
    this.#paused = true;
    this.connection.pause();
    stream.whenBacklogBelow(services.limits.agentBacklogBytes / 2, () => {
      this.#paused = false;
      this.connection.resume();
    });
  }

  #loosened(places: readonly RootTurn[]): void {
    this.#launched = { ...this.#launched, enforcement: loosenedBy(this.#launched.enforcement, places) };
    this.#options.work(() => this.#options.onLoosened(places));
  }

  #exited(exit: ProcessExit): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#places[Symbol.dispose]();
    this.lookBack();
    this.#made[Symbol.dispose]();
    this.#clientRequests.forgetAll();
    void this.#local?.[Symbol.asyncDispose]();
    this.#options.onExit(exit);
  }
}

/** Commands that Reeve runs for an agent are held as the agent is. */
function commandsOf({ confinement: { profile, require } }: LaunchedAgent): LocalSessionOptions['confinement'] {
  return { require, ...(profile === undefined ? {} : { profile }) };
}
