import { encodeRequest, isObject, type RpcMessage } from '@reeve/protocol';
import type { AgentPeer } from './agent-peer.ts';
import type { Exchange } from './exchange.ts';
import { InputRounds } from './input-rounds.ts';
import { Listening } from './listening.ts';
import { ParkedCalls } from './parked-calls.ts';
import type { Reply } from './pending-requests.ts';
import type { RelayParts } from './relay-parts.ts';

/** What differs between the eras beyond a member here and there, and what a server is told again after it was started again. */
export class EraBridge {
  readonly #parts: RelayParts;
  readonly #rounds: InputRounds;
  readonly #parked: ParkedCalls;
  readonly listening: Listening;

  constructor(parts: RelayParts) {
    this.#parts = parts;
    this.#rounds = new InputRounds(parts);
    this.#parked = new ParkedCalls(parts);
    this.listening = new Listening(parts);
  }

  /** Goes on with a call that is parked, before anybody is asked about it. @returns whether there was one */
  resume(...args: Parameters<ParkedCalls['resume']>): boolean {
    return (
      args[0].era === 'stateless' && this.#parts.upstream.facts?.era === 'initialize' && this.#parked.resume(...args)
    );
  }

  /** A request that the server's era does not have. @returns whether it is dealt with here */
  handle(exchange: Exchange): boolean {
    const { standing, upstream } = this.#parts;
    const { method, params, peer } = exchange;
    if (upstream.facts?.era !== 'stateless') {
      this.#wishLogLevel(exchange);
      return false;
    }
    this.#rounds.complete(exchange);
    if (exchange.era === 'stateless') return false;
    const { uri, level } = isObject(params) ? params : {};
    switch (method) {
      case 'logging/setLevel':
        if (typeof level === 'string') peer.logLevel = level;
        break;
      case 'resources/subscribe':
        if (typeof uri === 'string' && standing.subscribe(uri)) this.listening.want(uri);
        break;
      case 'resources/unsubscribe':
        if (typeof uri === 'string' && standing.unsubscribe(uri)) this.listening.unwant(uri);
        break;
      default:
        return false;
    }
    exchange.answerWith({});
    return true;
  }

  /** @returns whether the answer is no answer yet, and is dealt with here */
  answered(exchange: Exchange, message: Reply, send: (exchange: Exchange) => void): boolean {
    return this.#parts.upstream.facts?.era === 'stateless' && this.#rounds.take(exchange, message, send);
  }

  /** The agent's request has its answer. */
  succeeded({ method, params }: Exchange, message: Reply): void {
    if (message.kind === 'error' || !isObject(params)) return;
    const { standing } = this.#parts;
    const { uri, level } = params;
    if (method === 'logging/setLevel' && typeof level === 'string') standing.logLevel = level;
    if (method === 'resources/subscribe' && typeof uri === 'string') standing.subscribe(uri);
    if (method === 'resources/unsubscribe' && typeof uri === 'string') standing.unsubscribe(uri);
  }

  /** A request of an old server during a call of a new agent. @returns false when there is no way to ask that agent */
  park(exchange: Exchange, message: Extract<RpcMessage, { kind: 'request' }>): boolean {
    return this.#parked.park(exchange, message);
  }

  /** @returns whether the notification is dealt with here */
  notify(peer: AgentPeer, method: string, params: unknown, raw: Buffer): boolean {
    return this.listening.notify(peer, method, params, raw);
  }

  gone(peer: AgentPeer): void {
    this.#parked.leave(peer);
  }

  /** The server is open, perhaps again, and perhaps with fewer roots: it is not asked again to watch what lies outside of them. */
  opened(): void {
    const uris = new Set([...this.#parts.standing.resources, ...this.listening.uris]);
    const again = (): void => this.#wishAgain();
    if (uris.size === 0) again();
    else this.#forgetOutside(uris).then(again, again);
  }

  async #forgetOutside(uris: ReadonlySet<string>): Promise<void> {
    const { gate, standing } = this.#parts;
    for (const uri of uris) {
      const { kind } = await gate.screen({ method: 'resources/subscribe', params: { uri } }, 'quiet');
      if (kind === 'forward') continue;
      standing.unsubscribe(uri);
      this.listening.forget(uri);
    }
  }

  #wishAgain(): void {
    const { upstream, standing } = this.#parts;
    this.listening.opened();
    if (upstream.facts?.era !== 'initialize') return;
    if (standing.logLevel !== undefined) this.#ask('logging/setLevel', { level: standing.logLevel });
    for (const uri of standing.resources) this.#ask('resources/subscribe', { uri });
  }

  /** A new agent says with each request what it wants to be told; an old server is told once. */
  #wishLogLevel({ era, peer }: Exchange): void {
    const { standing, upstream } = this.#parts;
    const { logLevel } = peer;
    if (era !== 'stateless' || logLevel === undefined || logLevel === standing.logLevel) return;
    if (!isObject(upstream.facts?.capabilities.logging)) return;
    standing.logLevel = logLevel;
    this.#ask('logging/setLevel', { level: logLevel });
  }

  #ask(method: string, params: unknown): void {
    const { pending, upstream } = this.#parts;
    const id = pending.add({ exchange: undefined, onReply: () => {}, onDown: () => {} });
    upstream.link?.send(Buffer.from(encodeRequest(id, method, params)));
  }
}
