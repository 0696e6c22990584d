import { mcpRootList } from '@reeve/policy';
import type { JsonObject } from '@reeve/protocol';
import type { ServerGuard } from '../../boundary/server-guard.ts';
import type { CallGate } from '../call-gate.ts';
import type { GatewayLimits } from '../gateway-limits.ts';

export interface RootsAnswersParts {
  readonly guard: ServerGuard;
  readonly gate: CallGate;
  readonly limits: GatewayLimits;
}

export interface RootsAnswer {
  readonly result: JsonObject;
  /** To be called once it is on its way to the server. */
  sent(): void;
}

/** So long an answer serves all asks of its revision: each answer is recorded, and a server may ask without end. */
const SHARED_MS = 100;

/**
 * Answers the server's asks for roots, in either era: what is approved, after waiting for people as long as the server may be expected
 * to wait. The agent is never asked.
 */
export class RootsAnswers {
  readonly #parts: RootsAnswersParts;
  #last: { readonly revision: number; readonly answer: Promise<RootsAnswer> } | undefined;

  constructor(parts: RootsAnswersParts) {
    this.#parts = parts;
  }

  answer(): Promise<RootsAnswer> {
    const { revision } = this.#parts.guard.scope();
    if (this.#last?.revision === revision) return this.#last.answer;
    const answer = this.#ask();
    const last = { revision, answer };
    this.#last = last;
    const forget = () => {
      if (this.#last === last) this.#last = undefined;
    };
    answer.then(() => setTimeout(forget, SHARED_MS).unref(), forget);
    return answer;
  }

  async #ask(): Promise<RootsAnswer> {
    const { guard, gate, limits } = this.#parts;
    const { roots, revision } = await guard.expose('server', AbortSignal.timeout(limits.mcpRootsMs));
    return { result: { roots: mcpRootList(roots).roots }, sent: () => gate.rootsAnswered(revision) };
  }
}
