import { setTimeout as delay } from 'node:timers/promises';
import { encodeRequest, encodeResult, isObject, type JsonObject } from '@reeve/protocol';
import { refusesAnswer } from './agent-answers.ts';
import { neededFeature, substituteFor } from './client-feature.ts';
import type { Exchange, NextRound } from './exchange.ts';
import type { Reply } from './pending-requests.ts';
import type { RelayParts } from './relay-parts.ts';

/** A server that asks for nothing but a later try is tried again after this. */
const PACE_MS = 250;

interface Own extends NextRound {
  /** For the roots in it. */
  readonly told: readonly (() => void)[];
}

interface Kept extends Own {
  readonly token: string;
}

/**
 * Servers of the stateless era that need something for a call answer it with `input_required`. Roots are answered here in any case. The
 * rest is asked of an agent of the older era while its call goes on, and passed on to one of the same era, which sends its call again.
 */
export class InputRounds {
  readonly #parts: RelayParts;
  /** Our part of what agents will send again, the oldest first. */
  readonly #kept: Kept[] = [];

  constructor(parts: RelayParts) {
    this.#parts = parts;
  }

  /** @returns whether the answer was no answer yet; then `send` is called for the next round */
  take(exchange: Exchange, message: Reply, send: (exchange: Exchange) => void): boolean {
    const result = message.kind === 'result' ? message.result : undefined;
    if (!isObject(result) || result.resultType !== 'input_required') return false;
    exchange.upstreamId = undefined;
    exchange.rounds += 1;
    const { mcpInputRounds } = this.#parts.limits;
    if (exchange.rounds > mcpInputRounds) {
      exchange.refuse(`The server asked for input more than ${mcpInputRounds} times (limits.mcpInputRounds).`);
      return true;
    }
    this.#round(exchange, result, send).catch((error: unknown) => {
      exchange.refuse(`The server asked for something that could not be answered: ${String(error)}`);
    });
    return true;
  }

  /** Puts our part to what an agent sends again, and takes away what is not its own to say. */
  complete(exchange: Exchange): void {
    const { requestState, inputResponses } = isObject(exchange.params) ? exchange.params : {};
    const at = this.#kept.findIndex(({ token }) => token === requestState);
    const [kept] = at < 0 ? [] : this.#kept.splice(at, 1);
    const given = isObject(inputResponses) ? inputResponses : {};
    const theirs = withoutRoots(given);
    if (!kept) {
      const isLess = Object.keys(theirs).length < Object.keys(given).length;
      const state = typeof requestState === 'string' ? requestState : undefined;
      if (isLess) exchange.nextRound = { requestState: state, inputResponses: theirs };
      return;
    }
    for (const sent of kept.told) sent();
    exchange.nextRound = { requestState: kept.requestState, inputResponses: { ...theirs, ...kept.inputResponses } };
  }

  async #round(exchange: Exchange, result: JsonObject, send: (exchange: Exchange) => void): Promise<void> {
    const requestState = typeof result.requestState === 'string' ? result.requestState : undefined;
    const requests = isObject(result.inputRequests) ? result.inputRequests : {};
    const inputResponses: Record<string, unknown> = {};
    const forAgent: Record<string, unknown> = {};
    const told: (() => void)[] = [];
    for (const [key, request] of Object.entries(requests)) {
      if (!isObject(request) || typeof request.method !== 'string') throw new Error('no input request');
      const { method, params } = request;
      const feature = neededFeature(method);
      this.#parts.gate.serverAsks({ method, params });
      if (method === 'roots/list') {
        const roots = await this.#parts.roots.answer();
        inputResponses[key] = roots.result;
        told.push(roots.sent);
      } else if (feature === undefined || !exchange.peer.can(feature)) inputResponses[key] = substitute(method);
      else if (exchange.era === 'stateless') forAgent[key] = request;
      else inputResponses[key] = await this.#ask(exchange, method, params);
    }
    if (exchange.settled) return;
    const forwards =
      Object.keys(forAgent).length > 0 || (exchange.era === 'stateless' && Object.keys(requests).length === 0);
    if (forwards) return this.#forward(exchange, result, forAgent, { inputResponses, requestState, told });
    if (Object.keys(requests).length === 0) await delay(PACE_MS);
    exchange.nextRound = { inputResponses, requestState };
    send(exchange);
    for (const sent of told) sent();
  }

  #forward(exchange: Exchange, result: JsonObject, forAgent: JsonObject, own: Own): void {
    let { requestState } = own;
    if (Object.keys(own.inputResponses).length > 0) {
      const token = crypto.randomUUID();
      this.#kept.push({ ...own, token });
      if (this.#kept.length > this.#parts.limits.mcpCalls) this.#kept.shift();
      requestState = token;
    }
    const { requestState: _, inputRequests: _requests, ...rest } = result;
    const state = requestState === undefined ? {} : { requestState };
    const inputRequests = Object.keys(forAgent).length === 0 ? {} : { inputRequests: forAgent };
    exchange.answer(Buffer.from(encodeResult(exchange.id, { ...rest, ...inputRequests, ...state })), 'completed');
  }

  /** Asks an agent of the older era, which answers while its call goes on. */
  #ask(exchange: Exchange, method: string, params: unknown): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const raw = Buffer.from(encodeRequest(0, method, params));
    exchange.peer.ask(raw, exchange, (reply) => {
      if (reply?.kind === 'result')
        refusesAnswer(this.#parts.gate, method, reply, (refused) =>
          refused ? reject(new Error('the client declined')) : resolve(reply.result),
        );
      else if (method === 'elicitation/create') resolve({ action: 'cancel' });
      else reject(new Error(reply?.kind === 'error' ? reply.error.message : 'the client has gone'));
    });
    exchange.onSettled(() => reject(new Error('the call was cancelled')));
    return promise;
  }
}

/** Which roots there are is ours to say, also where the server did not ask. */
function withoutRoots(responses: JsonObject): JsonObject {
  const tellsRoots = (value: unknown) => isObject(value) && Object.keys(value).some((key) => /^roots$/iu.test(key));
  return Object.fromEntries(Object.entries(responses).filter(([, value]) => !tellsRoots(value)));
}

function substitute(method: string): unknown {
  const instead = substituteFor(method);
  if (instead.kind === 'result') return instead.result;
  throw new Error(instead.error.message);
}
