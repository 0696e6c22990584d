import { setTimeout as delay } from 'node:timers/promises';
import { encodeNotification, encodeRequest, type RpcMessage } from '@reeve/protocol';
import type { GatewayLimits } from '../gateway-limits.ts';
import type { McpEra } from '../server-status.ts';
import type { Hello } from './server-facts.ts';
import { type Handshake, shakeHands } from './shake-hands.ts';
import type { UpstreamLink } from './upstream-link.ts';

/** Opens the links to one server, one after the other: remembers its era, and keeps the answers to its own questions. */
export class Opening {
  readonly #limits: Pick<GatewayLimits, 'mcpProbeMs' | 'mcpStartMs'>;
  readonly #asked = new Map<string, (reply: RpcMessage) => void>();
  #askedCount = 0;
  #era: McpEra | undefined;

  constructor(limits: Pick<GatewayLimits, 'mcpProbeMs' | 'mcpStartMs'>) {
    this.#limits = limits;
  }

  /** @returns whether the message answers one of our questions */
  receive(message: RpcMessage): boolean {
    if (this.#asked.size === 0 || (message.kind !== 'result' && message.kind !== 'error')) return false;
    const settle = this.#asked.get(String(message.id));
    settle?.(message);
    return settle !== undefined;
  }

  /** Never rejects. */
  async open(link: UpstreamLink, hello: Hello, signal: AbortSignal): Promise<Handshake> {
    const asked: string[] = [];
    const over = new AbortController();
    void link.ended.then(() => over.abort());
    try {
      const handshake = await shakeHands({
        hello,
        first: this.#era ?? hello.era,
        ask: (method, params) => this.#ask(link, method, params, asked),
        probeMs: this.#limits.mcpProbeMs,
        startMs: this.#limits.mcpStartMs,
        signal: AbortSignal.any([over.signal, signal]),
      });
      if (handshake.kind === 'failed') return handshake;
      const { era, version } = handshake.facts;
      this.#era = era;
      link.agreed(version);
      if (era === 'initialize') link.send(Buffer.from(encodeNotification('notifications/initialized', undefined)));
      return handshake;
    } catch {
      // It ended on the first words: some old servers do when they are asked anything before `initialize`.
      this.#era ??= 'initialize';
      const reason = await Promise.race([link.ended, delay(0, 'the server was not opened')]);
      return { kind: 'failed', reason };
    } finally {
      for (const id of asked) this.#asked.delete(id);
    }
  }

  #ask(link: UpstreamLink, method: string, params: unknown, asked: string[]): Promise<RpcMessage> {
    this.#askedCount += 1;
    const id = `reeve-${this.#askedCount}`;
    const { promise, resolve, reject } = Promise.withResolvers<RpcMessage>();
    this.#asked.set(id, resolve);
    asked.push(id);
    void link.ended.then((reason) => reject(new Error(reason)));
    promise.catch(() => {}); // The other era may have won.
    link.send(Buffer.from(encodeRequest(id, method, params)));
    return promise;
  }
}
