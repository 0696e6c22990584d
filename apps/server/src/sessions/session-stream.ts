import type { ConnectionId, EventSeq, LeaseEpoch, SessionId } from '@reeve/protocol';
import type { NewEvent } from '../events/event-chunk.ts';
import { segmentChunk } from '../events/event-run.ts';
import { Journal } from '../events/journal.ts';
import { Attachment } from './attachment.ts';
import type { ClientPort, Role } from './client-port.ts';
import type { SessionServices } from './session-services.ts';

export interface StreamOptions {
  readonly services: SessionServices;
  readonly sessionId: SessionId;
  readonly epoch: LeaseEpoch;
  readonly lastSeq: EventSeq;
  /** The log failed: the session cannot go on. Called once. */
  readonly onFailure: (error: Error) => void;
}

/**
 * What happens in one session, in order: events go to the log, and from there to whoever is attached.
 */
export class SessionStream {
  readonly #options: StreamOptions;
  readonly #journal: Journal;
  readonly #attachments = new Map<ConnectionId, Attachment>();
  #failed = false;

  constructor(options: StreamOptions) {
    const { services, sessionId, epoch, lastSeq } = options;
    this.#options = options;
    this.#journal = new Journal({
      log: services.log,
      session: sessionId,
      epoch,
      lastSeq,
      onDurable: (chunk) => {
        if (this.#attachments.size > 0) {
          const segments = segmentChunk(chunk);
          for (const attachment of this.#attachments.values()) attachment.onDurable(chunk, segments);
        }
        services.feed.wake(sessionId);
      },
      onFailure: (error) => {
        this.#failed = true;
        options.onFailure(error);
      },
    });
  }

  /** Seq of the newest event; it may not be on disk yet. */
  get lastSeq(): EventSeq {
    return this.#journal.assignedSeq;
  }

  get durableSeq(): EventSeq {
    return this.#journal.durableSeq;
  }

  get backlogBytes(): number {
    return this.#journal.backlogBytes;
  }

  get attachments(): readonly Attachment[] {
    return [...this.#attachments.values()];
  }

  /** Numbers an event and has it written. After the log has failed nothing is kept: the session is ending. */
  append(event: Omit<NewEvent, 'at'>): EventSeq {
    return this.#failed ? this.lastSeq : this.#journal.append({ ...event, at: Date.now() });
  }

  /** A fact that Reeve adds to the log. No secrets. */
  note(type: string, facts: { readonly [fact: string]: unknown } = {}): EventSeq {
    return this.append({ source: 'reeve', kind: 'note', message: Buffer.from(JSON.stringify({ type, ...facts })) });
  }

  durable(seq?: EventSeq): Promise<void> {
    return this.#journal.durable(seq);
  }

  whenBacklogBelow(bytes: number, run: () => void): void {
    this.#journal.whenBacklogBelow(bytes, run);
  }

  /** Attaches a connection, or attaches it anew: it gets what comes after `after`. */
  attach(port: ClientPort, role: Role, after: EventSeq): Attachment {
    this.detach(port.id);
    const { services, sessionId } = this.#options;
    const attachment = new Attachment({
      sessionId,
      port,
      role,
      log: services.log,
      after,
      head: () => this.#journal.durableSeq,
      maxBacklogBytes: services.limits.connectionQueueBytes,
      onFailure: (error) =>
        services.warn('a client could not be served from the log', { sessionId, error: error.message }),
    });
    this.#attachments.set(port.id, attachment);
    return attachment;
  }

  attachment(connection: ConnectionId): Attachment | undefined {
    return this.#attachments.get(connection);
  }

  detach(connection: ConnectionId): void {
    this.#attachments.get(connection)?.detach();
    this.#attachments.delete(connection);
  }

  /** Clients that may be asked and may act, in the order in which they came. */
  controllers(): readonly ClientPort[] {
    return this.attachments.filter(({ role }) => role === 'controller').map(({ port }) => port);
  }

  /** Sends to an attached client as soon as it has everything up to `after`; nothing to one that left. */
  sendAfter(port: ClientPort, after: EventSeq, message: Uint8Array): void {
    this.#attachments.get(port.id)?.sendAfter(after, message);
  }
}
