import {
  type EventSeq,
  encodeError,
  type JsonRpcId,
  ourMeta,
  ReeveError,
  rpcError,
  type SessionId,
} from '@reeve/protocol';
import { newTraceId, type TraceId } from '../audit/trace-id.ts';
import { currentTrace } from '../audit/trace-scope.ts';
import type { ClientPort } from './client-port.ts';
import type { Foreground } from './foreground.ts';
import { readPromptResponse } from './past-answer.ts';
import type { SessionCommands } from './session-commands.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionStream } from './session-stream.ts';
import type { Prompt } from './turn.ts';
import { withId } from './turn-answer.ts';

export interface InsertedPromptsOptions {
  readonly services: SessionServices;
  readonly sessionId: SessionId;
  readonly stream: SessionStream;
  readonly commands: SessionCommands;
  readonly foreground: Foreground;
  /** Bytes that the agent has not read of what it was sent. */
  readonly unreadBytes: () => number;
  readonly onChange: () => void;
}

interface Open {
  readonly prompt: Prompt;
  readonly key: string | undefined;
  /** Clients that sent the same prompt again, and wait for the one answer. */
  readonly joiners: { readonly port: ClientPort; readonly id: JsonRpcId }[];
  /** Taken back before the agent had it. */
  withdrawn: boolean;
}

/**
 * The prompts of a session of ACP v2. Each goes to the agent at once, which answers when it has put it into the conversation; how its
 * work goes on is told by `state_update` (ACP v2, `PromptResponse`).
 */
export class InsertedPrompts {
  readonly #options: InsertedPromptsOptions;
  readonly #open = new Set<Open>();
  #trace: TraceId | undefined;

  constructor(options: InsertedPromptsOptions) {
    this.#options = options;
  }

  /** Of what the agent works on: that of the last prompt, until it is done; undefined between. */
  get trace(): TraceId | undefined {
    return this.pending > 0 || this.#options.foreground.busy ? this.#trace : undefined;
  }

  /** How many prompts the agent has not answered yet. */
  get pending(): number {
    return this.#open.size;
  }

  /** Takes a prompt; the answer comes by the stream. Rejects when it is refused. */
  async insert(prompt: Prompt, key: string | undefined): Promise<void> {
    const { services, foreground, unreadBytes, onChange } = this.#options;
    const same = key === undefined ? undefined : [...this.#open].find((open) => open.key === key);
    if (same) {
      same.joiners.push({ port: prompt.port, id: prompt.id });
      return;
    }
    if (ourMeta(prompt.params).whenBusy === 'refuse' && (foreground.busy || this.pending > 0)) {
      throw new ReeveError('turn_in_progress', { data: { ahead: Math.max(1, this.pending) } });
    }
    if (this.pending > services.limits.maxQueuedPrompts) {
      const message = `${this.pending} prompts wait already (limits.maxQueuedPrompts)`;
      throw new ReeveError('queue_full', { message });
    }
    const unread = unreadBytes();
    if (unread > services.limits.agentInputBytes) {
      const message = 'the agent does not read its input (limits.agentInputBytes)';
      throw new ReeveError('overloaded', { message, data: { unreadBytes: unread } });
    }
    const open: Open = { prompt, key, joiners: [], withdrawn: false };
    this.#open.add(open);
    this.#trace = currentTrace() ?? newTraceId();
    onChange();
    try {
      if (key === undefined || !(await this.#answeredBefore(open, key))) await this.#send(open);
    } catch (error) {
      this.#end(open, 0 as EventSeq, (id) => encodeError(id, services.rpcErrorOf(error)));
      throw error;
    }
  }

  /** `session/cancel`: prompts that the agent has not been sent yet are not sent (ACP v2, `CancelSessionNotification`). */
  withdrawAll(): void {
    for (const open of this.#open) open.withdrawn = true;
  }

  /** `$/cancel_request`. True when the agent does not know the request: it is answered here. */
  withdraw(port: ClientPort, id: JsonRpcId): boolean {
    const isIt = (it: { readonly port: ClientPort; readonly id: JsonRpcId }): boolean =>
      it.port.id === port.id && it.id === id;
    for (const open of this.#open) {
      const joined = open.joiners.findIndex(isIt);
      if (joined >= 0) {
        open.joiners.splice(joined, 1);
        this.#options.stream.sendAfter(
          port,
          0 as EventSeq,
          Buffer.from(encodeError(id, rpcError('request_cancelled'))),
        );
        return true;
      }
      if (isIt(open.prompt)) open.withdrawn = true;
    }
    return false;
  }

  async #send(open: Open): Promise<void> {
    const { services, sessionId, stream, commands } = this.#options;
    const { prompt, key } = open;
    await commands.send(
      { ...prompt, method: 'session/prompt' },
      {
        isWithdrawn: () => open.withdrawn,
        // The agent must not see it before the key is on disk: after a crash the same prompt would run twice.
        ...(key === undefined
          ? {}
          : {
              onLogged: async (promptSeq) => {
                const first = await services.store.putTurn({ sessionId, idempotencyKey: key, promptSeq });
                await stream.durable(promptSeq);
                if (!first) throw new ReeveError('outcome_unknown');
              },
            }),
        onAnswered: (message, seq) => this.#end(open, seq, (id) => withId(message, id)),
      },
    );
  }

  /** Answers a prompt whose key was used before, as it was answered then. */
  async #answeredBefore(open: Open, key: string): Promise<boolean> {
    const { services, sessionId, stream } = this.#options;
    const turn = await services.store.findTurn(sessionId, key);
    if (!turn) return false;
    await stream.durable();
    const { promptSeq } = turn;
    const past = await readPromptResponse(services.log, { sessionId, promptSeq, lastSeq: stream.durableSeq });
    if (!past) throw new ReeveError('outcome_unknown');
    const { port, id } = open.prompt;
    stream.sendAfter(port, stream.durableSeq, withId(past, id));
    this.#end(open, stream.durableSeq, (joiner) => withId(past, joiner));
    return true;
  }

  #end(open: Open, seq: EventSeq, response: (id: JsonRpcId) => string | Buffer): void {
    if (!this.#open.delete(open)) return;
    for (const { port, id } of open.joiners) this.#options.stream.sendAfter(port, seq, Buffer.from(response(id)));
    this.#options.onChange();
  }
}
