import {
  encodeError,
  encodeRequest,
  encodeResult,
  idKey,
  isObject,
  type JsonRpcId,
  type RpcMessage,
  setMember,
} from '@reeve/protocol';
import { cancelled } from '../wire/cancelled.ts';
import { CODE } from '../wire/mcp-keys.ts';
import { refusesAnswer } from './agent-answers.ts';
import { neededFeature, substituteFor } from './client-feature.ts';
import type { EraBridge } from './era-bridge.ts';
import type { Exchange, ExchangePeer } from './exchange.ts';
import type { RelayParts } from './relay-parts.ts';

type ServerRequest = Extract<RpcMessage, { kind: 'request' }>;

/** From the server to the agents: answers, requests and notifications. */
export class ServerMessages {
  readonly #parts: RelayParts;
  readonly #bridge: EraBridge;
  /** The server's own requests that an agent has: how that agent knows them. */
  readonly #asked = new Map<string, { readonly peer: ExchangePeer; readonly id: JsonRpcId }>();

  constructor(parts: RelayParts, bridge: EraBridge) {
    this.#parts = parts;
    this.#bridge = bridge;
  }

  receive(message: RpcMessage, raw: Buffer): void {
    switch (message.kind) {
      case 'result':
      case 'error':
        return this.#parts.pending.take(message.id)?.onReply(message, raw);
      case 'request':
        return this.#request(message, raw);
      case 'notification':
        return this.#notification(message.method, message.params, raw);
    }
  }

  /** The server ended: what it asked is not answered. */
  down(): void {
    for (const { peer, id } of this.#asked.values()) peer.channel.send(cancelled(id, 'the server ended'));
    this.#asked.clear();
  }

  #request(message: ServerRequest, raw: Buffer): void {
    const { id, method } = message;
    if (method === 'roots/list') return void this.#parts.guard.work(() => this.#roots(id));
    if (method === 'ping') return this.#answer(encodeResult(id, {}));
    const exchange = this.#parts.pending.latestExchange();
    const peer = exchange?.peer ?? [...this.#parts.peers].at(-1);
    const needed = neededFeature(method);
    const full = this.#asked.size >= this.#parts.limits.mcpCalls;
    if (!full) this.#parts.gate.serverAsks(message);
    if (full || peer === undefined || (needed !== undefined && !peer.can(needed))) return this.#decline(message);
    if (peer.era === 'stateless') {
      if (!exchange || !this.#bridge.park(exchange, message)) this.#decline(message);
      return;
    }
    this.#ask(peer, exchange, message, raw);
  }

  #ask(peer: ExchangePeer, exchange: Exchange | undefined, message: ServerRequest, raw: Buffer): void {
    const { id, method } = message;
    const key = idKey(id);
    const { upstream, gate } = this.#parts;
    const { link } = upstream;
    const agentId = peer.ask(raw, exchange, (reply, answer) => {
      this.#asked.delete(key);
      const goOn = (refused: boolean): void => {
        if (link !== upstream.link) return;
        if (refused) return this.#decline(message);
        const gone = { code: CODE.internal, message: 'the client has gone' };
        link?.send(answer ? setMember(answer, ['id'], JSON.stringify(id)) : Buffer.from(encodeError(id, gone)));
      };
      refusesAnswer(gate, method, reply, goOn);
    });
    this.#asked.set(key, { peer, id: agentId });
  }

  async #roots(id: JsonRpcId): Promise<void> {
    const { link } = this.#parts.upstream;
    try {
      const { result, sent } = await this.#parts.roots.answer();
      link?.send(Buffer.from(encodeResult(id, result)));
      // Servers look at their new roots while they already read on (measured): what was held until now comes after one more turn.
      const ping = this.#parts.pending.add({ exchange: undefined, onReply: sent, onDown: () => {} });
      link?.send(Buffer.from(encodeRequest(ping, 'ping', undefined)));
    } catch {
      link?.send(Buffer.from(encodeError(id, { code: CODE.internal, message: 'the roots could not be found out' })));
    }
  }

  #decline({ id, method }: ServerRequest): void {
    const instead = substituteFor(method);
    this.#answer(instead.kind === 'result' ? encodeResult(id, instead.result) : encodeError(id, instead.error));
  }

  #answer(text: string): void {
    this.#parts.upstream.link?.send(Buffer.from(text));
  }

  #notification(method: string, params: unknown, raw: Buffer): void {
    const { pending, peers } = this.#parts;
    if (method === 'notifications/progress') {
      const exchange = isObject(params) ? pending.get(params.progressToken)?.exchange : undefined;
      if (exchange?.progressToken === undefined) return;
      exchange.onProgress?.();
      return exchange.send(setMember(raw, ['params', 'progressToken'], exchange.progressToken));
    }
    if (method === 'notifications/cancelled') {
      const { requestId } = isObject(params) ? params : {};
      const key = JSON.stringify(requestId) ?? '';
      const asked = this.#asked.get(key);
      this.#asked.delete(key);
      return asked?.peer.channel.send(setMember(raw, ['params', 'requestId'], JSON.stringify(asked.id)));
    }
    for (const peer of peers) if (!this.#bridge.notify(peer, method, params, raw)) peer.channel.send(raw);
  }
}
