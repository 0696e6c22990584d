import {
  type ConnectionId,
  type EventSeq,
  encodeError,
  type JsonObject,
  type JsonRpcId,
  type LeaseEpoch,
  ReeveError,
  rpcError,
  type SessionId,
} from '@reeve/protocol';
import type { Enforcement } from '@reeve/sandbox';
import { crashError, type LaunchedAgent } from '../agents/agent-launch.ts';
import type { RestoredBy } from './agent-restore.ts';
import { AskedRequests } from './asked-requests.ts';
import type { Attachment } from './attachment.ts';
import { ClientCommands } from './client-commands.ts';
import type { ClientPort, Role } from './client-port.ts';
import { readTurnEnd } from './past-turn.ts';
import { PromptGate } from './prompt-gate.ts';
import { RecordKeeper } from './record-keeper.ts';
import { SessionAgent, type StartWith } from './session-agent.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionRecord } from './session-store.ts';
import { SessionStream } from './session-stream.ts';
import { setupAfterCommand } from './setup-state.ts';
import { cancelledResult, type Prompt, TurnQueue, withId } from './turn-queue.ts';

export type EndReason = 'closed' | 'idle' | 'deleted' | 'shutdown';

export type SessionState = 'running' | 'waiting' | 'idle' | 'dormant';

/** How long an agent may take to end its turn itself when the session ends. */
const LAST_WORDS_MS = 500;

export interface SessionOptions {
  readonly services: SessionServices;
  readonly record: SessionRecord;
  readonly lease: { readonly epoch: LeaseEpoch; readonly lastSeq: EventSeq };
  readonly startWith: StartWith;
  /** The session cannot go on, or nobody needs it in memory any more. */
  readonly onEnd: (session: Session) => void;
}

/** A message of a client that names this session. */
export interface Command {
  readonly port: ClientPort;
  readonly id: JsonRpcId;
  readonly method: string;
  readonly params: JsonObject;
  readonly raw: Buffer;
}

/**
 * One conversation: its log, its clients, its turns and, while it has one, its agent process. It outlives connections and processes;
 * between two servers it lives in the store.
 */
export class Session {
  readonly #services: SessionServices;
  readonly #stream: SessionStream;
  readonly #turns: TurnQueue;
  readonly #asked: AskedRequests;
  readonly #options: SessionOptions;
  readonly #records: RecordKeeper;
  readonly #agent: SessionAgent;
  readonly #gate = new PromptGate();
  readonly #commands = new ClientCommands();
  #idle: NodeJS.Timeout | undefined;
  #ending: Promise<void> | undefined;

