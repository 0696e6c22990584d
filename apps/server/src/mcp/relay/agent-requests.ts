import { encodeError, encodeResult, isObject, type JsonObject, setMember } from '@reeve/protocol';
import type { CallEnd } from '../../boundary/server-guard.ts';
import { type CallVerdict, GATED_METHODS, type GatedMethod } from '../call-gate.ts';
import { CODE, STATELESS_VERSION } from '../wire/mcp-keys.ts';
import { parameterHeaders } from '../wire/parameter-headers.ts';
import { claimedVersion } from '../wire/read-meta.ts';
import type { AgentPeer, AgentPeerListener } from './agent-peer.ts';
import { emptyList, listCapability } from './empty-list.ts';
import type { EraBridge } from './era-bridge.ts';
import type { Exchange } from './exchange.ts';
import { holdWithProgress } from './hold-with-progress.ts';
import { discoverResult, initializeResult, readHello, readStatelessHello } from './opening-answer.ts';
import type { Reply } from './pending-requests.ts';
import type { RelayParts } from './relay-parts.ts';
import { withoutClaims } from './tool-catalog.ts';
import { answerForAgent, requestForServer } from './translate.ts';

const GATED: ReadonlySet<string> = new Set(GATED_METHODS);

/** From the agents to the server: what is answered here, what is asked of the gate, what is forwarded. */
export class AgentRequests implements AgentPeerListener {
  readonly #parts: RelayParts;
  readonly #bridge: EraBridge;
  readonly #onGone: (peer: AgentPeer) => void;

  constructor(parts: RelayParts, bridge: EraBridge, onGone: (peer: AgentPeer) => void) {
    this.#parts = parts;
    this.#bridge = bridge;
    this.#onGone = onGone;
  }

  onRequest(exchange: Exchange): void {
    const { peer, method, params, era } = exchange;
    peer.era = era;
    if (era === 'stateless') {
      const version = claimedVersion(params) as string;
      if (version !== STATELESS_VERSION) return unsupported(exchange, version);
      const hello = readStatelessHello(params);
      peer.clientInfo = hello.clientInfo;
      peer.capabilities = hello.capabilities;
      peer.logLevel = hello.logLevel;
      this.#parts.upstream.greet(hello);
    }
    if (method === 'initialize') return void this.#initialize(exchange);
    if (method === 'server/discover') return void this.#discover(exchange);
    if (method === 'ping') return answer(exchange, {});
    if (method === 'subscriptions/listen') return void this.#listen(exchange);
    this.#relay(exchange);
  }

  onNotification(peer: AgentPeer, method: string, params: unknown, raw: Buffer): void {
    const { upstream, pending } = this.#parts;
    // Roots are ours: what the agent says of its own is not the server's business.
    if (method === 'notifications/initialized' || method === 'notifications/roots/list_changed') return;
    if (method !== 'notifications/cancelled') return upstream.link?.send(raw);
    const { requestId, reason } = isObject(params) ? params : {};
    const exchange = peer.exchange(requestId);
    if (!exchange) return;
    const id = exchange.upstreamId;
    exchange.takeBack(typeof reason === 'string' ? reason : 'the agent cancelled it');
    if (id !== undefined && pending.take(id)) {
      upstream.link?.cancel(id, setMember(raw, ['params', 'requestId'], String(id)));
    }
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
    answer(exchange, initializeResult(hello.version, guard.server.name, upstream.facts));
  }

