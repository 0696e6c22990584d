import {
  type ConnectionId,
  type EventSeq,
  encodeError,
  type JsonRpcId,
  ourMeta,
  ReeveError,
  rpcError,
} from '@reeve/protocol';
import type { AgentConnection, AgentReply } from '../agents/agent-connection.ts';
import { crashError } from '../agents/agent-launch.ts';
import type { TraceId } from '../audit/trace-id.ts';
import { underTrace } from '../audit/trace-scope.ts';
import type { ClientPort } from './client-port.ts';
import { spokenChunks } from './spoken-chunks.ts';
import { type Joiner, newTurn, type Prompt, type Turn } from './turn.ts';
import { cancelledResult, withId, withPlace } from './turn-answer.ts';
import type { TurnHost } from './turn-host.ts';

/** What came of a `$/cancel_request`. */
export type CancelledOne =
  | { readonly kind: 'unknown' }
  /** Answered. */
  | { readonly kind: 'done' }
  /** The agent must be told, by the id that it knows. */
  | { readonly kind: 'tell-agent'; readonly agentId: JsonRpcId };

/**
 * The turns of one session, one at a time in the order of their prompts. A turn goes on without the client that began it.
 */
export class TurnQueue {
  readonly #host: TurnHost;
  readonly #turns: Turn[] = [];
  #onIdle: (() => void) | undefined;
  /** A cancelled turn that was answered though the agent has not ended it: until it does, the agent can take no other. */
  #overrun: Turn | undefined;
  /** Trace of the turn that ended because the agent's process did; until the next one begins. */
  #crashedIn: TraceId | undefined;

  constructor(host: TurnHost) {
    this.#host = host;
  }

  /** Whether a turn with this idempotency key runs or waits. */
  has(key: string): boolean {
    return this.#turns.some((turn) => turn.key === key);
  }

  /** Seq of the prompt that is being worked on. */
  get runningSince(): EventSeq | undefined {
    return this.#turns[0]?.promptSeq;
  }

  /** The agent works on a turn, also on one that was answered without it. */
  get busy(): boolean {
    return this.running || this.#overrun !== undefined;
  }

  get running(): boolean {
    return this.#turns.length > 0;
  }

  /** Turns whose prompt is not in the log yet, in their order: they wait for others, or for the agent to be there. */
  get waiting(): readonly Turn[] {
    return this.#turns.filter(({ promptSeq }) => promptSeq === undefined);
  }

  /** The turn that the agent works on was cancelled, and the agent has not ended it yet. */
  get cancelling(): boolean {
    return this.#overrun !== undefined || this.#turns[0]?.cancelled === true;
  }

  /** The id under which the agent knows the prompt that it works on. */
  get agentRequestId(): JsonRpcId | undefined {
    return this.#turns[0]?.agentRequestId;
  }

