import { encodeNotification, encodeRequest, isObject, type JsonObject } from '@reeve/protocol';
import type { ScopeChange, ServerGuard } from '../../boundary/server-guard.ts';
import type { CallGate, CreateCallGate } from '../call-gate.ts';
import type { GatewayLimits } from '../gateway-limits.ts';
import type { ServerStatus } from '../server-status.ts';
import type { OpenLink } from '../upstream/opened-link.ts';
import type { ServerFacts } from '../upstream/server-facts.ts';
import { UpstreamServer } from '../upstream/upstream-server.ts';
import type { AgentChannel } from './agent-channel.ts';
import { AgentPeer } from './agent-peer.ts';
import { AgentRequests } from './agent-requests.ts';
import { CallFlow } from './call-flow.ts';
import { EraBridge } from './era-bridge.ts';
import { ListedNames } from './listed-names.ts';
import { PendingRequests } from './pending-requests.ts';
import type { RelayParts } from './relay-parts.ts';
import { RootsAnswers } from './roots-answers.ts';
import { ServerMessages } from './server-messages.ts';
import { StandingWishes } from './standing-wishes.ts';
import { ToolCatalog } from './tool-catalog.ts';
import { ownEnvelope } from './translate.ts';

export interface ServerRelayOptions {
  readonly guard: ServerGuard;
  readonly openLink: OpenLink;
  readonly mustReplace: (change: ScopeChange) => boolean;
  readonly createGate: CreateCallGate;
  readonly limits: GatewayLimits;
  readonly warn: (message: string, facts: JsonObject) => void;
  readonly onChange: (status: ServerStatus) => void;
}

const MAX_PAGES = 64;
const LISTS = { tools: 'tools', resources: 'resources', prompts: 'prompts' } as const;

/** One MCP server of one session, between its agents' connections and the server itself. */
export class ServerRelay implements AsyncDisposable {
  readonly #options: ServerRelayOptions;
  readonly #gate: CallGate;
  readonly #peers = new Set<AgentPeer>();
  readonly #parts: RelayParts;
  readonly #requests: AgentRequests;
  readonly #messages: ServerMessages;
  readonly #bridge: EraBridge;
  readonly #watching: Disposable;
  #opens = 0;
  #noises = 0;
  /** The server is not read because an agent does not read. */
  #paused = false;

