import { isObject, setMember } from '@reeve/protocol';
import type { CallEnd } from '../../boundary/server-guard.ts';
import { type CallVerdict, isCall, type Screening } from '../call-gate.ts';
import { cancelled } from '../wire/cancelled.ts';
import { parameterHeaders } from '../wire/parameter-headers.ts';
import { emptyList, listCapability } from './empty-list.ts';
import type { EraBridge } from './era-bridge.ts';
import type { Exchange } from './exchange.ts';
import { holdWithProgress } from './hold-with-progress.ts';
import type { Reply } from './pending-requests.ts';
import type { RelayParts } from './relay-parts.ts';
import { withoutClaims } from './tool-catalog.ts';
import { answerForAgent, requestForServer } from './translate.ts';

/** The way of an agent's request to the server and of its answer back: readiness, gate, translation, restarts. */
export class CallFlow {
  readonly #parts: RelayParts;
  readonly #bridge: EraBridge;

  constructor(parts: RelayParts, bridge: EraBridge) {
    this.#parts = parts;
    this.#bridge = bridge;
  }

  /** Answers the request in the end, whatever happens. */
  pass(exchange: Exchange): void {
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
      return exchange.answerWith(emptyList(method, exchange.era));
    }
    if (!isCall(method)) return this.#checkPlain(exchange);
    const { inputResponses, requestState } = isObject(params) ? params : {};
    if (inputResponses === undefined && requestState === undefined) return this.#checkCall(exchange);
    // What goes on is not asked about again, but its answers are new.
    this.#screen(exchange, { inputResponses }, () => {
      const goesOn = this.#bridge.resume(
        exchange,
        (message, raw) => this.#reply(exchange, message, raw),
        (reason) => exchange.refuse(`The server ended before it answered: ${reason}.`),
      );
      if (!goesOn) this.#checkCall(exchange);
    });
  }

  #checkCall(exchange: Exchange): void {
    const verdict = this.ask(exchange, exchange.method, exchange.params);
    if (!(verdict instanceof Promise)) return this.#judge(exchange, verdict);
    holdWithProgress(exchange, verdict).then(
      (settled) => this.#judge(exchange, settled),
      (error: unknown) => exchange.refuse(`The call could not be checked: ${String(error)}`, 'refused'),
    );
  }

  #checkPlain(exchange: Exchange): void {
    const { method, params } = exchange;
    const uri = method === 'resources/unsubscribe' && isObject(params) ? params.uri : undefined;
    // It was let through before: an agent may end what its boundary no longer lets it begin.
    if (typeof uri === 'string' && this.#parts.standing.resources.has(uri)) return this.#forward(exchange);
    this.#screen(exchange, params, (withoutMeta) => {
      exchange.withoutMeta = withoutMeta;
      this.#forward(exchange);
    });
  }

  /** Goes on with what names no path outside. */
  #screen(exchange: Exchange, params: unknown, then: (withoutMeta: readonly string[]) => void): void {
    const goOn = (screened: Screening): void => {
      if (screened.kind === 'refuse') return exchange.refuse(screened.text, 'refused');
      if (!exchange.settled) then(screened.withoutMeta ?? []);
    };
    const screened = this.#parts.gate.screen({ method: exchange.method, params });
    if (!(screened instanceof Promise)) return goOn(screened);
    screened
      .then(goOn)
      .catch((error: unknown) => exchange.refuse(`The request could not be checked: ${String(error)}`, 'refused'));
  }

  /** Asks the gate. */
  ask(exchange: Exchange, method: string, params: unknown): CallVerdict | Promise<CallVerdict> {
    const { peer, era } = exchange;
    const { upstream, gate, catalog, names } = this.#parts;
    // A prompt may be called as a tool is.
    const called = method === 'tools/call' ? params : undefined;
    const claims = catalog.claims(called);
    const inputSchema = catalog.tool(called)?.inputSchema;
    const isListed = () => names.has(method, params);
    const spoken = upstream.facts?.era ?? era;
    return gate.check({ method, params, claims, isListed, inputSchema, client: peer.client, era: spoken }, exchange);
  }

  #judge(exchange: Exchange, verdict: CallVerdict): void {
    if (verdict.kind === 'refuse') return exchange.refuse(verdict.text, 'refused');
    if (exchange.settled) return verdict.done('cancelled');
    exchange.begun((end) => verdict.done(end));
    exchange.withoutMeta = verdict.withoutMeta ?? [];
    verdict.revocation?.onRevoked((reason) => this.#revoke(exchange, reason));
    if (!exchange.settled) this.#forward(exchange);
  }

  #revoke(exchange: Exchange, reason: string): void {
    const { pending, upstream } = this.#parts;
    const id = exchange.upstreamId;
    if (exchange.settled) return;
    exchange.refuse(reason, 'cancelled');
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
      onReply: (message, raw) => this.#reply(exchange, message, raw),
      onDown: (reason) => this.#cutOff(exchange, reason),
    });
    exchange.upstreamId = id;
    const headers = () =>
      parameterHeaders(catalog.tool(params)?.inputSchema, isObject(params) ? params.arguments : undefined);
    const repeats = facts.era === 'stateless' && method === 'tools/call';
    link.send(requestForServer(exchange, id, facts.era), repeats ? headers : undefined);
    if (limits.mcpCallMs > 0) this.#watch(exchange, id);
  }

  #reply(exchange: Exchange, message: Reply, raw: Buffer): void {
    try {
      this.#answered(exchange, message, raw);
    } catch {
      exchange.refuse('The answer of the server could not be read.');
    }
  }

  #answered(exchange: Exchange, message: Reply, raw: Buffer): void {
    const { upstream, catalog, names } = this.#parts;
    if (exchange.settled) return;
    const era = upstream.facts?.era ?? exchange.era;
    if (this.#bridge.answered(exchange, message, (again) => this.#send(again))) return;
    let own = answerForAgent(raw, exchange, era);
    if (message.kind === 'result' && /^(?:tools|prompts)\/list$/.test(exchange.method)) names.learn(message.result);
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
      exchange.answerWith(emptyList(exchange.method, exchange.era));
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

function endOf(message: Reply): CallEnd {
  if (message.kind === 'error') return 'failed';
  return isObject(message.result) && message.result.isError === true ? 'failed' : 'completed';
}