  async #discover(exchange: Exchange): Promise<void> {
    const { upstream, guard, limits } = this.#parts;
    if (!upstream.facts) await upstream.ready(limits.mcpAdmitMs, exchange.signal).catch(() => {});
    exchange.peer.provisional = upstream.facts === undefined;
    answer(exchange, discoverResult(guard.server.name, upstream.facts));
  }

  /** Answered when it is taken back: subscriptions to resources are asked of the gate like those of the older era. */
  async #listen(exchange: Exchange): Promise<void> {
    const { notifications } = isObject(exchange.params) ? exchange.params : {};
    const wanted = isObject(notifications) ? notifications.resourceSubscriptions : undefined;
    const allowed: string[] = [];
    for (const uri of Array.isArray(wanted) ? wanted : []) {
      if (typeof uri !== 'string') continue;
      const verdict = await this.#ask(exchange, 'resources/subscribe', { uri });
      if (verdict.kind === 'refuse') continue;
      verdict.done('completed');
      allowed.push(uri);
    }
    if (!exchange.settled) this.#bridge.listening.listen(exchange, allowed);
  }

  #relay(exchange: Exchange): void {
    const { limits, upstream, peers } = this.#parts;
    let open = 0;
    for (const peer of peers) open += peer.openCount;
    if (open > limits.mcpCalls) {
      return exchange.refuse(
        `More than ${limits.mcpCalls} requests are open (limits.mcpCalls): wait for their answers.`,
      );
    }
    if (upstream.link === undefined) return void this.#whenReady(exchange, () => this.#check(exchange));
    this.#check(exchange);
  }

  /** The server is open. */
  #check(exchange: Exchange): void {
    const { upstream } = this.#parts;
    const { method, params } = exchange;
    const { facts } = upstream;
    if (facts === undefined) return exchange.refuse('The server is not open.');
    const capability = listCapability(method);
    if (capability !== undefined && !isObject(facts.capabilities[capability])) {
      return answer(exchange, emptyList(method, exchange.era));
    }
    if (!GATED.has(method)) return this.#forward(exchange);
    const goesOn = this.#bridge.resume(
      exchange,
      (message, raw) => this.#answered(exchange, message, raw),
      (reason) => exchange.refuse(`The server ended before it answered: ${reason}.`),
    );
    if (goesOn) return;
    const verdict = this.#ask(exchange, method as GatedMethod, params);
    if (!(verdict instanceof Promise)) return this.#judge(exchange, verdict);
    holdWithProgress(exchange, verdict).then(
      (settled) => this.#judge(exchange, settled),
      (error: unknown) => exchange.refuse(`The call could not be checked: ${String(error)}`, 'refused'),
    );
  }

  #ask({ peer, signal, era }: Exchange, method: GatedMethod, params: unknown): CallVerdict | Promise<CallVerdict> {
    const { upstream, gate, catalog } = this.#parts;
    const claims = catalog.claims(params);
    const inputSchema = catalog.tool(params)?.inputSchema;
    return gate.check(
      { method, params, claims, inputSchema, era: upstream.facts?.era ?? era, client: peer.client },
      signal,
    );
  }

  #judge(exchange: Exchange, verdict: CallVerdict): void {
    if (verdict.kind === 'refuse') return exchange.refuse(verdict.text, 'refused');
    if (exchange.settled) return verdict.done('cancelled');
    exchange.begun((end) => verdict.done(end));
    verdict.revoked?.addEventListener('abort', () => this.#revoke(exchange, verdict.revoked?.reason), { once: true });
    if (verdict.revoked?.aborted) return this.#revoke(exchange, verdict.revoked.reason);
    this.#forward(exchange);
  }

  #revoke(exchange: Exchange, reason: unknown): void {
    const { pending, upstream } = this.#parts;
    const text = reason instanceof Error ? reason.message : String(reason);
    const id = exchange.upstreamId;
    if (exchange.settled) return;
    exchange.refuse(text, 'cancelled');
    if (id !== undefined && pending.take(id)) upstream.link?.cancel(id, cancelled(id));
  }

  #forward(exchange: Exchange): void {
    const { upstream } = this.#parts;
    if (upstream.link === undefined) return void this.#whenReady(exchange, () => this.#forward(exchange));
    if (this.#bridge.handle(exchange)) return;
    this.#send(exchange);
  }

  #send(exchange: Exchange): void {
    const { upstream, pending, limits, catalog } = this.#parts;
    const { method, params } = exchange;
    const { link, facts } = upstream;
    if (link === undefined || facts === undefined) return void this.#whenReady(exchange, () => this.#send(exchange));
    if (link.unreadBytes > limits.mcpQueueBytes) {
      return exchange.refuse('The server does not read what it is sent (limits.mcpQueueBytes): try again later.');
    }
    const id = pending.add({
      exchange,
      onReply: (message, raw) => this.#answered(exchange, message, raw),
      onDown: (reason) => this.#cutOff(exchange, reason),
    });
    exchange.upstreamId = id;
    const headers = () =>
      parameterHeaders(catalog.tool(params)?.inputSchema, isObject(params) ? params.arguments : undefined);
    const repeats = facts.era === 'stateless' && method === 'tools/call';
    link.send(requestForServer(exchange, id, facts.era), repeats ? headers : undefined);
    if (limits.mcpCallMs > 0) this.#watch(exchange, id);
  }

  #answered(exchange: Exchange, message: Reply, raw: Buffer): void {
    const { upstream, catalog } = this.#parts;
    if (exchange.settled) return;
    const era = upstream.facts?.era ?? exchange.era;
    if (this.#bridge.answered(exchange, message, (again) => this.#send(again))) return;
    let own = answerForAgent(raw, exchange, era);
    if (exchange.method === 'tools/list' && message.kind === 'result') {
      catalog.learn(message.result, !isObject(exchange.params) || exchange.params.cursor === undefined);
      if (!upstream.trusted)
        own = setMember(own, ['result'], JSON.stringify(withoutClaims(JSON.parse(String(own)).result)));
    }
    this.#bridge.succeeded(exchange, message);
    exchange.answer(own, endOf(message));
  }

  /** The server ended while it worked on the request. What changes nothing is sent again, once; the rest may have been done or not. */
  #cutOff(exchange: Exchange, reason: string): void {
    exchange.upstreamId = undefined;
    if (exchange.settled) return;
    if (!exchange.repeated && this.#repeatable(exchange)) {
      exchange.repeated = true;
      return void this.#whenReady(exchange, () => this.#send(exchange));
    }
    exchange.refuse(`The server ended before it answered, and the call may have been carried out or not: ${reason}.`);
  }

  #repeatable({ method, params }: Exchange): boolean {
    const { upstream, catalog } = this.#parts;
    return method !== 'tools/call' || (upstream.trusted && catalog.tool(params)?.idempotent === true);
  }

  /** Goes on once the server is open; refuses, or answers with an empty list, when it is not in time. */
  async #whenReady(exchange: Exchange, then: () => void): Promise<void> {
    const { upstream, limits } = this.#parts;
    const isList = listCapability(exchange.method) !== undefined;
    const patience = upstream.state === 'waiting' ? 0 : isList ? limits.mcpAdmitMs : limits.mcpStartMs;
    try {
      const readiness = await upstream.ready(patience, exchange.signal);
      if (exchange.settled) return;
      if (readiness.kind === 'open') return then();
      if (!isList) return exchange.refuse(readiness.text);
      exchange.peer.provisional = true;
      answer(exchange, emptyList(exchange.method, exchange.era));
    } catch (error) {
      exchange.refuse(`The call could not be passed on: ${String(error)}`);
    }
  }

  #watch(exchange: Exchange, id: number): void {
    const { limits, pending, upstream } = this.#parts;
    const timer = setTimeout(() => {
      if (exchange.settled || !pending.take(id)) return;
      upstream.link?.cancel(id, cancelled(id));
      exchange.refuse(`The server was silent about this call for ${limits.mcpCallMs} ms (timeouts.mcpCallMs).`);
    }, limits.mcpCallMs);
    exchange.onProgress = () => timer.refresh();
    exchange.onSettled(() => clearTimeout(timer));
  }
}

function answer(exchange: Exchange, result: JsonObject): void {
  const complete = exchange.era === 'stateless' ? { resultType: 'complete', ...result } : result;
  exchange.answer(Buffer.from(encodeResult(exchange.id, complete)), 'completed');
}

function unsupported(exchange: Exchange, requested: string): void {
  const data = { supported: [STATELESS_VERSION], requested };
  const error = { code: CODE.unsupportedVersion, message: `Unsupported protocol version: ${requested}`, data };
  exchange.answer(Buffer.from(encodeError(exchange.id, error)), 'failed');
}

function cancelled(requestId: number): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }));
}

function endOf(message: Reply): CallEnd {
  if (message.kind === 'error') return 'failed';
  return isObject(message.result) && message.result.isError === true ? 'failed' : 'completed';
}
