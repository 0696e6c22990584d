import { encodeRequest, isObject, type RpcMessage } from '@reeve/protocol';
import type { AgentPeer } from './agent-peer.ts';
import type { Exchange } from './exchange.ts';
import type { Reply } from './pending-requests.ts';
import type { RelayParts } from './relay-parts.ts';

/** What differs between the eras beyond a member here and there, and what a server is told again after it was started again. */
export class EraBridge {
  readonly #parts: RelayParts;

  constructor(parts: RelayParts) {
    this.#parts = parts;
  }

  /** @returns whether the request is dealt with here */
  handle(_exchange: Exchange): boolean {
    return false;
  }

  /** @returns whether the answer is no answer yet, and is dealt with here */
  answered(_exchange: Exchange, _message: Reply, _send: (exchange: Exchange) => void): boolean {
    return false;
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
  park(_exchange: Exchange, _message: RpcMessage): boolean {
    return false;
  }

  /** @returns whether the notification is dealt with here */
  notify(_peer: AgentPeer, _method: string, _params: unknown, _raw: Buffer): boolean {
    return false;
  }

  /** The server is open, perhaps again. */
  opened(): void {
    const { upstream, standing, pending } = this.#parts;
    if (upstream.facts?.era !== 'initialize') return;
    const ask = (method: string, params: unknown): void => {
      const id = pending.add({ exchange: undefined, onReply: () => {}, onDown: () => {} });
      upstream.link?.send(Buffer.from(encodeRequest(id, method, params)));
    };
    if (standing.logLevel !== undefined) ask('logging/setLevel', { level: standing.logLevel });
    for (const uri of standing.resources) ask('resources/subscribe', { uri });
  }
}
