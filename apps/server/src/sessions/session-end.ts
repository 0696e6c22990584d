import {
  EXTENSION,
  encodeError,
  encodeNotification,
  type JsonRpcId,
  type LeaseEpoch,
  ReeveError,
  type SessionId,
} from '@reeve/protocol';
import type { ProcessExit } from '@reeve/sandbox';
import type { BoundaryKeeper } from './boundary-keeper.ts';
import type { Foreground } from './foreground.ts';
import type { IdleWatch } from './idle-watch.ts';
import type { RecordKeeper } from './record-keeper.ts';
import type { ReviewOffers } from './review-offers.ts';
import type { SessionAgent } from './session-agent.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionStream } from './session-stream.ts';
import { cancelNotification } from './turn-cancel.ts';
import type { TurnQueue } from './turn-queue.ts';

/** `failed`: the log could not be written. */
export type EndReason = 'closed' | 'idle' | 'deleted' | 'shutdown' | 'terminated' | 'failed';

/** How long an agent may take to end its turn itself when the session ends. */
const LAST_WORDS_MS = 500;

export interface SessionEndOptions {
  readonly services: SessionServices;
  readonly sessionId: SessionId;
  readonly leaseEpoch: LeaseEpoch;
  readonly stream: SessionStream;
  readonly turns: TurnQueue;
  readonly foreground: Foreground;
  readonly agent: SessionAgent;
  readonly records: RecordKeeper;
  readonly boundary: BoundaryKeeper;
  readonly reviews: ReviewOffers;
  readonly idle: IdleWatch;
  /** The session is no more in memory. */
  readonly onEnded: () => void;
}

interface Ended {
  readonly reason: EndReason;
  readonly by: string;
  /** How the process ended, where there was one. */
  readonly exit: ProcessExit | undefined;
  readonly message?: string;
}

/** How a session leaves memory: once, in order, with nothing left running. */
export class SessionEnd {
  readonly #options: SessionEndOptions;
  #ending: Promise<void> | undefined;

  constructor(options: SessionEndOptions) {
    this.#options = options;
  }

  /** Settled when a session that is ending has ended; undefined while it goes on. */
  get ending(): Promise<void> | undefined {
    return this.#ending;
  }

  /**
   * Ends the turns, stops the process and writes everything down. The log stays. `terminated` gives the agent no time for last words;
   * attached clients are told last (session surface, `ended`). `by`: who wanted it, for people. Idempotent.
   */
  begin(reason: EndReason, by: string): Promise<void> {
    this.#ending ??= this.#end(reason, by);
    return this.#ending;
  }

  /** The log cannot be written any more: everybody is told, nothing is kept. */
  fail(error: Error): void {
    const { services, sessionId, records, idle } = this.#options;
    services.warn('the log of a session failed, the session ends', { sessionId, error: error.message });
    idle.stop();
    records.hold();
    this.#ending = this.#endUnlogged();
  }

  async #end(reason: EndReason, by: string): Promise<void> {
    const {
      services,
      sessionId,
      leaseEpoch,
      stream,
      turns,
      foreground,
      agent,
      records,
      boundary,
      reviews,
      idle,
      onEnded,
    } = this.#options;
    const { broker, log } = services;
    const now = reason === 'terminated';
    let exit: ProcessExit | undefined;
    idle.stop();
    records.hold();
    try {
      const { live } = agent;
      if (live && (turns.running || records.record.protocolVersion === 2))
        live.connection.send(cancelNotification(live.agentSessionId));
      await broker.endSession(sessionId, 'cancelled', `the session ended: ${reason}`);
      await turns.finish(now ? 0 : LAST_WORDS_MS);
      await foreground.finish(now ? 0 : LAST_WORDS_MS);
      agent.live?.lookBack();
      stream.note('session_ended', { reason, by });
      if (reason === 'deleted') await agent.forget();
      [exit] = await Promise.all([agent.stop(now), stream.durable()]);
      await boundary[Symbol.asyncDispose]();
      this.#audit(reason, by, exit);
      foreground.settle({ stopReason: 'cancelled' });
      await stream.durable();
      await records.finish(reason === 'closed');
      await log.release(sessionId, leaseEpoch);
    } finally {
      // Whatever failed, no process stays, and the next one who wants the session begins anew.
      await agent.stop(now);
      await boundary[Symbol.asyncDispose]().catch(() => {});
      const told = this.#endedNotification({ reason, by, exit });
      for (const { port } of stream.attachments) stream.sendAfter(port, stream.durableSeq, told);
      reviews[Symbol.dispose]();
      stream.finish();
      onEnded();
    }
  }

  async #endUnlogged(): Promise<void> {
    const { services, sessionId, stream, turns, foreground, agent, boundary, reviews, onEnded } = this.#options;
    const { code, message } = logFailure();
    turns.endAll((id: JsonRpcId) => encodeError(id, logFailure().toRpc()));
    foreground.settle({ stopReason: 'error', error: { code, message } });
    await services.broker.endSession(sessionId, 'void', 'the log of the session failed').catch(() => {});
    const exit = await agent.stop();
    await boundary[Symbol.asyncDispose]().catch(() => {});
    this.#audit('failed', 'reeve', exit);
    const told = this.#endedNotification({ reason: 'failed', by: 'reeve', exit, message });
    for (const attachment of stream.attachments) {
      attachment.sendNow(told);
      stream.detach(attachment.connectionId);
    }
    reviews[Symbol.dispose]();
    onEnded();
  }

  /** On disk before the session counts as ended: what is written after it comes after it. */
  #audit(reason: EndReason, by: string, exit: ProcessExit | undefined): void {
    const { services, sessionId: session } = this.#options;
    const how = exit ? { exitCode: exit.code, signal: exit.signal } : {};
    services.audit.note({ kind: 'session.ended', session, by, reason, ...how });
  }

  /** Session surface, `ended`. */
  #endedNotification({ reason, by, exit, message }: Ended): Buffer {
    const params = {
      sessionId: this.#options.sessionId,
      reason,
      terminatedBy: by,
      ...(message === undefined ? {} : { message }),
      ...(exit?.code == null ? {} : { exitCode: exit.code }),
    };
    return Buffer.from(encodeNotification(EXTENSION.ended, params));
  }
}

/** What a client is told whose session's log cannot be written. */
export function logFailure(): ReeveError {
  return new ReeveError('internal_error', {
    message: 'the log of the session cannot be written: the session ended, what the log has can be loaded',
    data: { details: 'look at the disk of the server and at its own log, then load the session again' },
  });
}
