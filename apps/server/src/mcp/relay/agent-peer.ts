import { idKey, isObject, type JsonObject, type JsonRpcId, type RpcMessage, setMember } from '@reeve/protocol';
import type { McpEra } from '../server-status.ts';
import { ambiguity } from '../wire/ambiguous-message.ts';
import { implementationOf } from '../wire/read-meta.ts';
import type { AgentChannel, ReplyChannel } from './agent-channel.ts';
import { type Answered, Exchange, type ExchangePeer } from './exchange.ts';

export interface AgentPeerListener {
  onRequest(exchange: Exchange): void;
  onNotification(peer: AgentPeer, method: string, params: unknown, raw: Buffer): void;
  /** The agent does not wait for this request any more, and did not say so. */
  onLeft(exchange: Exchange): void;
  onGone(peer: AgentPeer): void;
}

/** One connection of an agent to the endpoint of one server: what it said of itself and what is open between it and us. */
export class AgentPeer implements ExchangePeer {
  readonly channel: AgentChannel;
  readonly #listener: AgentPeerListener;
  readonly #open = new Map<string, Exchange>();
  readonly #asked = new Map<string, Answered>();
  #askedCount = 0;
  #gone = false;
  era: McpEra | undefined;
  clientInfo: unknown;
  /** What its client can do, as it said last. */
  capabilities: JsonObject = {};
  /** It was told of tools, resources and prompts before the server was open. */
  provisional = false;
  logLevel: string | undefined;

  constructor(channel: AgentChannel, listener: AgentPeerListener) {
    this.channel = channel;
    this.#listener = listener;
  }

  get client(): { readonly name: string; readonly version: string } | undefined {
    return implementationOf(this.clientInfo);
  }

  /** Requests that are not answered. */
  get exchanges(): Iterable<Exchange> {
    return this.#open.values();
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** @returns what a request became; `leave` when the agent cannot be answered any more */
  receive(message: RpcMessage, raw: Buffer, reply: ReplyChannel): { leave(): void } | undefined {
    const twofold = ambiguity(raw, message.kind);
    switch (message.kind) {
      case 'request': {
        const { id, method, params } = message;
        const exchange = new Exchange({ peer: this, id, method, params, raw, reply });
        const key = idKey(id);
        this.#open.set(key, exchange);
        exchange.onSettled(() => {
          if (this.#open.get(key) === exchange) this.#open.delete(key);
        });
        if (twofold === undefined) this.#listener.onRequest(exchange);
        else exchange.refuse(twofold, 'refused');
        return { leave: () => this.#listener.onLeft(exchange) };
      }
      case 'notification':
        if (twofold === undefined) this.#listener.onNotification(this, message.method, message.params, raw);
        return undefined;
      case 'result':
      case 'error': {
        const key = idKey(message.id);
        const answered = this.#asked.get(key);
        this.#asked.delete(key);
        if (twofold === undefined) answered?.(message, raw);
        else answered?.(undefined, undefined);
        return undefined;
      }
    }
  }

  /** The request that the agent means by this id. */
  exchange(id: unknown): Exchange | undefined {
    return typeof id === 'string' || typeof id === 'number' ? this.#open.get(idKey(id)) : undefined;
  }

  ask(raw: Buffer, through: Pick<Exchange, 'settled' | 'send'> | undefined, onAnswer: Answered): JsonRpcId {
    this.#askedCount += 1;
    const id = `reeve-${this.#askedCount}`;
    if (this.#gone) {
      onAnswer(undefined, undefined);
      return id;
    }
    this.#asked.set(idKey(id), onAnswer);
    const request = setMember(raw, ['id'], JSON.stringify(id));
    if (through && !through.settled) through.send(request);
    else this.channel.send(request);
    return id;
  }

  can(capability: string): boolean {
    return isObject(this.capabilities[capability]);
  }

  gone(): void {
    if (this.#gone) return;
    this.#gone = true;
    for (const exchange of [...this.#open.values()]) this.#listener.onLeft(exchange);
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    for (const answered of asked) answered(undefined, undefined);
    this.#listener.onGone(this);
  }
}
