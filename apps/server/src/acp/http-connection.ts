import { idKey, isObject, type JsonRpcId, type SessionId } from '@reeve/protocol';
import type { SessionSink } from '../sessions/session-sink.ts';
import type { HttpResponse } from './sse-stream.ts';
import { type OutletOptions, StreamOutlet } from './stream-outlet.ts';
import type { InboundConnection, Transport } from './transport.ts';

/** Session streams that one client may hold open. */
/**
 * A session's stream outlives the session's release by this: its last answer goes another way, and a client takes a
 * stream's end for the failure of what it still waits for. Whoever says something to the session meanwhile keeps the stream.
 */
const RELEASE_LINGER_MS = 5_000;

export interface HttpConnectionOptions {
  readonly connectionQueueBytes: number;
  readonly maxSessionStreams: number;
  readonly heartbeatMs: number;
  /** Without a stream and without a message for this long, the client counts as gone. */
  readonly connectionIdleMs: number;
  /** How long a session's stream outlives its release; RELEASE_LINGER_MS unless given. */
  readonly releaseLingerMs?: number;
  /** Called once, when the connection is over, whoever ended it. */
  readonly onEnd: (connection: HttpConnection) => void;
}

/**
 * One client over streamable HTTP: messages come by POST; one stream of the connection and one of each session carry
 * what goes the other way.
 *
 * waiting for `initialize`'s answer ──answered──▶ open ──DELETE, idle, overflow, close()──▶ over
 */
export class HttpConnection implements Transport {
  readonly kind = 'http';
  readonly #options: HttpConnectionOptions;
  readonly #outlet: StreamOutlet;
  /** Outlets that the sessions write to or that a client has a stream of. */
  readonly #outlets = new Map<SessionId, StreamOutlet>();
  /** Those that the sessions write to: a client may open a stream before it says what it wants of a session. */
  readonly #attached = new Set<SessionId>();
  readonly #lingering = new Map<SessionId, NodeJS.Timeout>();
  #inbound: InboundConnection | undefined;
  #awaited: { readonly key: string; readonly settle: (answer: Uint8Array | undefined) => void } | undefined;
  /** Open streams and messages under way: while there are any, the client is there. */
  #signsOfLife = 0;
  #idle: NodeJS.Timeout | undefined;
  #over = false;

  constructor(options: HttpConnectionOptions) {
    this.#options = options;
    this.#outlet = new StreamOutlet({
      ...this.#bounds(),
      maxBacklogBytes: options.connectionQueueBytes,
      onStreams: (change) => this.#countLife(change),
    });
  }

  /** Sends `initialize` to `inbound`; resolves with the answer to it, or undefined when the connection ends first. */
  initialize(inbound: InboundConnection, id: JsonRpcId, text: string): Promise<Uint8Array | undefined> {
    this.#inbound = inbound;
    return new Promise((resolve) => {
      if (this.#over) return resolve(undefined);
      this.#awaited = { key: idKey(id), settle: resolve };
      inbound.receive(text);
    });
  }

  send(message: Uint8Array): void {
    const awaited = this.#awaited;
    if (awaited && answers(message, awaited.key)) {
      this.#awaited = undefined;
      this.#countLife(0);
      awaited.settle(message);
    } else this.#outlet.send(message);
  }

  sink(sessionId: SessionId): SessionSink {
    this.#attached.add(sessionId);
    return this.#sessionOutlet(sessionId);
  }

  release(sessionId: SessionId): void {
    if (!this.#attached.delete(sessionId)) return;
    const timer = setTimeout(() => {
      this.#lingering.delete(sessionId);
      const outlet = this.#outlets.get(sessionId);
      this.#outlets.delete(sessionId);
      outlet?.close();
    }, this.#options.releaseLingerMs ?? RELEASE_LINGER_MS);
    timer.unref();
    this.#lingering.set(sessionId, timer);
  }

  close(reason: string): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#idle);
    for (const timer of this.#lingering.values()) clearTimeout(timer);
    this.#lingering.clear();
    this.#outlet.close();
    const outlets = [...this.#outlets.values()];
    this.#outlets.clear();
    for (const outlet of outlets) outlet.close();
    this.#awaited?.settle(undefined);
    this.#awaited = undefined;
    this.#options.onEnd(this);
    this.#inbound?.vanish(reason);
  }

  /** The client counts as present while `work` is under way: a long body is a sign of life. */
  async presentDuring<T>(work: Promise<T>): Promise<T> {
    this.#countLife(1);
    try {
      return await work;
    } finally {
      this.#countLife(-1);
    }
  }

  /** `sessionId`: what the message names, if it names one. */
  receive(text: string, sessionId: SessionId | undefined): void {
    if (sessionId !== undefined) this.#keepStream(sessionId);
    if (!this.#over) this.#inbound?.receive(text);
  }

  /** Makes `response` the stream of the connection. */
  openStream(response: HttpResponse): void {
    this.#outlet.open(response);
  }

  /**
   * Makes `response` the stream of a session, for a client that has everything up to `after`. False, and nothing is done,
   * when too many are open.
   */
  openSessionStream(response: HttpResponse, sessionId: SessionId, after: number | undefined): boolean {
    if (!this.#outlets.has(sessionId) && this.#outlets.size >= this.#options.maxSessionStreams) return false;
    const outlet = this.#sessionOutlet(sessionId);
    outlet.open(response, after === undefined ? undefined : () => this.#inbound?.resumeStream(sessionId, after));
    return true;
  }

  #keepStream(sessionId: SessionId): void {
    clearTimeout(this.#lingering.get(sessionId));
    this.#lingering.delete(sessionId);
  }

  #sessionOutlet(sessionId: SessionId): StreamOutlet {
    this.#keepStream(sessionId);
    const known = this.#outlets.get(sessionId);
    if (known) return known;
    const outlet = new StreamOutlet({
      ...this.#bounds(),
      onStreams: (change) => {
        this.#countLife(change);
        if (!outlet.isOpen && !this.#attached.has(sessionId)) this.#outlets.delete(sessionId);
      },
    });
    if (this.#over) outlet.close();
    else this.#outlets.set(sessionId, outlet);
    return outlet;
  }

  #bounds(): Pick<OutletOptions, 'heartbeatMs' | 'maxParkedBytes' | 'onOverflow'> {
    const { heartbeatMs, connectionQueueBytes } = this.#options;
    const onOverflow = (): void => this.close('the client does not read what it is sent (limits.connectionQueueBytes)');
    return { heartbeatMs, maxParkedBytes: connectionQueueBytes, onOverflow };
  }

  #countLife(change: 1 | 0 | -1): void {
    this.#signsOfLife += change;
    clearTimeout(this.#idle);
    if (this.#over || this.#signsOfLife > 0 || this.#awaited) return;
    this.#idle = setTimeout(
      () => this.close('the client is gone (timeouts.httpConnectionIdleMs)'),
      this.#options.connectionIdleMs,
    );
    this.#idle.unref();
  }
}

function answers(message: Uint8Array, key: string): boolean {
  const value: unknown = JSON.parse(Buffer.from(message).toString('utf8'));
  return isObject(value) && !('method' in value) && idKey(value.id as JsonRpcId) === key;
}
