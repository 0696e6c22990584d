import type {
  AttachedClient,
  BoundaryWish,
  ConnectionId,
  EventSeq,
  JsonObject,
  JsonRpcId,
  LeaseEpoch,
  McpServerReport,
  QueuedPrompt,
  SessionId,
  SessionState,
} from '@reeve/protocol';
import type { AcpVersion } from '../agents/acp-version.ts';
import type { LaunchedAgent } from '../agents/agent-launch.ts';
import type { AgentEnforcement } from '../agents/agent-sandbox.ts';
import type { Actor, ChangeResult } from '../boundary/session-guard.ts';
import type { NewEvent } from '../events/event-chunk.ts';
import type { Heard } from './agent-link.ts';
import type { RestoredBy } from './agent-restore.ts';
import type { AppliedChoices } from './apply-choices.ts';
import type { Attachment } from './attachment.ts';
import { attach, attachedClients, detach, offerPending } from './attendance.ts';
import type { Opened } from './choose-again.ts';
import type { ClientPort, Role } from './client-port.ts';
import type { Foreground } from './foreground.ts';
import type { MetadataKeeper } from './metadata-keeper.ts';
import { queuedPrompt } from './queued-prompt.ts';
import type { StartWith } from './session-agent-options.ts';
import type { Command } from './session-commands.ts';
import type { EndReason } from './session-end.ts';
import type { Governance } from './session-governance.ts';
import { createSessionParts, type SessionParts, type SessionPartsOptions } from './session-parts.ts';
import type { BoundaryReport } from './session-place.ts';
import { stateAtRest } from './session-state.ts';
import type { SessionRecord } from './session-store.ts';
import type { SetupState } from './setup-state.ts';
import type { Prompt } from './turn.ts';

export interface SessionOptions extends Omit<SessionPartsOptions, 'onEnded'> {
  /** The session cannot go on, or nobody needs it in memory any more. */
  readonly onEnd: (session: Session) => void;
}

/**
 * One conversation: its log, its clients, its turns and, while it has one, its agent process. It outlives connections and processes;
 * between two servers it lives in the store.
 */
