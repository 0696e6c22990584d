import {
  type ConnectionId,
  type EventSeq,
  EXTENSION,
  encodeNotification,
  encodeRequest,
  isObject,
  type JsonRpcId,
  type RequestId,
  type ReviewParams,
  type SessionId,
} from '@reeve/protocol';
import type { OnSettled } from '../requests/request-broker.ts';
import type { StoredRequest } from '../requests/request-store.ts';
import type { ClientPort, ClientReply } from './client-port.ts';
import { reviewPermission } from './review-permission.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionStream } from './session-stream.ts';

export interface ReviewOffersOptions {
  readonly services: SessionServices;
  readonly sessionId: SessionId;
  readonly stream: SessionStream;
  /** One more or one less waits. */
  readonly onChange: () => void;
}

interface Offered {
  /** Of the note that tells of it. */
  readonly seq: EventSeq;
  readonly clientIds: Map<ConnectionId, { readonly port: ClientPort; readonly id: JsonRpcId }>;
}

/**
 * What Reeve itself asks the people of one session, about its MCP servers. Every controller is asked, as for a permission, which every
 * client can answer; one that only an administrator may approve waits in the inbox.
 */
export class ReviewOffers implements Disposable {
  readonly #options: ReviewOffersOptions;
  readonly #offered = new Map<RequestId, Offered>();
  readonly #watch: Disposable;

  constructor(options: ReviewOffersOptions) {
    this.#options = options;
    this.#watch = options.services.broker.watchReviews(options.sessionId, {
      opened: (review) => this.#opened(review),
      settled: (...end) => this.#settled(...end),
    });
  }

  /** Somebody is asked, and has not answered. */
  get waiting(): boolean {
    return this.#offered.size > 0;
  }

  /** Offers what waits to a controller that has just come, when it has everything up to `after`. */
  offerPending(port: ClientPort, after: EventSeq): void {
    for (const request of this.#options.services.broker.pendingOf(this.#options.sessionId)) {
      if (!this.#offered.get(request.id)?.clientIds.has(port.id)) this.#offer(request, port, after);
    }
  }

  /** A client left the session: it may come back and be asked again. */
  left(connection: ConnectionId): void {
    for (const { clientIds } of this.#offered.values()) {
      const known = clientIds.get(connection);
      known?.port.forgetReply(known.id);
      clientIds.delete(connection);
    }
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
  }

  #opened(review: StoredRequest): void {
    const { stream, onChange } = this.#options;
    const { review: what, approval, server } = review.params as ReviewParams;
    const seq = stream.note('review_asked', { requestId: review.id, review: what, approval, server: server.name });
    this.#offered.set(review.id, { seq, clientIds: new Map() });
    for (const port of stream.controllers()) this.#offer(review, port, seq);
    onChange();
  }

  #offer(review: StoredRequest, port: ClientPort, after: EventSeq): void {
    const offered = this.#offered.get(review.id);
    const params = review.params as ReviewParams;
    if (!offered || port.gone || params.approval === 'administrator') return;
    const id = port.expectReply((reply) => void this.#answered(review, port, reply));
    offered.clientIds.set(port.id, { port, id });
    const asked = { sessionId: this.#options.sessionId, ...reviewPermission(review.id, params, port.profile) };
    const message = Buffer.from(encodeRequest(id, 'session/request_permission', asked));
    this.#options.stream.sendAfter(port, Math.max(offered.seq, after) as EventSeq, message);
  }

  async #answered(review: StoredRequest, port: ClientPort, reply: ClientReply): Promise<void> {
    this.#offered.get(review.id)?.clientIds.delete(port.id);
    // An error, or that the turn was cancelled, is no answer: the review waits for the others.
    const outcome = reply.kind === 'result' && isObject(reply.result) ? reply.result.outcome : undefined;
    const optionId = isObject(outcome) && outcome.outcome === 'selected' ? outcome.optionId : undefined;
    if (typeof optionId !== 'string') return;
    const { services, sessionId } = this.#options;
    const facts = { sessionId, requestId: review.id, client: port.label };
    try {
      const by = { label: port.label, connection: port.id };
      const { kind } = await services.broker.answer(review.id, { optionId }, by);
      if (kind === 'not_offered') services.warn('a client answered a review with what was not offered', facts);
    } catch (error) {
      services.warn('the answer to a review could not be stored', { ...facts, error: String(error) });
    }
  }

  #settled(...[review, state, by]: Parameters<OnSettled>): void {
    const { stream, sessionId, onChange } = this.#options;
    const offered = this.#offered.get(review.id);
    this.#offered.delete(review.id);
    const outcome = {
      kind: state.kind,
      ...(state.kind === 'answered' ? { result: state.result } : { reason: state.reason }),
    };
    const told = { requestId: review.id, by: by?.label ?? null, outcome };
    stream.note('review_settled', told);
    for (const { port, id } of offered?.clientIds.values() ?? []) {
      port.forgetReply(id);
      stream.sendAfter(port, stream.lastSeq, Buffer.from(encodeNotification('$/cancel_request', { requestId: id })));
    }
    const resolved = Buffer.from(encodeNotification(EXTENSION.requestResolved, { sessionId, ...told }));
    for (const { port } of stream.attachments) {
      if (port.id !== by?.connection && port.features.requestResolved)
        stream.sendAfter(port, stream.durableSeq, resolved);
    }
    onChange();
  }
}
