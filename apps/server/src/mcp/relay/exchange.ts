import { encodeResult, type JsonObject, type JsonRpcId, type RpcMessage } from '@reeve/protocol';
import type { CallEnd } from '../../boundary/server-guard.ts';
import type { McpEra } from '../server-status.ts';
import { claimedVersion, progressTokenOf } from '../wire/read-meta.ts';
import { refusalAnswer } from '../wire/refusal-answer.ts';
import type { AgentChannel, ReplyChannel } from './agent-channel.ts';

/** What goes with a call that is sent again: answers to what the server asked, and its state, byte for byte (MCP 2026-07-28). */
export interface NextRound {
  readonly inputResponses: JsonObject;
  readonly requestState: string | undefined;
}

/** Called once with the agent's answer; with nothing when the agent is gone, or said it in two ways. */
export type Answered = (
  message: Extract<RpcMessage, { kind: 'result' | 'error' }> | undefined,
  raw: Buffer | undefined,
) => void;

/** The connection of an agent that a request came by: what it said of itself, and how it is asked. */
export interface ExchangePeer {
  readonly channel: AgentChannel;
  era: McpEra | undefined;
  clientInfo: unknown;
  /** What its client can do, as it said last. */
  capabilities: JsonObject;
  /** It was told of tools, resources and prompts before the server was open. */
  provisional: boolean;
  logLevel: string | undefined;
  readonly client: { readonly name: string; readonly version: string } | undefined;
  /** Whether its client offers this, `elicitation` for example. */
  can(capability: string): boolean;
  /**
   * Sends a request of the server, its id replaced by ours.
   * @param through the request of the agent that it belongs to
   * @returns the id that the agent knows it by
   */
  ask(raw: Buffer, through: Pick<Exchange, 'settled' | 'send'> | undefined, onAnswer: Answered): JsonRpcId;
}

export interface ExchangeRequest {
  readonly peer: ExchangePeer;
  readonly id: JsonRpcId;
  readonly method: string;
  readonly params: unknown;
  readonly raw: Buffer;
  readonly reply: ReplyChannel;
}

/** One request of an agent until it is answered, once. */
export class Exchange {
  readonly peer: ExchangePeer;
  readonly id: JsonRpcId;
  readonly method: string;
  readonly params: unknown;
  readonly raw: Buffer;
  /** How the agent speaks in this request. */
  readonly era: McpEra;
  /** Its progress token as JSON text. */
  readonly progressToken: string | undefined;
  /** Made for who asks: most calls are let through at once, and then nobody does. */
  #abort: AbortController | undefined;
  #takenBack: Error | undefined;
  readonly #reply: ReplyChannel;
  readonly #onSettled: (() => void)[] = [];
  #settled = false;
  #done: ((end: CallEnd) => void) | undefined;
  /** Of the request to the server that stands for it now. */
  upstreamId: number | undefined;
  /** How often the server asked for something before it answered. */
  rounds = 0;
  /** What goes with it when it is sent to the server again. */
  nextRound: NextRound | undefined;
  /** Members of its `_meta` that do not go to the server. */
  withoutMeta: readonly string[] = [];
  /** Called at each progress notification of the server. */
  onProgress: (() => void) | undefined;
  /** It was sent to a process that ended, and is sent once more. */
  repeated = false;

  constructor(request: ExchangeRequest) {
    this.peer = request.peer;
    this.id = request.id;
    this.method = request.method;
    this.params = request.params;
    this.raw = request.raw;
    this.#reply = request.reply;
    this.era = claimedVersion(request.params) === undefined ? 'initialize' : 'stateless';
    this.progressToken = progressTokenOf(request.params);
  }

  get settled(): boolean {
    return this.#settled;
  }

  /** Aborts when the agent takes it back or is gone. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#takenBack !== undefined) this.#abort.abort(this.#takenBack);
    return this.#abort.signal;
  }

  /** Once let through, `done` is told how it ended. */
  begun(done: (end: CallEnd) => void): void {
    this.#done = done;
  }

  onSettled(listener: () => void): void {
    this.#onSettled.push(listener);
  }

  /** Something that belongs to it, before its answer. */
  send(raw: Buffer): void {
    if (!this.#settled) this.#reply.send(raw);
  }

  answer(raw: Buffer, end: CallEnd): void {
    if (this.#settled) return;
    this.#settled = true;
    // Who waits has it first; the record is written in the same tick.
    try {
      this.#reply.answer(raw);
    } finally {
      this.#ended(end);
    }
  }

  /** Answers with a result of our own. */
  answerWith(result: JsonObject): void {
    const complete = this.era === 'stateless' ? { resultType: 'complete', ...result } : result;
    this.answer(Buffer.from(encodeResult(this.id, complete)), 'completed');
  }

  refuse(text: string, end: CallEnd = 'failed'): void {
    this.answer(refusalAnswer(this.id, this.method, text, this.era), end);
  }

  /** Answers the agent for now; the call has not ended, another exchange goes on with it. */
  pause(raw: Buffer): void {
    if (this.#settled) return;
    this.#settled = true;
    for (const listener of this.#onSettled) listener();
    this.#reply.answer(raw);
  }

  /** Takes over the end of a call that was paused. */
  goOnFrom(paused: Exchange): void {
    this.#done = paused.#done;
    this.rounds = paused.rounds + 1;
    paused.#done = undefined;
  }

  /** Nobody goes on with it. */
  giveUp(): void {
    this.#done?.('cancelled');
    this.#done = undefined;
  }

  /** The agent does not wait for it any more: no answer is sent. */
  takeBack(reason: string): void {
    if (!this.#settle('cancelled')) return;
    this.#takenBack = new Error(reason);
    this.#abort?.abort(this.#takenBack);
  }

  #settle(end: CallEnd): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#ended(end);
    return true;
  }

  #ended(end: CallEnd): void {
    for (const listener of this.#onSettled) listener();
    this.#done?.(end);
  }
}
