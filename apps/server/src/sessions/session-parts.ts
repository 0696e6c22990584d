import type { EventSeq, LeaseEpoch } from '@reeve/protocol';
import { AskedRequests } from './asked-requests.ts';
import { IdleWatch } from './idle-watch.ts';
import { MetadataKeeper } from './metadata-keeper.ts';
import { PromptAdmission } from './prompt-admission.ts';
import { RecordKeeper } from './record-keeper.ts';
import { SessionAgent, type StartWith } from './session-agent.ts';
import { SessionCommands } from './session-commands.ts';
import { logFailure, SessionEnd } from './session-end.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionRecord } from './session-store.ts';
import { SessionStream } from './session-stream.ts';
import { TurnCancel } from './turn-cancel.ts';
import { TurnQueue } from './turn-queue.ts';

export interface SessionPartsOptions {
  readonly services: SessionServices;
  readonly record: SessionRecord;
  readonly lease: { readonly epoch: LeaseEpoch; readonly lastSeq: EventSeq };
  readonly startWith: StartWith;
  /** The session cannot go on, or nobody needs it in memory any more. */
  readonly onEnded: () => void;
}

/** What a session is made of. */
export interface SessionParts {
  readonly records: RecordKeeper;
  readonly stream: SessionStream;
  readonly turns: TurnQueue;
  readonly asked: AskedRequests;
  readonly agent: SessionAgent;
  readonly admission: PromptAdmission;
  readonly commands: SessionCommands;
  readonly metadata: MetadataKeeper;
  readonly cancel: TurnCancel;
  readonly idle: IdleWatch;
  readonly end: SessionEnd;
}

/** Makes the parts of one session and ties them together: what a part does not know of the others it is given as a function. */
export function createSessionParts({ services, record, lease, startWith, onEnded }: SessionPartsOptions): SessionParts {
  const { sessionId } = record;
  const isEnding = (): boolean => end.ending !== undefined;
  const records = new RecordKeeper(services, record);
  const stream = new SessionStream({
    services,
    sessionId,
    epoch: lease.epoch,
    lastSeq: lease.lastSeq,
    onFailure: (error) => end.fail(error),
    failureError: () => logFailure().toRpc(),
  });
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
    onChange: () => {
      records.touch();
      idle.look();
    },
  });
  const asked: AskedRequests = new AskedRequests(services, {
    sessionId,
    stream,
    reply: (epoch, message) => {
      if (agent.link?.epoch === epoch) agent.link.connection.send(message);
    },
    clientIdOf: (agentId) => turns.clientIdOf(agentId),
    promptId: () => turns.agentRequestId,
    cancelling: () => turns.cancelling,
  });
  const agent: SessionAgent = new SessionAgent({
    services,
    stream,
    turns,
    asked,
    records,
    startWith,
    isEnding,
    onExit: () => {
      services.broker.endSession(sessionId, 'void', 'the agent process ended').catch((error: unknown) => {
        services.warn('requests could not be voided', { sessionId, error: String(error) });
      });
      idle.look();
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
  const metadata = new MetadataKeeper({ services, sessionId, stream, agent, records, isEnding });
  const cancel = new TurnCancel({ services, sessionId, agent, turns, admission, commands });
  const idle = new IdleWatch({
    isUsed: () => stream.attachments.length > 0 || turns.running || agent.restoring,
    waitMs: () => (agent.live ? services.limits.idleAgentMs : 0),
    onIdle: () =>
      end
        .begin('idle', 'reeve')
        .catch((error: unknown) => services.warn('an idle session did not end', { sessionId, error: String(error) })),
  });
  const end = new SessionEnd({
    services,
    sessionId,
    leaseEpoch: lease.epoch,
    stream,
    turns,
    agent,
    records,
    idle,
    onEnded,
  });
  return { records, stream, turns, asked, agent, admission, commands, metadata, cancel, idle, end };
}