  /** Of what the agent works on, or ended in; undefined between turns. */
  get trace(): TraceId | undefined {
    return (this.#overrun ?? this.#turns[0])?.trace ?? this.#crashedIn;
  }

  /** The connection whose prompt is being worked on. */
  get prompter(): ClientPort | undefined {
    return this.#turns[0]?.prompt.port;
  }

  /** Takes a prompt. The answer comes as the turn's end; throws when it is refused at once. */
  add(prompt: Prompt): void {
    const meta = ourMeta(prompt.params);
    const key = typeof meta.idempotencyKey === 'string' ? meta.idempotencyKey : undefined;
    const same = key === undefined ? undefined : this.#turns.find((turn) => turn.key === key);
    if (same) {
      same.joiners.push({ port: prompt.port, id: prompt.id });
      return;
    }
    const place = this.#turns.length;
    if (place > 0 && meta.whenBusy === 'refuse') throw new ReeveError('turn_in_progress', { data: { ahead: place } });
    if (place > this.#host.maxQueued) {
      throw new ReeveError('queue_full', { message: `${place - 1} prompts wait already (limits.maxQueuedPrompts)` });
    }
    this.#turns.push(newTurn(prompt, key, place));
    if (place === 0) this.#begin();
    else this.#host.onChange();
  }

  /** `session/cancel`: the running turn is cancelled by the agent, those that wait end at once. */
  cancelAll(): void {
    const [running, ...waiting] = this.#turns;
    this.#turns.length = running ? 1 : 0;
    for (const turn of waiting) this.#end(turn, cancelledResult, 'reeve');
    if (running) this.#cancel(running);
  }

  /** Cancels the turn that the agent works on, and leaves those that wait. Resolves when it has ended, or after `graceMs`. */
  async interrupt(graceMs: number): Promise<void> {
    const turn = this.#turns[0];
    if (turn?.agentRequestId === undefined) return;
    this.#cancel(turn);
    await within(graceMs, (resolve) => {
      turn.onEnded = resolve;
    });
  }

  /**
   * `$/cancel_request` of a client that waits for the turn. Who joined it by the idempotency key cancels it when nobody else waits,
   * otherwise only its own request.
   */
  cancelOne(port: ClientPort, id: JsonRpcId): CancelledOne {
    const isIt = (other: Joiner): boolean => other.port.id === port.id && other.id === id;
    const turn = this.#turns.find(({ prompt, joiners }) => isIt(prompt) || joiners.some(isIt));
    if (!turn) return { kind: 'unknown' };
    const abandoned = turn.left || turn.prompt.port.gone;
    if (!isIt(turn.prompt) && !(abandoned && turn.joiners.length === 1)) {
      turn.joiners.splice(turn.joiners.findIndex(isIt), 1);
      const error = rpcError('request_cancelled', { message: 'the turn goes on for others who wait for it' });
      this.#host.sendAfter(port, 0 as EventSeq, Buffer.from(encodeError(id, error)));
      return { kind: 'done' };
    }
    this.#cancel(turn);
    return turn.ended ? { kind: 'done' } : { kind: 'tell-agent', agentId: turn.agentRequestId ?? null };
  }

  /** The prompter's id of a request that the agent knows as `agentId`, while its turn runs. */
  clientIdOf(agentId: JsonRpcId): Joiner | undefined {
    const turn = this.#turns[0];
    return turn && turn.agentRequestId === agentId ? { port: turn.prompt.port, id: turn.prompt.id } : undefined;
  }

  /** The client leaves the session: it is told so, the turns that it began or waits for go on. */
  leave(connection: ConnectionId, answer: (port: ClientPort, id: JsonRpcId) => void): void {
    for (const turn of this.#turns) {
      if (turn.prompt.port.id === connection && !turn.left) {
        turn.left = true;
        answer(turn.prompt.port, turn.prompt.id);
      }
      for (const joiner of turn.joiners.splice(0)) {
        if (joiner.port.id === connection) answer(joiner.port, joiner.id);
        else turn.joiners.push(joiner);
      }
    }
  }

  /**
   * Ends every turn because the session ends: those that wait at once, the running one by its agent's own answer, so that
   * what it says last comes before. An agent that takes longer than `graceMs` is answered for.
   */
  async finish(graceMs: number): Promise<void> {
    this.cancelAll();
    if (this.running) {
      await within(graceMs, (resolve) => {
        this.#onIdle = resolve;
      });
    }
    this.endAll();
  }

  /** Ends every turn now, whatever the agent does. */
  endAll(result: (id: JsonRpcId) => string = cancelledResult): void {
    for (const turn of [...this.#turns]) this.#end(turn, result, 'reeve');
  }

  /** One that the agent knows is ended by the agent, or after a while without it. */
  #cancel(turn: Turn): void {
    turn.cancelled = true;
    if (turn.agentRequestId === undefined) return this.#end(turn, cancelledResult, 'reeve');
    const { cancelMs } = this.#host;
    if (cancelMs > 0) turn.overdue ??= setTimeout(() => this.#giveUp(turn), cancelMs).unref();
  }

  /** The agent does not end the turn: its client is answered, what the agent still says is late. */
  #giveUp(turn: Turn): void {
    this.#overrun = turn;
    this.#host.onAnswered();
    this.#end(turn, (id) => cancelledResult(id, { overdue: true }), 'reeve');
  }

  #begin(): void {
    const turn = this.#turns[0];
    this.#host.onChange();
    if (!turn) return;
    underTrace(turn.trace, () => this.#start(turn)).catch((error: unknown) =>
      this.#end(turn, (id) => encodeError(id, this.#host.rpcErrorOf(error)), 'reeve'),
    );
  }

  async #start(turn: Turn): Promise<void> {
    const { prompt, key } = turn;
    const host = this.#host;
    this.#crashedIn = undefined;
    if (this.#overrun) {
      await host.replaceAgent();
      this.#overrun = undefined;
      if (turn.ended) return;
    }
    let connection = await host.agent();
    if (turn.ended) return;
    // Without a key the agent begins at once, and what it says first shares one write with what it was told.
    const seq = host.append(
      { source: 'client', kind: 'prompt', connection: prompt.port.id, message: prompt.raw },
      true,
    );
    turn.promptSeq = seq;
    for (const message of spokenChunks(host.sessionId, prompt.params)) {
      host.append({ source: 'client', kind: 'update', connection: prompt.port.id, message }, true);
    }
    if (key !== undefined) {
      // The agent must not see it before the key is on disk: after a crash the same prompt would run twice.
      const first = await host.rememberKey(key, seq);
      await host.durable(seq);
      if (turn.ended) return;
      if (!first) throw new ReeveError('outcome_unknown');
      // Meanwhile another process may have taken its place.
      connection = await host.agent();
      if (turn.ended) return;
    }
    turn.connection = connection;
    turn.agentRequestId = connection.request(host.forAgent(prompt), (reply) => this.#replied(turn, reply));
  }

  #replied(turn: Turn, reply: AgentReply): void {
    if (this.#overrun === turn) this.#overrun = undefined;
    if (reply.kind !== 'gone' && !turn.ended) this.#host.onAnswered();
    switch (reply.kind) {
      case 'result':
        this.#host.onOutcome();
        return this.#end(turn, (id) => withId(withPlace(reply.raw, turn.place), id), 'agent');
      case 'error':
        // ACP, prompt turn, cancellation: a cancelled turn ends with a stop reason, never with an error.
        if (turn.cancelled) return this.#end(turn, (id) => cancelledResult(id, { agentError: reply.error }), 'reeve');
        return this.#end(turn, (id) => withId(reply.raw, id), 'agent');
      case 'gone': {
        this.#crashedIn = turn.trace;
        if (turn.cancelled) return this.#end(turn, cancelledResult, 'reeve');
        const crash = crashError(this.#host.agentName, turn.connection as AgentConnection, reply.exit).toRpc();
        this.#host.onOutcome(crash);
        return this.#end(turn, (id) => encodeError(id, crash), 'reeve');
      }
    }
  }

  /** Writes the end of the turn; who waits for it gets it in the order of the log. Once per turn. */
  #end(turn: Turn, response: (id: JsonRpcId) => string | Buffer, source: 'agent' | 'reeve'): void {
    if (turn.ended) return;
    turn.ended = true;
    clearTimeout(turn.overdue);
    turn.onEnded?.();
    const { port, id } = turn.prompt;
    const message = Buffer.from(response(id));
    const connection = turn.left ? undefined : port.id;
    const seq = this.#host.append({ source, kind: 'turn_end', connection, message });
    for (const joiner of turn.joiners) this.#host.sendAfter(joiner.port, seq, Buffer.from(response(joiner.id)));
    const place = this.#turns.indexOf(turn);
    if (place >= 0) this.#turns.splice(place, 1);
    if (this.#turns.length === 0) this.#onIdle?.();
    if (place === 0) this.#begin();
  }
}

/** Resolves when what `begin` was given is called, or after `graceMs`. */
async function within(graceMs: number, begin: (resolve: () => void) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  begin(resolve);
  const timer = setTimeout(resolve, graceMs);
  await promise;
  clearTimeout(timer);
}
