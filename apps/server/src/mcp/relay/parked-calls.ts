import { encodeError, encodeResult, isObject, type JsonRpcId, type RpcMessage } from '@reeve/protocol';
import { cancelled } from '../wire/cancelled.ts';
import { CODE } from '../wire/mcp-keys.ts';
import type { Exchange } from './exchange.ts';
import type { Pending, Reply } from './pending-requests.ts';
import type { RelayParts } from './relay-parts.ts';

type ServerRequest = Extract<RpcMessage, { kind: 'request' }>;

/** How long an agent may take to send its call again. */
const PARKED_MS = 10 * 60_000;
const KEY = 'asked';

interface Parked {
  /** The call as it was begun; the server still works on it. */
  readonly begun: Exchange;
  readonly upstreamId: number;
  readonly asked: JsonRpcId;
  readonly timer: NodeJS.Timeout;
  /** The end of the call, where the server did not wait. */
  reply: { readonly message: Reply; readonly raw: Buffer } | undefined;
}

/**
 * A server of the older era asks while it works on a call, an agent of the stateless era is asked by the answer to its call. Between
 * the two the call of the server is parked until the agent sends its own again. That one is not forwarded: it goes on with the first.
 */
export class ParkedCalls {
  readonly #parts: RelayParts;
  readonly #parked = new Map<string, Parked>();

  constructor(parts: RelayParts) {
    this.#parts = parts;
  }

  park(exchange: Exchange, { id, method, params }: ServerRequest): boolean {
    const { pending, limits } = this.#parts;
    const { upstreamId } = exchange;
    if (upstreamId === undefined || this.#parked.size >= limits.mcpCalls) return false;
    const token = crypto.randomUUID();
    const timer = setTimeout(() => this.#drop(token), PARKED_MS);
    timer.unref();
    const parked: Parked = { begun: exchange, upstreamId, asked: id, timer, reply: undefined };
    this.#parked.set(token, parked);
    pending.replace(upstreamId, {
      exchange: undefined,
      onReply: (message, raw) => {
        parked.reply = { message, raw };
      },
      onDown: () => this.#drop(token),
    });
    const inputRequests = { [KEY]: { method, ...(params === undefined ? {} : { params }) } };
    exchange.pause(
      Buffer.from(encodeResult(exchange.id, { resultType: 'input_required', inputRequests, requestState: token })),
    );
    return true;
  }

  /**
   * Goes on with a call that the agent sends again.
   * @param waiting what becomes of the server's answer from now on
   * @returns false when nothing is parked for it
   */
  resume(
    exchange: Exchange,
    waiting: (message: Reply, raw: Buffer) => void,
    onDown: (reason: string) => void,
  ): boolean {
    const { requestState, inputResponses } = isObject(exchange.params) ? exchange.params : {};
    const token = typeof requestState === 'string' ? requestState : '';
    const parked = this.#parked.get(token);
    if (!parked || parked.begun.method !== exchange.method) return false;
    this.#parked.delete(token);
    clearTimeout(parked.timer);
    const { pending, upstream } = this.#parts;
    exchange.goOnFrom(parked.begun);
    if (parked.reply) waiting(parked.reply.message, parked.reply.raw);
    else {
      exchange.upstreamId = parked.upstreamId;
      const next: Pending = { exchange, onReply: waiting, onDown };
      pending.replace(parked.upstreamId, next);
      const answer = isObject(inputResponses) ? inputResponses[KEY] : undefined;
      const missing = { code: CODE.internal, message: 'the client did not answer' };
      const text = isObject(answer) ? encodeResult(parked.asked, answer) : encodeError(parked.asked, missing);
      upstream.link?.send(Buffer.from(text));
    }
    return true;
  }

  /** The agent has gone: nobody will send it again. */
  leave(peer: Exchange['peer']): void {
    for (const [token, { begun }] of this.#parked) if (begun.peer === peer) this.#drop(token);
  }

  #drop(token: string): void {
    const parked = this.#parked.get(token);
    if (!parked) return;
    this.#parked.delete(token);
    clearTimeout(parked.timer);
    const { pending, upstream } = this.#parts;
    if (pending.take(parked.upstreamId)) {
      upstream.link?.cancel(parked.upstreamId, cancelled(parked.upstreamId));
    }
    parked.begun.giveUp();
  }
}
