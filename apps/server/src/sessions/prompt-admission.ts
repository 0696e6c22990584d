import { type ConnectionId, type JsonRpcId, ReeveError, type SessionId } from '@reeve/protocol';
import { readTurnEnd } from './past-answer.ts';
import { PromptGate } from './prompt-gate.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionStream } from './session-stream.ts';
import type { Prompt } from './turn.ts';
import { cancelledResult, withId } from './turn-answer.ts';
import type { TurnQueue } from './turn-queue.ts';

export interface PromptAdmissionOptions {
  readonly services: SessionServices;
  readonly sessionId: SessionId;
  readonly stream: SessionStream;
  readonly turns: TurnQueue;
  /** Bytes that the agent has not read of what it was sent. */
  readonly unreadBytes: () => number;
  readonly isEnding: () => boolean;
}

/**
 * Lets prompts of clients in, in the order in which they came: one whose idempotency key ran before gets the result of then, one that the
 * agent has no room for is refused.
 */
export class PromptAdmission {
  readonly #options: PromptAdmissionOptions;
  readonly #gate = new PromptGate();

  constructor(options: PromptAdmissionOptions) {
    this.#options = options;
  }

  /** Resolves when the prompt has its place or its answer; rejects when it is refused. */
  async admit(prompt: Prompt, key: string | undefined): Promise<void> {
    if (key === undefined && !this.#gate.busy) return this.#add(prompt);
    const { sessionId, stream, isEnding } = this.#options;
    let past: Buffer | undefined;
    const lookUp = async (): Promise<void> => {
      past = key === undefined ? undefined : await this.#pastResult(key);
    };
    return this.#gate.pass(prompt, lookUp, (cancelled) => {
      if (isEnding()) throw new ReeveError('session_closed', { data: { sessionId } });
      const answer = past ? withId(past, prompt.id) : cancelled ? Buffer.from(cancelledResult(prompt.id)) : undefined;
      if (answer) stream.sendAfter(prompt.port, stream.durableSeq, answer);
      else this.#add(prompt);
    });
  }

  /** Every prompt that is still looked up ends as cancelled. */
  cancelAll(): void {
    this.#gate.cancelAll();
  }

  /** True when that prompt is still looked up. */
  cancelOne(connection: ConnectionId, id: JsonRpcId): boolean {
    return this.#gate.cancelOne(connection, id);
  }

  #add(prompt: Prompt): void {
    const { services, turns, unreadBytes } = this.#options;
    const unread = unreadBytes();
    if (unread > services.limits.agentInputBytes) {
      throw new ReeveError('overloaded', {
        message: 'the agent does not read its input (limits.agentInputBytes)',
        data: { unreadBytes: unread },
      });
    }
    turns.add(prompt);
  }

  /** The response of a turn that ran under this key before, read from the log. */
  async #pastResult(key: string): Promise<Buffer | undefined> {
    const { services, sessionId, stream, turns } = this.#options;
    const turn = await services.store.findTurn(sessionId, key);
    if (!turn || turns.has(key)) return undefined;
    await stream.durable();
    const { promptSeq } = turn;
    const end = await readTurnEnd(services.log, { sessionId, promptSeq, lastSeq: stream.durableSeq });
    if (end) return end;
    throw new ReeveError('outcome_unknown');
  }
}