  constructor(options: SessionOptions) {
    const { services, record, lease } = options;
    this.#options = options;
    this.#services = services;
    this.#records = new RecordKeeper(services, record);
    this.#stream = new SessionStream({
      services,
      sessionId: record.sessionId,
      epoch: lease.epoch,
      lastSeq: lease.lastSeq,
      onFailure: (error) => this.#logFailed(error),
      failureError: () => logFailure().toRpc(),
    });
    this.#turns = new TurnQueue({
      agentName: record.agent,
      sessionId: record.sessionId,
      maxQueued: services.limits.maxQueuedPrompts,
      append: (event, patient) => this.#stream.append(event, patient),
      durable: (seq) => this.#stream.durable(seq),
      agent: async () => (await this.#agent.awake()).connection,
      forAgent: (prompt) => this.#agent.addressed(prompt),
      rememberKey: (idempotencyKey, promptSeq) =>
        services.store.putTurn({ sessionId: record.sessionId, idempotencyKey, promptSeq }),
      sendAfter: (port, seq, message) => this.#stream.sendAfter(port, seq, message),
      rpcErrorOf: services.rpcErrorOf,
      onAnswered: () => this.#asked.endTurn(),
      onChange: () => {
        this.#records.touch();
        this.#watchIdle();
      },
    });
    this.#asked = new AskedRequests(services, {
      sessionId: record.sessionId,
      stream: this.#stream,
      reply: (epoch, message) => {
        if (this.#agent.link?.epoch === epoch) this.#agent.link.connection.send(message);
      },
      clientIdOf: (agentId) => this.#turns.clientIdOf(agentId),
      promptId: () => this.#turns.agentRequestId,
      cancelling: () => this.#turns.cancelling,
    });
    this.#agent = new SessionAgent({
      services,
      stream: this.#stream,
      turns: this.#turns,
      asked: this.#asked,
      records: this.#records,
      startWith: options.startWith,
      isEnding: () => this.#ending !== undefined,
      onExit: () => this.#agentExited(),
    });
  }

  get id(): SessionId {
    return this.#records.record.sessionId;
  }

  get record(): SessionRecord {
    return this.#records.record;
  }

  get state(): SessionState {
    if (!this.#agent.live) return this.#turns.running ? 'running' : 'dormant';
    if (this.#services.broker.pendingOf(this.id).length > 0) return 'waiting';
    return this.#turns.running ? 'running' : 'idle';
  }

  get leaseEpoch(): LeaseEpoch {
    return this.#options.lease.epoch;
  }

  get lastSeq(): EventSeq {
    return this.#stream.lastSeq;
  }

  get attachedCount(): number {
    return this.#stream.attachments.length;
  }

  get enforcement(): Enforcement | undefined {
    return this.#agent.live?.connection.process.enforcement;
  }

  durable(): Promise<void> {
    return this.#stream.durable();
  }

  /** Writes a message of a client that is not a prompt into the log. `raw` holds no secrets. */
  logCommand(port: ClientPort, raw: Uint8Array): EventSeq {
    return this.#stream.append({ source: 'client', kind: 'command', connection: port.id, message: raw });
  }

  /** Takes an agent that has opened this conversation. */
  bind(launched: LaunchedAgent, agentSessionId: string): void {
    this.#agent.bind(launched, agentSessionId);
  }

  /** Attaches a connection; what is asked of people follows with `offerPending`. Undefined when the connection has ended meanwhile. */
  attach(port: ClientPort, role: Role, after: EventSeq, streamId = this.id): Attachment | undefined {
    if (port.gone) {
      this.#watchIdle();
      return undefined;
    }
    const { maxSubscribersPerSession } = this.#services.limits;
    if (!this.#stream.attachment(port.id) && this.attachedCount >= maxSubscribersPerSession) {
      throw new ReeveError('overloaded', {
        message: `${maxSubscribersPerSession} connections are attached to this session already (limits.maxSubscribersPerSession)`,
      });
    }
    clearTimeout(this.#idle);
    return this.#stream.attach(port, role, after, streamId);
  }

  attachment(connection: ConnectionId): Attachment | undefined {
    return this.#stream.attachment(connection);
  }

  offerPending(port: ClientPort, after: EventSeq): void {
    this.#asked.offerPending(port, after);
  }

  /** The connection leaves; a running turn goes on. What it still waits for is answered: the outcome is in the log. */
  detach(connection: ConnectionId): void {
    const attachment = this.#stream.attachment(connection);
    if (!attachment) return;
    this.#asked.left(connection);
    this.#agent.link?.left(connection);
    const tell = (port: ClientPort, id: JsonRpcId): void => {
      const error = rpcError('request_cancelled', {
        message: 'this connection left the session, which goes on without it',
      });
      if (!port.gone) attachment.sendNow(Buffer.from(encodeError(id, error)));
    };
    if (!attachment.port.gone) this.#turns.leave(connection, tell);
    this.#commands.leave(connection, tell);
    this.#stream.detach(connection);
    this.#watchIdle();
  }

  /** Somebody who wanted to attach did not: the session may be let go. */
  release(): void {
    this.#watchIdle();
  }

  /** What load and resume give the agent when it must be started again. */
  prepareRestore(startWith: StartWith, additionalDirectories: readonly string[]): void {
    this.#agent.prepare(startWith, additionalDirectories);
  }

  /** Has a live agent, restoring it if need be: how, or undefined when it was alive. */
  wake(): Promise<RestoredBy | undefined> {
    return this.#agent.wake();
  }

  async prompt(prompt: Prompt, key: string | undefined): Promise<void> {
    if (key === undefined && !this.#gate.busy) return this.#admit(prompt);
    let past: Buffer | undefined;
    const lookUp = async (): Promise<void> => {
      past = key === undefined ? undefined : await this.#pastResult(key);
    };
    return this.#gate.pass(prompt, lookUp, (cancelled) => {
      if (this.#ending) throw new ReeveError('session_closed', { data: { sessionId: this.id } });
      const answer = past ? withId(past, prompt.id) : cancelled ? Buffer.from(cancelledResult(prompt.id)) : undefined;
      if (answer) this.#stream.sendAfter(prompt.port, this.#stream.durableSeq, answer);
      else this.#admit(prompt);
    });
  }

  #admit(prompt: Prompt): void {
    const unread = this.#agent.link?.connection.unreadBytes ?? 0;
    if (unread > this.#services.limits.agentInputBytes) {
      throw new ReeveError('overloaded', {
        message: 'the agent does not read its input (limits.agentInputBytes)',
        data: { unreadBytes: unread },
      });
    }
    this.#turns.add(prompt);
  }

  /** `session/cancel` (ACP, prompt turn): turns end as cancelled, what was asked of people with them. */
  cancel(port: ClientPort, raw: Buffer, params: JsonObject): void {
    this.logCommand(port, raw);
    const { live } = this.#agent;
    if (live && this.#turns.running) live.connection.send(live.toAgent(raw, params));
    this.#cancelAsked();
    this.#gate.cancelAll();
    this.#turns.cancelAll();
  }

  #cancelAsked(): void {
    this.#services.broker.endSession(this.id, 'cancelled', 'the turn was cancelled').catch((error: unknown) => {
      this.#services.warn('requests could not be cancelled', { sessionId: this.id, error: String(error) });
    });
  }

  /** `$/cancel_request` of a client: the request it names, under the id that the agent knows. */
  cancelRequest(port: ClientPort, id: JsonRpcId): boolean {
    if (this.#gate.cancelOne(port.id, id)) return true;
    const turnId = this.#turns.cancelOne(port, id);
    if (turnId !== undefined) this.#cancelAsked();
    const agentId = turnId ?? this.#commands.agentIdOf(port.id, id);
    if (agentId === undefined) return false;
    this.#agent.link?.connection.send(
      Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: agentId } })),
    );
    return true;
  }

  /** Any other request of a client: forwarded, answered after everything that the agent said before its response. */
  async command(command: Command): Promise<void> {
    const { port, id, method, params, raw } = command;
    const link = await this.#agent.awake();
    this.logCommand(port, raw);
    this.#commands.send(link, command, link.toAgent(raw, params), (reply, awaited) => {
      if (reply.kind === 'gone') {
        if (!awaited) return;
        const crash = this.#ending
          ? new ReeveError('session_closed', { data: { sessionId: this.id } })
          : crashError(this.record.agent, link.connection, reply.exit);
        return this.#stream.sendAfter(port, this.#stream.lastSeq, Buffer.from(encodeError(id, crash.toRpc())));
      }
      if (reply.kind === 'result')
        this.#records.update({ setup: setupAfterCommand(this.record.setup, method, params, reply.result) });
      const message = withId(reply.raw, id);
      const seq = this.#stream.append({ source: 'agent', kind: 'response', connection: port.id, message });
      if (awaited) this.#stream.sendAfter(port, seq, message);
    });
  }

  /** A notification of a client that Reeve does not know: forwarded to a live agent. */
  notify(port: ClientPort, raw: Buffer, params: unknown): void {
    const { live } = this.#agent;
    if (!live) return;
    this.logCommand(port, raw);
    live.connection.send(live.toAgent(raw, params));
  }

  /** Settled when a session that is ending has ended; undefined while it goes on. */
  get ending(): Promise<void> | undefined {
    return this.#ending;
  }

  /** Ends the turns, stops the process and writes everything down. The log stays. Idempotent. */
  end(reason: EndReason): Promise<void> {
    this.#ending ??= this.#end(reason);
    return this.#ending;
  }

  async #end(reason: EndReason): Promise<void> {
    clearTimeout(this.#idle);
    this.#records.hold();
    const { broker, log } = this.#services;
    try {
      const { live } = this.#agent;
      if (live && this.#turns.running) live.connection.send(cancelNotification(live.agentSessionId));
      await broker.endSession(this.id, 'cancelled', `the session ended: ${reason}`);
      await this.#turns.finish(LAST_WORDS_MS);
      this.#stream.note('session_ended', { reason });
      if (reason === 'deleted') await this.#agent.forget();
      await Promise.all([this.#agent.stop(), this.#stream.durable()]);
      await this.#records.finish(reason === 'closed');
      await log.release(this.id, this.leaseEpoch);
    } finally {
      // Whatever failed, no process stays, and the next one who wants the session begins anew.
      await this.#agent.stop();
      this.#stream.finish();
      this.#options.onEnd(this);
    }
  }

  /** The response of a turn that ran under this key before, read from the log. */
  async #pastResult(key: string): Promise<Buffer | undefined> {
    const { store, log } = this.#services;
    const turn = await store.findTurn(this.id, key);
    if (!turn || this.#turns.has(key)) return undefined;
    await this.#stream.durable();
    const end = await readTurnEnd(log, this.id, turn.promptSeq, this.#stream.durableSeq);
    if (end) return end;
    throw new ReeveError('outcome_unknown');
  }

  #agentExited(): void {
    this.#services.broker.endSession(this.id, 'void', 'the agent process ended').catch((error: unknown) => {
      this.#services.warn('requests could not be voided', { sessionId: this.id, error: String(error) });
    });
    this.#watchIdle();
  }

  /** Without clients and without work the process is freed after a while; without a process nothing needs to stay in memory. */
  #watchIdle(): void {
    clearTimeout(this.#idle);
    const used = (): boolean => this.attachedCount > 0 || this.#turns.running || this.#agent.restoring;
    if (this.#ending || used()) return;
    const wait = this.#agent.live ? this.#services.limits.idleAgentMs : 0;
    this.#idle = setTimeout(() => {
      if (used()) return;
      this.end('idle').catch((error: unknown) =>
        this.#services.warn('an idle session did not end', { sessionId: this.id, error: String(error) }),
      );
    }, wait).unref();
  }

  #logFailed(error: Error): void {
    this.#services.warn('the log of a session failed, the session ends', { sessionId: this.id, error: error.message });
    this.#records.hold();
    this.#ending = (async () => {
      this.#turns.endAll((id) => encodeError(id, logFailure().toRpc()));
      await this.#services.broker.endSession(this.id, 'void', 'the log of the session failed').catch(() => {});
      await this.#agent.stop();
      for (const { connectionId } of this.#stream.attachments) this.#stream.detach(connectionId);
      this.#options.onEnd(this);
    })();
  }
}

function logFailure(): ReeveError {
  return new ReeveError('internal_error', {
    message: 'the log of the session cannot be written: the session ended, what the log has can be loaded',
    data: { details: 'look at the disk of the server and at its own log, then load the session again' },
  });
}

function cancelNotification(sessionId: string): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId } }));
}
