import {
  type ConnectionId,
  type EventSeq,
  encodeError,
  type JsonRpcId,
  type LeaseEpoch,
  parseMessage,
  type RpcError,
  type SessionId,
} from '@reeve/protocol';
import { lastSeqOf, type NewEvent } from '../events/event-chunk.ts';
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
  /** What a client is told whose answer can no longer be written down. */
  readonly failureError: () => RpcError;
}

/**
 * What happens in one session, in order: events go to the log, and from there to whoever is attached.
 */
export class SessionStream {
  readonly #options: StreamOptions;
  readonly #journal: Journal;
  readonly #attachments = new Map<ConnectionId, Attachment>();
  /** Ends of turns that are not on disk yet: their clients must be told if they never will be. */
  #unwrittenEnds: { readonly seq: EventSeq; readonly connection: ConnectionId; readonly message: Uint8Array }[] = [];
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
        if (this.#unwrittenEnds.length > 0) {
          this.#unwrittenEnds = this.#unwrittenEnds.filter(({ seq }) => seq > lastSeqOf(chunk));
        }
        if (this.#attachments.size > 0) {
          const segments = segmentChunk(chunk);
          for (const attachment of this.#attachments.values()) attachment.onDurable(chunk, segments);
        }
        services.feed.wake(sessionId);
      },
      onFailure: (error) => {
        this.#failed = true;
        this.#answerUnwritten();
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

  /**
   * Numbers an event and has it written; see `Journal.append`. After the log has failed nothing is kept, the session is ending; the
   * end of a turn still reaches the client that waits for it.
   */
  append(event: Omit<NewEvent, 'at'> & { readonly at?: number }, patient = false): EventSeq {
    const { kind, connection, message } = event;
    if (this.#failed) {
      if (kind === 'turn_end' && connection) this.#attachments.get(connection)?.sendNow(message);
      return this.lastSeq;
    }
    const seq = this.#journal.append({ ...event, at: event.at ?? Date.now() }, patient);
    if (kind === 'turn_end' && connection) this.#unwrittenEnds.push({ seq, connection, message });
    return seq;
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
  attach(port: ClientPort, role: Role, after: EventSeq, streamId: SessionId, replays = false): Attachment {
    const { services, sessionId } = this.#options;
    const attachment: Attachment = new Attachment({
      sessionId,
      streamId,
      port,
      role,
      log: services.log,
      after,
      head: () => this.#journal.durableSeq,
      replays,
      maxBacklogBytes: services.limits.connectionQueueBytes,
      lastSeq: this.lastSeq,
      before: this.#attachments.get(port.id),
      onFailure: (error) => {
        services.warn('a client could not be served from the log', { sessionId, error: error.message });
        if (this.#attachments.get(port.id) === attachment) this.#attachments.delete(port.id);
        port.drop('the log of a session could not be read: come back with the last seq that you have');
      },
    });
    this.#attachments.set(port.id, attachment);
    services.feed.wake(sessionId);
    return attachment;
  }

  /** Everybody gets what is on disk, and leaves. */
  finish(): void {
    for (const attachment of this.#attachments.values()) attachment.finish();
    this.#attachments.clear();
  }

  attachment(connection: ConnectionId): Attachment | undefined {
    return this.#attachments.get(connection);
  }

  detach(connection: ConnectionId): void {
    this.#attachments.get(connection)?.detach();
    if (this.#attachments.delete(connection)) this.#options.services.feed.wake(this.#options.sessionId);
  }

  /** Clients that may be asked and may act, in the order in which they came. */
  controllers(): readonly ClientPort[] {
    return this.attachments.filter(({ role }) => role === 'controller').map(({ port }) => port);
  }

  /** Sends to an attached client as soon as it has everything up to `after`; nothing to one that left. */
  sendAfter(port: ClientPort, after: EventSeq, message: Uint8Array): void {
    const attachment = this.#attachments.get(port.id);
    if (!this.#failed) attachment?.sendAfter(after, message);
    else attachment?.sendNow(this.#asFailed(message));
  }

  /** Nothing is acknowledged that is not on disk: a result becomes an error. */
  #asFailed(message: Uint8Array): Uint8Array {
    const parsed = parseMessage(Buffer.from(message).toString());
    return parsed.kind === 'result' ? this.#errorFor(parsed.id) : message;
  }

  #errorFor(id: JsonRpcId): Buffer {
    return Buffer.from(encodeError(id, this.#options.failureError()));
  }

  /** The log has failed: who waits for an answer that is not on disk gets an error. */
  #answerUnwritten(): void {
    for (const { connection, message } of this.#unwrittenEnds) {
      const response = parseMessage(Buffer.from(message).toString());
      if ('id' in response) this.#attachments.get(connection)?.sendNow(this.#errorFor(response.id));
    }
    this.#unwrittenEnds = [];
    for (const attachment of this.#attachments.values()) attachment.fail((id) => this.#errorFor(id));
  }
}
