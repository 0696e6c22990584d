import { ERRORS, type EventSeq, type LeaseEpoch } from '@reeve/protocol';
import { crashError } from '../agents/agent-launch.ts';
import { newTraceId } from '../audit/trace-id.ts';
import { type Enter, underOwnTrace, underTrace } from '../audit/trace-scope.ts';
import { AskedRequests } from './asked-requests.ts';
import { BoundaryKeeper } from './boundary-keeper.ts';
import { Foreground } from './foreground.ts';
import { IdleWatch } from './idle-watch.ts';
import { InsertedPrompts } from './inserted-prompts.ts';
import { MetadataKeeper } from './metadata-keeper.ts';
import { PromptAdmission } from './prompt-admission.ts';
import { RecordKeeper } from './record-keeper.ts';
import { ReviewOffers } from './review-offers.ts';
import { SessionAgent } from './session-agent.ts';
import type { StartWith } from './session-agent-options.ts';
import { SessionCommands } from './session-commands.ts';
import { logFailure, SessionEnd } from './session-end.ts';
import type { SessionServices } from './session-services.ts';
import { failureNow } from './session-state.ts';
import type { SessionRecord } from './session-store.ts';
import { SessionStream } from './session-stream.ts';
import { TurnCancel } from './turn-cancel.ts';
import { TurnQueue } from './turn-queue.ts';

export interface SessionPartsOptions {
  readonly services: SessionServices;
  readonly record: SessionRecord;
  readonly lease: { readonly epoch: LeaseEpoch; readonly lastSeq: EventSeq };
  readonly startWith: StartWith;
  /** Nothing of it is in the store, and nobody else finds it, until it is published. */
  readonly draft: boolean;
  /** The session cannot go on, or nobody needs it in memory any more. */
  readonly onEnded: () => void;
}

/** What a session is made of. */
export interface SessionParts {
  readonly records: RecordKeeper;
  readonly boundary: BoundaryKeeper;
  readonly stream: SessionStream;
  readonly turns: TurnQueue;
  readonly asked: AskedRequests;
  readonly reviews: ReviewOffers;
  readonly agent: SessionAgent;
  readonly admission: PromptAdmission;
  readonly commands: SessionCommands;
  readonly prompts: InsertedPrompts;
  readonly foreground: Foreground;
  readonly metadata: MetadataKeeper;
  readonly cancel: TurnCancel;
  readonly idle: IdleWatch;
  readonly end: SessionEnd;
}

