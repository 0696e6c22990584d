import { createHash } from 'node:crypto';
import { encodeError, type JsonObject, ReeveError, rpcError } from '@reeve/protocol';
import { type AcpVersion, type ClientProfile, versionOf } from './acp-version.ts';
import { type LaunchedAgent, type LaunchOptions, launchAgent, stopAgent } from './agent-launch.ts';
import type { AgentEntry, AgentRegistry } from './agent-registry.ts';
import type { AgentPlace, AgentSandbox } from './agent-sandbox.ts';
import { AgentVersionChooser, type AgentVersionOptions } from './agent-versions.ts';

/** A process that serves no session is stopped when it was not used for this long. */
const ANTEROOM_IDLE_MS = 60_000;
/** Answers to `initialize` that are remembered: clients may make up any number of profiles. */
const MAX_REMEMBERED = 200;

export type AgentPoolOptions = LaunchOptions & Omit<AgentVersionOptions, 'initialize'>;

/**
 * Launches agents. A session gets a process of its own, started in the session's directory. What an agent answers to `initialize`
 * is remembered by agent and client profile, which says the version too, so that only the first client waits for it.
 */
export class AgentPool implements AsyncDisposable {
  readonly #registry: AgentRegistry;
  readonly #options: LaunchOptions;
  readonly #initialized = new Map<string, JsonObject>();
  readonly #lastInitialized = new Map<string, JsonObject>();
  readonly #loginNeeded = new Set<string>();
  /** How agents refused v2: another process would say the same. */
  readonly #refusals = new Map<string, ReeveError>();
  /** Processes that answered `initialize` and serve what comes before a session, such as `authenticate`. */
  readonly #anteroom = new Map<string, { agent: Promise<LaunchedAgent>; timer: NodeJS.Timeout }>();
  #closed = false;

  /** Other versions of an agent than its configured command. */
  readonly versions: AgentVersionChooser;

  constructor(registry: AgentRegistry, options: AgentPoolOptions) {
    this.#registry = registry;
    this.#options = options;
    this.versions = new AgentVersionChooser({
      ...options,
      initialize: (entry, profile) => this.initialize(entry, profile),
    });
  }

  get limits(): LaunchOptions['limits'] {
    return this.#options.limits;
  }

  /** The entry of that name, or of the default; throws `invalid_params` that lists what there is. */
  entry(name: string | undefined): AgentEntry {
    const wanted = name ?? this.#registry.defaultAgent;
    const entry = wanted === undefined ? undefined : this.#registry.find(wanted);
    if (entry) return entry;
    const known = this.#registry.list().map((agent) => agent.name);
    const next =
      known.length > 0 ? `known agents: ${known.join(', ')}` : 'add one under "agents" in the configuration file';
    throw new ReeveError('invalid_params', {
      message:
        wanted === undefined
          ? `no agent was named and there is no default: ${next}`
          : `unknown agent "${wanted}": ${next}`,
      data: { agent: wanted ?? null, known },
    });
  }

  /** What the agent answers to this client's `initialize`. */
  async initialize(entry: AgentEntry, profile: ClientProfile): Promise<JsonObject> {
    const known = this.#initialized.get(profileKey(entry, profile));
    return known ?? (await this.borrow(entry, profile)).initialize;
  }

  /** Whether the agent wanted a login before its newest session could begin. */
  needsLogin({ name }: AgentEntry): boolean {
    return this.#loginNeeded.has(name);
  }

  tellLogin({ name }: AgentEntry, needed: boolean): void {
    if (needed) this.#loginNeeded.add(name);
    else this.#loginNeeded.delete(name);
  }

  /** What the agent answered to `initialize` in that version last, whoever the client was; undefined before the first time. */
  lastInitialize({ name }: AgentEntry, version: AcpVersion = 1): JsonObject | undefined {
    return this.#lastInitialized.get(`${version} ${name}`);
  }