export class Session {
  readonly #options: SessionOptions;
  readonly #parts: SessionParts;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#parts = createSessionParts({ ...options, onEnded: () => options.onEnd(this) });
  }

  get id(): SessionId {
    return this.#parts.records.record.sessionId;
  }

  get record(): SessionRecord {
    return this.#parts.records.record;
  }

  /** The version of ACP in which its agent and its clients speak, for life. */
  get version(): AcpVersion {
    return this.record.protocolVersion ?? 1;
  }

  get state(): SessionState {
    const { agent, turns, prompts, foreground } = this.#parts;
    const works = turns.running || prompts.pending > 0 || foreground.busy;
    if (!agent.live) return works ? 'running' : stateAtRest(this.record);
    const asked = this.#options.services.broker.pendingOf(this.id).filter(({ kind }) => works || kind !== 'review');
    if (foreground.blocked || asked.length > 0) return 'waiting';
    return works ? 'running' : 'idle';
  }

  /** Prompts that wait for their turn. */
  get queuedPrompts(): readonly QueuedPrompt[] {
    return this.#parts.turns.waiting.map(queuedPrompt);
  }

  get leaseEpoch(): LeaseEpoch {
    return this.#options.lease.epoch;
  }

  get lastSeq(): EventSeq {
    return this.#parts.stream.lastSeq;
  }

  get attachedCount(): number {
    return this.#parts.stream.attachments.length;
  }

  /** Whose connections are attached, in the order in which they came. */
  get clients(): readonly AttachedClient[] {
    return attachedClients(this.#parts);
  }

  get enforcement(): AgentEnforcement | undefined {
    return this.#parts.agent.live?.launched.enforcement;
  }

  /** Undefined where none was approved yet: a record of an older server before its first process. */
  get boundary(): BoundaryReport | undefined {
    return this.#parts.boundary.report;
  }

  /** How its MCP servers stand, those too that Reeve does not govern. */
  get servers(): readonly McpServerReport[] {
    return this.#parts.boundary.servers;
  }

  /** What governs it, opened where nothing does yet. Throws `session_closed`. */
  governed(): Promise<Governance> {
    return this.#parts.boundary.governed();
  }

  /** See `BoundaryKeeper.set`. */
  setBoundary(wish: BoundaryWish, by: Actor, expectedRevision?: number): Promise<ChangeResult> {
    return this.#parts.boundary.set(wish, by, expectedRevision);
  }

  durable(): Promise<void> {
    return this.#parts.stream.durable();
  }

  /** Writes a message of a client that is not a prompt into the log. `raw` holds no secrets. */
  logCommand(port: ClientPort, raw: Uint8Array): EventSeq {
    return this.#parts.commands.log(port, raw);
  }

  /** A fact that Reeve adds to the log. No secrets. */
  note(type: string, facts: { readonly [fact: string]: unknown }): void {
    this.#parts.stream.note(type, facts);
  }

  /** Takes an event of another session's log, with the time that it has there. */
  copy(event: NewEvent): void {
    this.#parts.stream.append(event);
  }

  /** What the agent said when it opened the conversation. */
  learn(setup: SetupState): void {
    this.#parts.records.setup = setup;
  }

  /** Seq after which nothing is finished: a fork begins there. */
  get forkPoint(): EventSeq {
    const { turns, stream } = this.#parts;
    return turns.runningSince === undefined ? stream.lastSeq : ((turns.runningSince - 1) as EventSeq);
  }

  /** Why the agent's own memory is not what a fork must begin with; undefined where it is. */
  get forkObstacle(): string | undefined {
    if (this.#parts.turns.busy) return 'a turn of the parent was running';
    return this.record.untold ? 'the agent of the parent was not told yet what was said' : undefined;
  }

  /** Takes an agent whose conversation goes on from another session's; see `SessionAgent.inherit`. */
  inherit(launched: LaunchedAgent, opened: Opened, wanted: SetupState): Promise<AppliedChoices> {
    return this.#parts.agent.inherit(launched, opened, wanted);
  }

  /** See `SessionAgent.retellNext`. */
  retellNext(): Promise<void> {
    return this.#parts.agent.retellNext();
  }

  /** Takes an agent that has opened this conversation. `heard`: what it said since, to be passed on first. */
  bind(launched: LaunchedAgent, agentSessionId: string, heard?: readonly Heard[]): void {
    this.#parts.agent.bind(launched, agentSessionId, heard);
  }

  /** Attaches a connection; what is asked of people follows with `offerPending`. `replays`: history is shown that the client did not see happen. Undefined when the connection has ended meanwhile. */
  attach(port: ClientPort, role: Role, after: EventSeq, streamId = this.id, replays = false): Attachment | undefined {
    const { maxSubscribersPerSession } = this.#options.services.limits;
    return attach(this.#parts, { port, role, after, streamId, replays }, maxSubscribersPerSession);
  }

  attachment(connection: ConnectionId): Attachment | undefined {
    return this.#parts.stream.attachment(connection);
  }

  offerPending(port: ClientPort, after: EventSeq): void {
    offerPending(this.#parts, port, after);
  }

  /** The connection leaves; a running turn goes on. What it still waits for is answered: the outcome is in the log. */
  detach(connection: ConnectionId): void {
    detach(this.#parts, connection);
  }

  /** What clients say of the session beside its conversation; see `MetadataKeeper`. */
  get metadata(): MetadataKeeper {
    return this.#parts.metadata;
  }

  /** False of a draft: nobody finds it. */
  get published(): boolean {
    return this.#parts.records.published;
  }

  /** Others find a draft from now on; see `RecordKeeper.publish`. */
  publish(): Promise<'stored' | 'alias-taken'> {
    return this.#parts.records.publish();
  }

  /** Somebody who wanted to attach did not: the session may be let go. */
  release(): void {
    this.#parts.idle.look();
  }

  /** Keeps it in memory until that is disposed of; then it is let go if nobody else has it. */
  use(): Disposable {
    return this.#parts.idle.hold();
  }

  /** What load and resume give the agent when it must be started again. */
  prepareRestore(startWith: StartWith, additionalDirectories: readonly string[], keepsServers: boolean): void {
    this.#parts.agent.prepare(startWith, additionalDirectories, keepsServers);
  }

  /** Has a live agent, restoring it if need be: how, or undefined when it was alive. */
  wake(): Promise<RestoredBy | undefined> {
    return this.#parts.agent.wake();
  }

  /** Takes a prompt; see `PromptAdmission.admit`, for ACP v2 `InsertedPrompts.insert`. */
  prompt(prompt: Prompt, key: string | undefined): Promise<void> {
    const { admission, prompts } = this.#parts;
    return this.version === 2 ? prompts.insert(prompt, key) : admission.admit(prompt, key);
  }

  /** What the agent of a v2 session is doing, as it says; idle in v1. */
  get foreground(): Foreground {
    return this.#parts.foreground;
  }

  /** `session/cancel`; see `TurnCancel.all`. */
  cancel(port: ClientPort, raw: Buffer, params: JsonObject): void {
    this.#parts.cancel.all(port, raw, params);
  }

  /** `$/cancel_request`; see `TurnCancel.one`. */
  cancelRequest(port: ClientPort, id: JsonRpcId): boolean {
    return this.#parts.cancel.one(port, id);
  }

  /** Any other request of a client; see `SessionCommands.send`. */
  command(command: Command): Promise<void> {
    return this.#parts.commands.send(command);
  }

  /** A notification of a client that Reeve does not know: forwarded to a live agent. */
  notify(port: ClientPort, raw: Buffer, params: unknown): void {
    this.#parts.commands.notify(port, raw, params);
  }

  /** Settled when a session that is ending has ended; undefined while it goes on. */
  get ending(): Promise<void> | undefined {
    return this.#parts.end.ending;
  }

  /** Ends the session in memory; see `SessionEnd.begin`. */
  end(reason: EndReason, by = 'reeve'): Promise<void> {
    return this.#parts.end.begin(reason, by);
  }
}
