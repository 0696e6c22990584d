import type { CallAnswerer, CallQuestion, CallRefuser, ServerGuard } from '../../boundary/server-guard.ts';
import { AskedMeta } from './asked-meta.ts';
import * as say from './refusal-text.ts';
import { waitUntil } from './wait-until.ts';

/** Why a call is not passed on, and what its agent is told. */
export interface Refusal {
  readonly by: CallRefuser;
  readonly text: string;
  /** Where somebody was asked. */
  readonly asked?: CallAnswerer;
}

/** Why holds end: the agent's turn was cancelled. */
export class Dropped extends Error {}

export type Answer =
  /** `unasked`: members of `_meta` that a person was not asked about, and that do not go with the call. */
  | { readonly kind: 'approved'; readonly unasked: readonly string[]; readonly asked: CallAnswerer }
  | ({ readonly kind: 'refuse' } & Refusal);

/** How long somebody is waited for. */
export interface Waiting {
  /** Aborts when the call is taken back, or its turn cancelled. */
  readonly held: AbortSignal;
  /** The same, and when the agent has no more patience. */
  readonly deadline: AbortSignal;
}

/** Puts calls of one server to people: two of the same call one after the other. */
export class CallQuestions {
  readonly #guard: Pick<ServerGuard, 'server' | 'askCall' | 'dropCall'>;
  /** The last question about each call. */
  readonly #asking = new Map<string, Promise<void>>();
  readonly #meta = new AskedMeta();

  constructor(guard: Pick<ServerGuard, 'server' | 'askCall' | 'dropCall'>) {
    this.#guard = guard;
  }

  /** @param params of the call, whose `_meta` is no part of the question's key */
  async ask(question: CallQuestion, params: unknown, waiting: Waiting): Promise<Answer> {
    const { key } = question;
    const before = this.#asking.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#asking.set(key, promise);
    try {
      if (before !== undefined) await waitUntil(before, waiting.deadline);
      return await this.#askNow(question, params, waiting);
    } finally {
      resolve();
      if (this.#asking.get(key) === promise) this.#asking.delete(key);
    }
  }

  async #askNow(question: CallQuestion, params: unknown, { held, deadline }: Waiting): Promise<Answer> {
    const { key, outcome } = question;
    const { name } = this.#guard.server;
    if (!deadline.aborted) this.#meta.ask(key, params);
    const approval = deadline.aborted ? ({ kind: 'pending' } as const) : await this.#guard.askCall(question, deadline);
    const { kind: _, ...asked } = approval;
    if (approval.kind === 'approved') return { kind: 'approved', unasked: this.#meta.settle(key, params), asked };
    if (approval.kind === 'denied') {
      this.#meta.settle(key, params);
      const by = approval.by === undefined ? 'gate' : 'person';
      return { kind: 'refuse', by, text: say.declinedText(name), asked };
    }
    if (!held.aborted) return { kind: 'refuse', by: 'deadline', text: say.pendingText(name, outcome), asked };
    const text = reasonOf(held);
    this.#meta.settle(key, params);
    this.#guard.dropCall(key, text);
    return { kind: 'refuse', by: 'caller', text, asked };
  }
}

/** What an agent is told whose call is no longer held. */
export function reasonOf({ reason }: AbortSignal): string {
  return reason instanceof Dropped ? reason.message : 'The call was taken back.';
}