  /** A process for one session, in its place, or for none; initialized for this client. The caller stops it. */
  async launch(
    entry: AgentEntry,
    profile: ClientProfile,
    place: AgentPlace = this.#options.sandbox.anteroom(entry),
  ): Promise<LaunchedAgent> {
    if (this.#closed) throw new ReeveError('shutting_down');
    const refusal = versionOf(profile) === 2 ? this.#refusals.get(JSON.stringify(entry)) : undefined;
    if (refusal) throw refusal;
    const agent = await launchAgent(entry, place, profile, this.#options).catch((error: unknown) => {
      if (error instanceof ReeveError && error.name === 'unsupported_protocol_version') {
        this.#refusals.set(JSON.stringify(entry), error);
      }
      throw error;
    });
    if (this.#closed) {
      await stopAgent(agent.connection, this.#options.limits);
      throw new ReeveError('shutting_down');
    }
    this.#remember(profileKey(entry, profile), agent.initialize);
    this.#lastInitialized.set(`${versionOf(profile)} ${entry.name}`, agent.initialize);
    return agent;
  }

  /** Throws what `launch` would say of the place; starts nothing. */
  async checkPlace(entry: AgentEntry, place: AgentPlace): Promise<void> {
    await this.#options.sandbox.confine(entry, place);
  }

  /** What would confine a process there, as far as that can be told. Throws what `launch` would say of the place; makes nothing. */
  foresee(entry: AgentEntry, place: AgentPlace): ReturnType<AgentSandbox['foresee']> {
    return this.#options.sandbox.foresee(entry, place);
  }

  /** A process to talk to before there is a session; it is shared and stopped when idle. */
  async borrow(entry: AgentEntry, profile: ClientProfile): Promise<LaunchedAgent> {
    const key = profileKey(entry, profile);
    const waiting = this.#anteroom.get(key);
    if (waiting) {
      const agent = await waiting.agent;
      if (!agent.connection.exit) {
        waiting.timer.refresh();
        return agent;
      }
      if (this.#anteroom.get(key) === waiting) this.#leave(key);
      return this.borrow(entry, profile);
    }
    const agent = this.launch(entry, profile).then(refuseRequests);
    const timer: NodeJS.Timeout = setTimeout(() => void this.#stopIdle(key, timer), ANTEROOM_IDLE_MS).unref();
    this.#anteroom.set(key, { agent, timer });
    agent.catch((error: unknown) => {
      this.#leave(key);
      this.#options.onRefused?.(entry.name, error);
    });
    return agent;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#anteroom.keys()].map((key) => this.#stop(key)));
  }

  #remember(key: string, initialize: JsonObject): void {
    this.#initialized.delete(key);
    this.#initialized.set(key, initialize);
    const [oldest] = this.#initialized.keys();
    if (this.#initialized.size > MAX_REMEMBERED && oldest !== undefined) this.#initialized.delete(oldest);
  }

  /** A process that somebody waits for (a login in a browser may take long) is not idle. */
  async #stopIdle(key: string, timer: NodeJS.Timeout): Promise<void> {
    const launched = await this.#anteroom.get(key)?.agent.catch(() => undefined);
    if (launched?.connection.busy) timer.refresh();
    else await this.#stop(key);
  }

  #leave(key: string): void {
    clearTimeout(this.#anteroom.get(key)?.timer);
    this.#anteroom.delete(key);
  }

  async #stop(key: string): Promise<void> {
    const agent = this.#anteroom.get(key)?.agent;
    this.#leave(key);
    const launched = await agent?.catch(() => undefined);
    if (launched) await stopAgent(launched.connection, this.#options.limits);
  }
}

/** Without a session there is nobody to ask: requests of the agent are refused, notifications dropped. */
function refuseRequests(agent: LaunchedAgent): LaunchedAgent {
  agent.connection.listen({
    onMessage: (message) => {
      if (message.kind !== 'request') return;
      const error = rpcError('method_not_found', { data: { method: message.method } });
      agent.connection.send(Buffer.from(encodeError(message.id, error)));
    },
    onExit: () => {},
  });
  return agent;
}

/** Two clients share what an agent said only if the agent could not tell them apart. */
function profileKey(entry: AgentEntry, profile: ClientProfile): string {
  return createHash('sha256')
    .update(JSON.stringify([entry, profile]))
    .digest('base64url');
}
