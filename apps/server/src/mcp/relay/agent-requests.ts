import { encodeError, isObject, type JsonObject, setMember } from '@reeve/protocol';
import type { Screening } from '../call-gate.ts';
import type { Hello } from '../upstream/server-facts.ts';
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
  /** Notifications whose paths are looked up. */
  #screening = 0;

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
    const { peer, params, era } = exchange;
    peer.era = era;
    if (era === 'stateless') {
      const version = claimedVersion(params) as string;
      if (version !== STATELESS_VERSION) return refuseVersion(exchange, version);
      return this.#meet(exchange, readStatelessHello(params), () => this.#route(exchange));
    }
    return this.#route(exchange);
  }

  /** What an agent says of itself is passed on when its server is opened, and with each request: not with a path outside. */
  #meet(exchange: Exchange, hello: Hello, then: () => Promise<void> | undefined): Promise<void> | undefined {
    const { upstream, gate } = this.#parts;
    const { clientInfo, capabilities, logLevel, rest } = hello;
    const goOn = (screened: Screening): Promise<void> | undefined => {
      if (screened.kind === 'refuse') {
        exchange.refuse(screened.text, 'refused');
        return undefined;
      }
      Object.assign(exchange.peer, { clientInfo, capabilities, logLevel });
      upstream.greet({ ...hello, rest: withoutMeta(rest, screened.withoutMeta) });
      return then();
    };
    const screened = gate.screen({ method: 'initialize', params: { ...rest, clientInfo, capabilities } });
    return screened instanceof Promise ? screened.then(goOn) : goOn(screened);
  }

  #route(exchange: Exchange): Promise<void> | undefined {
    switch (exchange.method) {
      case 'initialize': {
        const hello = readHello(exchange.params);
        return this.#meet(exchange, hello, () => this.#initialize(exchange, hello));
      }
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
    if (this.#screening >= limits.mcpCalls) return;
    const goOn = (screened: Screening): void => {
      const { link } = upstream;
      if (screened.kind === 'refuse' || link === undefined || link.unreadBytes > limits.mcpQueueBytes) return;
      link.send(withoutMembers(raw, ['params', '_meta'], screened.withoutMeta));
    };
    const screened = gate.screen({ method, params });
    if (!(screened instanceof Promise)) return goOn(screened);
    this.#screening += 1;
    const done = (): void => {
      this.#screening -= 1;
    };
    void screened.then(goOn, () => {}).finally(done);
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

  async #initialize(exchange: Exchange, hello: Hello): Promise<void> {
    const { upstream, guard, limits } = this.#parts;
    const { peer } = exchange;
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

function withoutMeta(rest: JsonObject, members: readonly string[] = []): JsonObject {
  if (members.length === 0 || !isObject(rest._meta)) return rest;
  const kept = Object.entries(rest._meta).filter(([member]) => !members.includes(member));
  return { ...rest, _meta: Object.fromEntries(kept) };
}

function refuseVersion(exchange: Exchange, requested: string): undefined {
  const data = { supported: [STATELESS_VERSION], requested };
  const error = { code: CODE.unsupportedVersion, message: `Unsupported protocol version: ${requested}`, data };
  exchange.answer(Buffer.from(encodeError(exchange.id, error)), 'failed');
}
