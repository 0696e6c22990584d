import {
  EXTENSION,
  encodeError,
  encodeResult,
  idKey,
  type JsonObject,
  type JsonRpcId,
  ourMeta,
  rpcError,
} from '@reeve/protocol';
import { CallError } from './call-error.ts';

/** A request of the agent, as this connection was asked it. */
export interface AgentRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** The id under which anybody can answer it over HTTP; only what waits for a person has one. */
  readonly requestId: string | undefined;
  /** Aborts when an answer is no longer wanted: somebody else gave it, it was taken back, or the connection is gone. */
  readonly signal: AbortSignal;
}

/** What a handler gives to leave a request to others; it stays open on the server. */
export const LEAVE_UNANSWERED = Symbol('leave unanswered');

/** The result to send, or `LEAVE_UNANSWERED`; what it throws is answered as an error. */
export type RequestHandler = (request: AgentRequest) => unknown;

/** Methods that wait for a person: without a handler they are left open, where all others are refused. */
const FOR_PEOPLE: ReadonlySet<string> = new Set([
  'session/request_permission',
  'elicitation/create',
  EXTENSION.requestQuestion,
]);

interface Open {
  readonly requestId: string | undefined;
  readonly controller: AbortController;
}

/** The requests that one socket has brought and that have no answer yet. */
export class IncomingRequests {
  readonly #open = new Map<string, Open>();
  readonly #handler: RequestHandler | undefined;
  readonly #send: (text: string) => void;

  constructor(handler: RequestHandler | undefined, send: (text: string) => void) {
    this.#handler = handler;
    this.#send = send;
  }

  take(id: JsonRpcId, method: string, params: JsonObject): void {
    const requestId = ourMeta(params).requestId;
    const open: Open = {
      requestId: typeof requestId === 'string' ? requestId : undefined,
      controller: new AbortController(),
    };
    this.#open.set(idKey(id), open);
    void this.#answer(id, open, method, params);
  }

  /** The server takes one back (`$/cancel_request`): it wants an error for an answer. */
  cancel(id: JsonRpcId): void {
    const open = this.#open.get(idKey(id));
    if (!open) return;
    this.#open.delete(idKey(id));
    this.#send(encodeError(id, rpcError('request_cancelled')));
    open.controller.abort(new Error('the agent took the request back'));
  }

  /** Somebody else answered. */
  resolved(requestId: unknown): void {
    for (const [key, open] of this.#open) {
      if (open.requestId === undefined || open.requestId !== requestId) continue;
      this.#open.delete(key);
      open.controller.abort(new Error('the request was answered elsewhere'));
    }
  }

  /** The socket is gone; what still waits is asked again on the next one. */
  drop(): void {
    const all = [...this.#open.values()];
    this.#open.clear();
    for (const { controller } of all) controller.abort(new Error('the connection is gone'));
  }

  async #answer(id: JsonRpcId, open: Open, method: string, params: JsonObject): Promise<void> {
    const reply = await this.#reply(id, { method, params, requestId: open.requestId, signal: open.controller.signal });
    if (this.#open.get(idKey(id)) !== open) return;
    if (reply === undefined) return;
    this.#open.delete(idKey(id));
    this.#send(reply);
  }

  async #reply(id: JsonRpcId, request: AgentRequest): Promise<string | undefined> {
    if (!this.#handler) {
      const { method } = request;
      return FOR_PEOPLE.has(method) ? undefined : encodeError(id, rpcError('method_not_found', { data: { method } }));
    }
    try {
      const result = await this.#handler(request);
      return result === LEAVE_UNANSWERED ? undefined : encodeResult(id, result ?? null);
    } catch (error) {
      if (error instanceof CallError && error.rpcCode !== undefined) {
        return encodeError(id, { code: error.rpcCode, message: error.message, data: error.data });
      }
      return encodeError(id, rpcError('internal_error', { data: { details: String(error) } }));
    }
  }
}