/** Makes the parts of one session and ties them together: what a part does not know of the others it is given as a function. */
export function createSessionParts({
  services,
  record,
  lease,
  startWith,
  draft,
  onEnded,
}: SessionPartsOptions): SessionParts {
  const { sessionId } = record;
  const isEnding = (): boolean => end.ending !== undefined;
  const records = new RecordKeeper(services, record, draft);
  const stream = new SessionStream({
    services,
    sessionId,
    epoch: lease.epoch,
    lastSeq: lease.lastSeq,
    onFailure: (error) => end.fail(error),
    failureError: () => logFailure().toRpc(),
  });
  const foreground = new Foreground({
    sessionId,
    append: (message) => stream.append({ source: 'reeve', kind: 'update', varies: true, message }),
    onChange: () => {
      if (!foreground.busy && foreground.stopReason !== 'error') records.failure = undefined;
      onWork();
    },
    onCancelled: () => asked.endTurn(),
  });
  const onWork = (): void => {
    records.touch();
    services.feed.wake(sessionId);
    idle.look();
  };
  const turns: TurnQueue = new TurnQueue({
    agentName: record.agent,
    sessionId,
    maxQueued: services.limits.maxQueuedPrompts,
    cancelMs: services.limits.cancelMs,
    append: (event, patient) => stream.append(event, patient),
    durable: (seq) => stream.durable(seq),
    agent: async () => (await agent.awake()).connection,
    replaceAgent: async () => {
      stream.note('agent_replaced', { why: 'it did not end a turn that was cancelled' });
      await agent.stop(true);
    },
    forAgent: (prompt) => agent.addressed(prompt),
    rememberKey: (idempotencyKey, promptSeq) => services.store.putTurn({ sessionId, idempotencyKey, promptSeq }),
    sendAfter: (port, seq, message) => stream.sendAfter(port, seq, message),
    rpcErrorOf: services.rpcErrorOf,
    onAnswered: () => asked.endTurn(),
    onOutcome: (crash) => {
      records.failure = crash && failureNow('turn', crash);
    },
    onChange: onWork,
  });
  // The two are of one session for life: one of them is always without a prompt.
  const work: Enter = (act) => underTrace(turns.trace ?? prompts.trace ?? newTraceId(), act);
  const asked: AskedRequests = new AskedRequests(services, {
    sessionId,
    stream,
    reply: (epoch, message) => {
      if (agent.link?.epoch === epoch) agent.link.connection.send(message);
    },
    clientIdOf: (agentId) => turns.clientIdOf(agentId),
    working: () => foreground.busy || turns.agentRequestId !== undefined,
    promptId: () => turns.agentRequestId,
    cancelling: () => turns.cancelling,
  });
  const reviews = new ReviewOffers({ services, sessionId, stream, onChange: () => idle.look() });
  const boundary = new BoundaryKeeper({
    services,
    sessionId,
    stream,
    records,
    agent: () => agent,
    interrupt: (graceMs) => cancel.interrupt(graceMs),
    work,
    governance: startWith.governance,
    isEnding,
  });
  const voidAsked = (why: string): void => {
    services.broker.endAgent(sessionId, 'void', why).catch((error: unknown) => {
      services.warn('requests could not be voided', { sessionId, error: String(error) });
    });
    idle.look();
  };
  const agent: SessionAgent = new SessionAgent({
    services,
    stream,
    turns,
    asked,
    foreground,
    records,
    boundary,
    work,
    startWith,
    isQuiet: () => turns.agentRequestId === undefined && !foreground.busy && !commands.waiting,
    isEnding,
    onReplaced: () => {
      foreground.settle({ stopReason: 'cancelled' });
      voidAsked('the agent process was replaced');
    },
    onExit: (exit) => {
      const { code, message } = ERRORS.agent_crashed;
      const process = agent.link?.connection;
      if (process && (foreground.busy || prompts.pending > 0))
        records.failure = failureNow('turn', crashError(record.agent, process, exit));
      foreground.settle({ stopReason: 'error', error: { code, message } });
      voidAsked('the agent process ended');
    },
  });
  const admission = new PromptAdmission({
    services,
    sessionId,
    stream,
    turns,
    unreadBytes: () => agent.link?.connection.unreadBytes ?? 0,
    isEnding,
  });
  const commands = new SessionCommands({ sessionId, stream, agent, records, isEnding });
  const prompts = new InsertedPrompts({
    services,
    sessionId,
    stream,
    commands,
    foreground,
    unreadBytes: () => agent.link?.connection.unreadBytes ?? 0,
    onChange: onWork,
  });
  const metadata = new MetadataKeeper({ services, sessionId, stream, agent, records, isEnding });
  const cancel = new TurnCancel({
    services,
    records,
    agent,
    turns,
    admission,
    commands,
    prompts,
    foreground,
    boundary,
  });
  const worksOn = (): boolean => foreground.busy || foreground.background || prompts.pending > 0;
  const idle = new IdleWatch({
    isUsed: () => stream.attachments.length > 0 || turns.running || agent.restoring || worksOn() || reviews.waiting,
    waitMs: () => (agent.live || agent.replaced ? services.limits.idleAgentMs : 0),
    onIdle: () =>
      underOwnTrace(() => end.begin('idle', 'reeve')).catch((error: unknown) =>
        services.warn('an idle session did not end', { sessionId, error: String(error) }),
      ),
  });
  const end = new SessionEnd({
    services,
    sessionId,
    leaseEpoch: lease.epoch,
    stream,
    turns,
    foreground,
    agent,
    records,
    boundary,
    reviews,
    idle,
    onEnded,
  });
  boundary.begin();
  return {
    records,
    boundary,
    stream,
    turns,
    asked,
    reviews,
    agent,
    admission,
    commands,
    prompts,
    foreground,
    metadata,
    cancel,
    idle,
    end,
  };
}
