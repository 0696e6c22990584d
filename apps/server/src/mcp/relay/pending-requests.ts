import type { RpcMessage } from '@reeve/protocol';
import type { Exchange } from './exchange.ts';

export type Reply = Extract<RpcMessage, { kind: 'result' | 'error' }>;

/** What waits for an answer of the server. */
export interface Pending {
  /** The agent's request that it stands for; undefined for requests of our own. */
  readonly exchange: Exchange | undefined;
  onReply(message: Reply, raw: Buffer): void;
  /** The server ended without an answer. */
  onDown(reason: string): void;
}

/** Requests to one server by the ids that Reeve gave them, counted from 1. The id is the progress token too. */
export class PendingRequests {
  readonly #open = new Map<number, Pending>();
  #last = 0;

  get size(): number {
    return this.#open.size;
  }

  add(pending: Pending): number {
    this.#last += 1;
    this.#open.set(this.#last, pending);
    return this.#last;
  }

  /** The same request is waited for in another way. */
  replace(id: number, pending: Pending): void {
    if (this.#open.has(id)) this.#open.set(id, pending);
  }

  get(id: unknown): Pending | undefined {
    return typeof id === 'number' ? this.#open.get(id) : undefined;
  }

  /** The agent's request that the server most probably works on. */
  latestExchange(): Exchange | undefined {
    let latest: Exchange | undefined;
    for (const { exchange } of this.#open.values()) if (exchange && !exchange.settled) latest = exchange;
    return latest;
  }

  /** Takes the request out; undefined when nothing waits for it. */
  take(id: unknown): Pending | undefined {
    const pending = this.get(id);
    if (pending) this.#open.delete(id as number);
    return pending;
  }

  down(reason: string): void {
    const all = [...this.#open.values()];
    this.#open.clear();
    for (const pending of all) pending.onDown(reason);
  }
}