  constructor(options: ServerRelayOptions) {
    const { guard, limits } = options;
    this.#options = options;
    this.#gate = options.createGate(guard);
    const pending = new PendingRequests();
    const upstream = new UpstreamServer({
      guard,
      openLink: options.openLink,
      limits,
      onNoise: () => this.#noise(),
      listener: {
        onMessage: (message, raw) => this.#receive(message, raw),
        onOpen: (facts, revision) => this.#opened(facts, revision),
        onDown: (reason) => {
          this.#paused = false;
          pending.down(reason);
          this.#messages.down();
        },
        onChange: () => options.onChange(this.status()),
      },
    });
    const standing = new StandingWishes(limits.mcpCalls);
    const catalog = new ToolCatalog();
    const roots = new RootsAnswers({ guard, gate: this.#gate, limits });
    this.#parts = {
      ...{ guard, limits, gate: this.#gate, upstream, pending, roots, standing, catalog, peers: this.#peers },
      names: new ListedNames(),
    };
    this.#bridge = new EraBridge(this.#parts);
    this.#messages = new ServerMessages(this.#parts, this.#bridge);
    this.#requests = new AgentRequests(this.#parts, this.#bridge, new CallFlow(this.#parts, this.#bridge), (peer) =>
      this.#peers.delete(peer),
    );
    this.#watching = guard.watch((change) => this.#scopeChanged(change));
  }

  /** An agent has connected. Undefined when too many are. */
  connect(channel: AgentChannel): AgentPeer | undefined {
    if (this.#peers.size >= this.#options.limits.mcpConnections) return undefined;
    const peer = new AgentPeer(channel, this.#requests);
    this.#peers.add(peer);
    return peer;
  }

  status(): ServerStatus {
    const { guard, upstream, catalog } = this.#parts;
    const { server, fingerprint } = guard;
    return {
      name: server.name,
      fingerprint,
      origin: server.origin,
      transport: server.transport.kind,
      state: upstream.state,
      era: upstream.facts?.era,
      protocolVersion: upstream.facts?.version,
      claimed: upstream.claimed,
      trusted: upstream.trusted,
      tools: catalog.counts(),
      restarts: upstream.restarts,
      enforcement: upstream.enforcement,
      lastError: upstream.lastError,
    };
  }

  stderrTail(): string {
    return this.#parts.upstream.stderrTail();
  }

  retry(): void {
    this.#parts.upstream.retry();
  }

  dropHolds(reason: string): void {
    this.#gate.dropHolds(reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watching[Symbol.dispose]();
    for (const peer of [...this.#peers]) {
      peer.gone();
      peer.channel.close();
    }
    await this.#parts.upstream[Symbol.asyncDispose]();
    this.#gate[Symbol.dispose]();
  }

  /** Told of the first and then ever more rarely: a server may print for ever. */
  #noise(): void {
    this.#noises += 1;
    if (!Number.isInteger(Math.log10(this.#noises))) return;
    const { name } = this.#options.guard.server;
    this.#options.warn('an MCP server printed what is no message', { server: name, times: this.#noises });
  }

  #receive(...[message, raw]: Parameters<ServerMessages['receive']>): void {
    this.#messages.receive(message, raw);
    if (this.#paused || !this.#overfull()) return;
    this.#paused = true;
    this.#parts.upstream.link?.pause();
  }

  /** An agent has read what waited for it, or has gone. */
  drained(): void {
    if (!this.#paused || this.#overfull()) return;
    this.#paused = false;
    this.#parts.upstream.link?.resume();
  }

  #overfull(): boolean {
    const { mcpQueueBytes } = this.#options.limits;
    for (const { channel } of this.#peers) if (channel.unreadBytes > mcpQueueBytes) return true;
    return false;
  }

  #opened(facts: ServerFacts, revision: number): void {
    this.#gate.serverStarted(revision);
    this.#bridge.opened();
    this.#opens += 1;
    if (isObject(facts.capabilities.tools)) this.#listTools(undefined, 1);
    else this.#describe();
    for (const peer of this.#peers) {
      if (!peer.provisional && this.#opens === 1) continue;
      peer.provisional = false;
      for (const list of Object.values(LISTS)) {
        if (isObject(facts.capabilities[list])) this.#tell(peer, `notifications/${list}/list_changed`);
      }
    }
  }

  #tell(peer: AgentPeer, method: string): void {
    const raw = Buffer.from(encodeNotification(method, undefined));
    if (!this.#bridge.notify(peer, method, undefined, raw)) peer.channel.send(raw);
  }

  /** Its tools, for people and for the gate, also before an agent asks. */
  #listTools(cursor: string | undefined, page: number): void {
    const { pending, upstream, catalog, names } = this.#parts;
    const id = pending.add({
      exchange: undefined,
      onDown: () => {},
      onReply: (message) => {
        if (message.kind === 'result') {
          catalog.learn(message.result, cursor === undefined);
          names.learn(message.result);
        }
        const next = message.kind === 'result' && isObject(message.result) ? message.result.nextCursor : undefined;
        if (typeof next === 'string' && page < MAX_PAGES) return this.#listTools(next, page + 1);
        this.#describe();
      },
    });
    const meta = upstream.facts?.era === 'stateless' ? { _meta: ownEnvelope({ name: 'reeve', version: '' }, {}) } : {};
    upstream.link?.send(
      Buffer.from(encodeRequest(id, 'tools/list', cursor === undefined ? meta : { ...meta, cursor })),
    );
  }

  #describe(): void {
    const { guard, upstream, catalog } = this.#parts;
    const info = upstream.claimed;
    guard.described({ ...(info ? { info } : {}), tools: catalog.all() });
    this.#options.onChange(this.status());
  }

  async #scopeChanged(change: ScopeChange): Promise<void> {
    const { upstream } = this.#parts;
    const quiet = this.#gate.scopeChanging(change);
    if (this.#options.mustReplace(change)) {
      await quiet;
      await upstream.replace(change);
    } else if (upstream.facts?.era === 'initialize') {
      upstream.link?.send(Buffer.from(encodeNotification('notifications/roots/list_changed', undefined)));
    }
    this.#gate.scopeChanged(change);
  }
}
