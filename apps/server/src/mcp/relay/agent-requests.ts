import { encodeError, isObject, setMember } from '@reeve/protocol';
import type { Screening } from '../call-gate.ts';
import { cancelled } from '../wire/cancelled.ts';
import { CODE, STATELESS_VERSION } from '../wire/mcp-keys.ts';
import { claimedVersion } from '../wire/read-meta.ts';
import type { AgentPeer, AgentPeerListener } from './agent-peer.ts';
import type { CallFlow } from './call-flow.ts';
import type { EraBridge } from './era-bridge.ts';
import type { Exchange } from './exchange.ts';
import { discoverResult, initializeResult, readHello, readStatelessHello } from './opening-answer.ts';
import type { RelayParts } from './relay-parts.ts';
import { withoutMembers } from './translate.ts';

/** What agents say: their opening and subscriptions are answered here, the rest is passed on. */
export class AgentRequests implements AgentPeerListener {
  readonly #parts: RelayParts;
  readonly #bridge: EraBridge;
  readonly #calls: CallFlow;
  readonly #onGone: (peer: AgentPeer) => void;

  constructor(parts: RelayParts, bridge: EraBridge, calls: CallFlow, onGone: (peer: AgentPeer) => void) {
    this.#parts = parts;
    this.#bridge = bridge;
    this.#calls = calls;
    this.#onGone = onGone;
  }

  onRequest(exchange: Exchange): void {
    const broken = () => exchange.refuse('The request could not be dealt with. Go on without it.');
    try {
      this.#parts.guard.work(() => this.#take(exchange))?.catch(broken);
    } catch {
      broken();
    }
  }

  #take(exchange: Exchange): Promise<void> | undefined {
    const { peer, method, params, era } = exchange;
    peer.era = era;
    if (era === 'stateless') {
      const version = claimedVersion(params) as string;
      if (version !== STATELESS_VERSION) return refuseVersion(exchange, version);
      const hello = readStatelessHello(params);
      peer.clientInfo = hello.clientInfo;
      peer.capabilities = hello.capabilities;
      peer.logLevel = hello.logLevel;
      this.#parts.upstream.greet(hello);
    }
    switch (method) {
      case 'initialize':
        return this.#initialize(exchange);
      case 'server/discover':
        return this.#discover(exchange);
      case 'subscriptions/listen':
        return this.#listen(exchange);
      case 'ping':
        exchange.answerWith({});
        return undefined;
      default:
        this.#calls.pass(exchange);
        return undefined;
    }
  }

  onNotification(peer: AgentPeer, method: string, params: unknown, raw: Buffer): void {
    const { upstream, pending } = this.#parts;
    // Roots are ours: what the agent says of its own is not the server's business.
    if (method === 'notifications/initialized' || method === 'notifications/roots/list_changed') return;
    if (method !== 'notifications/cancelled') return this.#notify(method, params, raw);
    const { requestId, reason } = isObject(params) ? params : {};
    const exchange = peer.exchange(requestId);
    if (!exchange) return;
    const id = exchange.upstreamId;
    exchange.takeBack(typeof reason === 'string' ? reason : 'the agent cancelled it');
    if (id !== undefined && pending.take(id)) {
      upstream.link?.cancel(id, setMember(raw, ['params', 'requestId'], String(id)));
    }
  }

  /** Nobody waits for what comes of a notification: one that names a path outside is dropped, as is one that would pile up. */
  #notify(method: string, params: unknown, raw: Buffer): void {
    const { upstream, gate, limits } = this.#parts;
    const goOn = (screened: Screening): void => {
      const { link } = upstream;
      if (screened.kind === 'refuse' || link === undefined || link.unreadBytes > limits.mcpQueueBytes) return;
      link.send(withoutMembers(raw, ['params', '_meta'], screened.withoutMeta));
    };
    const screened = gate.screen({ method, params });
    if (screened instanceof Promise) void screened.then(goOn, () => {});
    else goOn(screened);
  }

  onLeft(exchange: Exchange): void {
    const { upstream, pending } = this.#parts;
    const id = exchange.upstreamId;
    if (exchange.settled) return;
    exchange.takeBack('the agent has gone');
    if (id !== undefined && pending.take(id)) upstream.link?.cancel(id, cancelled(id));
  }

  onGone(peer: AgentPeer): void {
    this.#bridge.gone(peer);
    this.#onGone(peer);
  }

  async #initialize(exchange: Exchange): Promise<void> {
    const { upstream, guard, limits } = this.#parts;
    const { peer, params } = exchange;
    const hello = readHello(params);
    peer.clientInfo = hello.clientInfo;
    peer.capabilities = hello.capabilities;
    upstream.greet(hello);
    if (!upstream.facts) await upstream.ready(limits.mcpAdmitMs, exchange.signal).catch(() => {});
    peer.provisional = upstream.facts === undefined;
    exchange.answerWith(initializeResult(hello.version, guard.server.name, upstream.facts));
  }

  async #discover(exchange: Exchange): Promise<void> {
    const { upstream, guard, limits } = this.#parts;
    if (!upstream.facts) await upstream.ready(limits.mcpAdmitMs, exchange.signal).catch(() => {});
    exchange.peer.provisional = upstream.facts === undefined;
    exchange.answerWith(discoverResult(guard.server.name, upstream.facts));
  }

  /** Answered when it is taken back: subscriptions to resources are asked of the gate like those of the older era. */
  async #listen(exchange: Exchange): Promise<void> {
    const { notifications } = isObject(exchange.params) ? exchange.params : {};
    const wanted = isObject(notifications) ? notifications.resourceSubscriptions : undefined;
    const allowed: string[] = [];
    for (const uri of Array.isArray(wanted) ? wanted.slice(0, this.#parts.limits.mcpCalls) : []) {
      if (typeof uri !== 'string') continue;
      const verdict = await this.#calls.ask(exchange, 'resources/subscribe', { uri });
      if (verdict.kind === 'refuse') continue;
      verdict.done('completed');
      allowed.push(uri);
    }
    if (!exchange.settled) this.#bridge.listening.listen(exchange, allowed);
  }
}

function refuseVersion(exchange: Exchange, requested: string): undefined {
  const data = { supported: [STATELESS_VERSION], requested };
  const error = { code: CODE.unsupportedVersion, message: `Unsupported protocol version: ${requested}`, data };
  exchange.answer(Buffer.from(encodeError(exchange.id, error)), 'failed');
}
