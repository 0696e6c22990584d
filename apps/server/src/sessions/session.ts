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
import type { LaunchedAgent } from '../agents/agent-launch.ts';
import type { RestoredBy } from './agent-restore.ts';
import { AskedRequests } from './asked-requests.ts';
import type { Attachment } from './attachment.ts';
import type { ClientPort, Role } from './client-port.ts';
import { IdleWatch } from './idle-watch.ts';
import { PromptAdmission } from './prompt-admission.ts';
import { RecordKeeper } from './record-keeper.ts';
import { SessionAgent, type StartWith } from './session-agent.ts';
import { type Command, SessionCommands } from './session-commands.ts';
import { type EndReason, logFailure, SessionEnd } from './session-end.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionRecord } from './session-store.ts';
import { SessionStream } from './session-stream.ts';
import { TurnCancel } from './turn-cancel.ts';
import { type Prompt, TurnQueue } from './turn-queue.ts';

export type SessionState = 'running' | 'waiting' | 'idle' | 'dormant';

export interface SessionOptions {
  readonly services: SessionServices;
  readonly record: SessionRecord;
  readonly lease: { readonly epoch: LeaseEpoch; readonly lastSeq: EventSeq };
  readonly startWith: StartWith;
  /** The session cannot go on, or nobody needs it in memory any more. */
  readonly onEnd: (session: Session) => void;
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
  readonly #admission: PromptAdmission;
  readonly #commands: SessionCommands;
  readonly #cancel: TurnCancel;
  readonly #idle: IdleWatch;
  readonly #end: SessionEnd;

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
      onFailure: (error) => this.#end.fail(error),
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
        this.#idle.look();
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
      isEnding: () => this.ending !== undefined,
      onExit: () => this.#agentExited(),
    });
    this.#admission = new PromptAdmission({
      services,
      sessionId: record.sessionId,
      stream: this.#stream,
      turns: this.#turns,
      unreadBytes: () => this.#agent.link?.connection.unreadBytes ?? 0,
      isEnding: () => this.ending !== undefined,
    });
    this.#commands = new SessionCommands({
      sessionId: record.sessionId,
      stream: this.#stream,
      agent: this.#agent,
      records: this.#records,
      isEnding: () => this.ending !== undefined,
    });
    this.#cancel = new TurnCancel({
      services,
      sessionId: record.sessionId,
      agent: this.#agent,
      turns: this.#turns,
      admission: this.#admission,
      commands: this.#commands,
    });
    this.#idle = new IdleWatch({
      isUsed: () => this.attachedCount > 0 || this.#turns.running || this.#agent.restoring,
      waitMs: () => (this.#agent.live ? services.limits.idleAgentMs : 0),
      onIdle: () =>
        this.end('idle').catch((error: unknown) =>
          services.warn('an idle session did not end', { sessionId: this.id, error: String(error) }),
        ),
    });
    this.#end = new SessionEnd({
      services,
      sessionId: record.sessionId,
      leaseEpoch: lease.epoch,
      stream: this.#stream,
      turns: this.#turns,
      agent: this.#agent,
      records: this.#records,
      idle: this.#idle,
      onEnded: () => options.onEnd(this),
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
    return this.#commands.log(port, raw);
  }

  /** Takes an agent that has opened this conversation. */
  bind(launched: LaunchedAgent, agentSessionId: string): void {
    this.#agent.bind(launched, agentSessionId);
  }

  /** Attaches a connection; what is asked of people follows with `offerPending`. Undefined when the connection has ended meanwhile. */
  attach(port: ClientPort, role: Role, after: EventSeq, streamId = this.id): Attachment | undefined {
    if (port.gone) {
      this.#idle.look();
      return undefined;
    }
    const { maxSubscribersPerSession } = this.#services.limits;
    if (!this.#stream.attachment(port.id) && this.attachedCount >= maxSubscribersPerSession) {
      throw new ReeveError('overloaded', {
        message: `${maxSubscribersPerSession} connections are attached to this session already (limits.maxSubscribersPerSession)`,
      });
    }
    this.#idle.pause();
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
    this.#idle.look();
  }

  /** Somebody who wanted to attach did not: the session may be let go. */
  release(): void {
    this.#idle.look();
  }

  /** What load and resume give the agent when it must be started again. */
  prepareRestore(startWith: StartWith, additionalDirectories: readonly string[]): void {
    this.#agent.prepare(startWith, additionalDirectories);
  }

  /** Has a live agent, restoring it if need be: how, or undefined when it was alive. */
  wake(): Promise<RestoredBy | undefined> {
    return this.#agent.wake();
  }

  /** Takes a prompt; see `PromptAdmission.admit`. */
  prompt(prompt: Prompt, key: string | undefined): Promise<void> {
    return this.#admission.admit(prompt, key);
  }

  /** `session/cancel`; see `TurnCancel.all`. */
  cancel(port: ClientPort, raw: Buffer, params: JsonObject): void {
    this.#cancel.all(port, raw, params);
  }

  /** `$/cancel_request`; see `TurnCancel.one`. */
  cancelRequest(port: ClientPort, id: JsonRpcId): boolean {
    return this.#cancel.one(port, id);
  }

  /** Any other request of a client; see `SessionCommands.send`. */
  command(command: Command): Promise<void> {
    return this.#commands.send(command);
  }

  /** A notification of a client that Reeve does not know: forwarded to a live agent. */
  notify(port: ClientPort, raw: Buffer, params: unknown): void {
    this.#commands.notify(port, raw, params);
  }

  /** Settled when a session that is ending has ended; undefined while it goes on. */
  get ending(): Promise<void> | undefined {
    return this.#end.ending;
  }

  /** Ends the turns, stops the process and writes everything down. The log stays. Idempotent. */
  end(reason: EndReason): Promise<void> {
    return this.#end.begin(reason);
  }

  #agentExited(): void {
    this.#services.broker.endSession(this.id, 'void', 'the agent process ended').catch((error: unknown) => {
      this.#services.warn('requests could not be voided', { sessionId: this.id, error: String(error) });
    });
    this.#idle.look();
  }
}
