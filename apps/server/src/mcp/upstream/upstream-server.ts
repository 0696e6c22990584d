import { setTimeout as delay } from 'node:timers/promises';
import { encodeNotification, encodeRequest, type RpcMessage } from '@reeve/protocol';
import type { Enforcement } from '@reeve/sandbox';
import type { ScopeChange, ServerGuard } from '../../boundary/server-guard.ts';
import type { GatewayLimits } from '../gateway-limits.ts';
import type { McpEra, ServerState } from '../server-status.ts';
import { nextStart } from './restart-pace.ts';
import type { Hello, ServerFacts } from './server-facts.ts';
import { shakeHands } from './shake-hands.ts';
import type { UpstreamLink } from './upstream-link.ts';

/** A link that was opened, with what is known of it from outside. */
export type OpenedLink =
  | {
      readonly kind: 'opened';
      readonly link: UpstreamLink;
      readonly revision: number;
      readonly enforcement: Enforcement | undefined;
      stderrTail(): string;
    }
  | { readonly kind: 'failed'; readonly reason: string; readonly retry: boolean };

export interface LinkSite {
  onMessage(message: RpcMessage, raw: Buffer): void;
  onNoise(what: string): void;
  /** The narrower scope that makes this start necessary. */
  readonly because: ScopeChange | undefined;
  readonly signal: AbortSignal;
}

/** Starts a process or contacts a URL. Never rejects. */
export type OpenLink = (site: LinkSite) => Promise<OpenedLink>;

export interface UpstreamListener {
  /** A message of the open server; answers to our own opening are not told. */
  onMessage(message: RpcMessage, raw: Buffer): void;
  /** It can be called from now on. */
  onOpen(facts: ServerFacts, revision: number): void;
  /** Requests that were sent get no answers; called before the next `onOpen`, and when it fails or ends for good. */
  onDown(reason: string): void;
  /** `state` or anything else that people see has changed. */
  onChange(): void;
}

export interface UpstreamServerOptions {
  readonly guard: ServerGuard;
  readonly openLink: OpenLink;
  readonly limits: GatewayLimits;
  readonly listener: UpstreamListener;
  readonly onNoise: (what: string) => void;
}

/** Whether a server that is not open will be: what a call that needs it is told. */
export type Readiness = { readonly kind: 'open' } | { readonly kind: 'unavailable'; readonly text: string };

interface Life {
  readonly reason: string;
  readonly ranMs: number;
  /** `replaced`: ended by us for a change of the scope. `fatal`: another start would end the same way. */
  readonly next: 'again' | 'replaced' | 'fatal';
}

/**
 * One MCP server through all its starts: admitted, started, opened in its era once an agent has said hello, started again when it ends,
 * given up when it keeps ending. The agent notices nothing but slower answers.
 */
export class UpstreamServer implements AsyncDisposable {
  readonly #options: UpstreamServerOptions;
  readonly #end = new AbortController();
  readonly #hello = Promise.withResolvers<Hello>();
  readonly #living: Promise<void>;
  #state: ServerState = 'waiting';
  #facts: ServerFacts | undefined;
  #link: UpstreamLink | undefined;
  #trusted = false;
  #starts = 0;
  #enforcement: Enforcement | undefined;
  #lastError: string | undefined;
  #unavailable = '';
  #stderr: () => string = () => '';
  #earlierStderr = '';
  #knownEra: McpEra | undefined;
  #asked = new Map<string, (reply: RpcMessage) => void>();
  #askedCount = 0;
  #again = Promise.withResolvers<void>();
  #replaceNow = Promise.withResolvers<void>();
  #because: ScopeChange | undefined;
  /** A process or connection may be there. */
  #alive = false;
  #replaced: (() => void)[] = [];
  #waiters = new Set<() => void>();

  constructor(options: UpstreamServerOptions) {
    this.#options = options;
    this.#living = this.#live().catch((error: unknown) => this.#settle('failed', String(error)));
  }

  get state(): ServerState {
    return this.#state;
  }

  get facts(): ServerFacts | undefined {
    return this.#facts;
  }

  get trusted(): boolean {
    return this.#trusted;
  }

  get restarts(): number {
    return Math.max(0, this.#starts - 1);
  }

  get enforcement(): Enforcement | undefined {
    return this.#enforcement;
  }

  get lastError(): string | undefined {
    return this.#lastError;
  }

  /** Undefined unless it can be called now. */
  get link(): UpstreamLink | undefined {
    return this.#state === 'running' ? this.#link : undefined;
  }

  stderrTail(): string {
    const { mcpStderrTailBytes } = this.#options.limits;
    const tail = Buffer.from(this.#earlierStderr + this.#stderr());
    return tail.subarray(Math.max(0, tail.length - mcpStderrTailBytes)).toString();
  }

  /** An agent is there. Only the first one counts: the server is opened once for all. */
  greet(hello: Hello): void {
    this.#hello.resolve(hello);
  }

  /** Resolves when it can be called, when it is known that it cannot, or after `patienceMs`. Rejects with the signal's reason. */
  async ready(patienceMs: number, signal: AbortSignal): Promise<Readiness> {
    const until = performance.now() + patienceMs;
    for (;;) {
      signal.throwIfAborted();
      if (this.#state === 'running') return { kind: 'open' };
      if (this.#state === 'refused' || this.#state === 'failed' || this.#state === 'stopped') {
        return { kind: 'unavailable', text: this.#unavailable };
      }
      const left = until - performance.now();
      if (left <= 0) return { kind: 'unavailable', text: this.#notYet() };
      await this.#changed(left, signal);
    }
  }

  /** Ends the process and starts it in its present scope. Resolves when it has started or nothing of it runs. */
  async replace(because: ScopeChange): Promise<void> {
    this.#because = because;
    if (!this.#alive) return;
    const done = Promise.withResolvers<void>();
    this.#replaced.push(done.resolve);
    this.#replaceNow.resolve();
    await done.promise;
  }

  /** Starts again after it was refused or has failed. */
  retry(): void {
    this.#again.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new Error('the session has ended'));
    this.#again.resolve();
    await this.#living;
  }

  async #live(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      this.#set('waiting');
      const refusal = await this.#admit();
      if (signal.aborted) break;
      this.#again = Promise.withResolvers();
      if (refusal === undefined) this.#settle('failed', await this.#serve());
      else this.#settle('refused', refusal);
      if (!signal.aborted) await this.#again.promise;
    }
    this.#settle('stopped', 'the session has ended');
  }

  async #admit(): Promise<string | undefined> {
    const { guard } = this.#options;
    try {
      const admission = await guard.admit(this.#end.signal);
      if (admission.kind === 'refused') return `${admission.reason} ${admission.next}`;
      this.#trusted = admission.trusted;
      return undefined;
    } catch (error) {
      return `The server could not be admitted: ${String(error)}`;
    }
  }

  /** Keeps it running until it is given up; says why. */
  async #serve(): Promise<string> {
    const { signal } = this.#end;
    const rules = { restarts: this.#options.limits.mcpRestarts, backoffMs: this.#options.limits.mcpBackoffMs };
    let failures = 0;
    for (;;) {
      this.#set(this.#starts === 0 ? 'starting' : 'restarting');
      this.#alive = true;
      const life = await this.#liveOnce();
      if (life.next !== 'replaced') this.#gone();
      if (signal.aborted) return 'the session has ended';
      if (life.next === 'replaced') continue;
      this.#lastError = life.reason;
      const next = life.next === 'fatal' ? ({ kind: 'give-up' } as const) : nextStart(failures, life.ranMs, rules);
      if (next.kind === 'give-up') return life.reason;
      failures = next.failures;
      this.#set('restarting');
      await delay(next.afterMs, undefined, { signal }).catch(() => {});
    }
  }

  async #liveOnce(): Promise<Life> {
    const { openLink, listener, guard } = this.#options;
    const because = this.#because;
    this.#because = undefined;
    const finished = this.#replaced;
    this.#replaced = [];
    this.#replaceNow = Promise.withResolvers();
    this.#starts += 1;
    const opened = await openLink({
      onMessage: (message, raw) => this.#receive(message, raw),
      onNoise: this.#options.onNoise,
      because,
      signal: this.#end.signal,
    });
    for (const done of finished) done();
    if (opened.kind === 'failed') return { reason: opened.reason, ranMs: 0, next: opened.retry ? 'again' : 'fatal' };
    await using link = opened.link;
    this.#link = link;
    this.#enforcement = opened.enforcement;
    this.#stderr = () => opened.stderrTail();
    guard.held(opened.enforcement);
    const ended = link.ended.then((reason): Life => ({ reason, ranMs: 0, next: 'again' }));
    const stopped = this.#stopped();
    let openSince: number | undefined;
    const opening = this.#open(link).then(async (failure): Promise<Life> => {
      if (failure !== undefined) return { reason: failure, ranMs: 0, next: 'again' };
      openSince = performance.now();
      this.#set('running');
      listener.onOpen(this.#facts as ServerFacts, opened.revision);
      return ended;
    });
    const life = await Promise.race([ended, stopped, opening]);
    this.#down(life.reason);
    return openSince === undefined ? life : { ...life, ranMs: performance.now() - openSince };
  }

  #stopped(): Promise<Life> {
    const { promise, resolve } = Promise.withResolvers<Life>();
    const { signal } = this.#end;
    signal.addEventListener('abort', () => resolve({ reason: 'the session has ended', ranMs: 0, next: 'fatal' }), {
      once: true,
    });
    if (signal.aborted) resolve({ reason: 'the session has ended', ranMs: 0, next: 'fatal' });
    const reason = 'the server is started again because its boundary changed';
    void this.#replaceNow.promise.then(() => resolve({ reason, ranMs: 0, next: 'replaced' }));
    return promise;
  }

  /** Opens it once an agent is there. @returns why that failed */
  async #open(link: UpstreamLink): Promise<string | undefined> {
    const { limits } = this.#options;
    const hello = await this.#hello.promise;
    const over = new AbortController();
    void link.ended.then(() => over.abort());
    try {
      const handshake = await shakeHands({
        hello,
        first: this.#knownEra ?? hello.era,
        ask: (method, params) => this.#ask(link, method, params),
        probeMs: limits.mcpProbeMs,
        startMs: limits.mcpStartMs,
        signal: AbortSignal.any([over.signal, this.#end.signal]),
      });
      if (handshake.kind === 'failed') return handshake.reason;
      const { facts } = handshake;
      this.#facts = facts;
      this.#knownEra = facts.era;
      link.agreed(facts.version);
      if (facts.era === 'initialize')
        link.send(Buffer.from(encodeNotification('notifications/initialized', undefined)));
      return undefined;
    } catch {
      // It ended on the first words: some old servers do when they are asked anything before `initialize`.
      this.#knownEra ??= 'initialize';
      return (await Promise.race([link.ended, delay(0)])) ?? 'the server was not opened';
    } finally {
      this.#asked.clear();
    }
  }

  #ask(link: UpstreamLink, method: string, params: unknown): Promise<RpcMessage> {
    this.#askedCount += 1;
    const id = `reeve-${this.#askedCount}`;
    const { promise, resolve, reject } = Promise.withResolvers<RpcMessage>();
    this.#asked.set(id, resolve);
    void link.ended.then((reason) => reject(new Error(reason)));
    promise.catch(() => {}); // The other era may have won.
    link.send(Buffer.from(encodeRequest(id, method, params)));
    return promise;
  }

  #receive(message: RpcMessage, raw: Buffer): void {
    if (this.#asked.size > 0 && (message.kind === 'result' || message.kind === 'error')) {
      const settle = this.#asked.get(String(message.id));
      if (settle) return settle(message);
    }
    this.#options.listener.onMessage(message, raw);
  }

  #down(reason: string): void {
    this.#earlierStderr = this.stderrTail();
    this.#stderr = () => '';
    this.#link = undefined;
    this.#enforcement = undefined;
    if (this.#state === 'running') this.#set('restarting');
    this.#options.guard.held(undefined);
    this.#options.listener.onDown(reason);
  }

  /** Nothing of it runs: whoever waits for a narrower start has what they wait for. */
  #gone(): void {
    this.#alive = false;
    for (const done of this.#replaced) done();
    this.#replaced = [];
  }

  #settle(state: 'failed' | 'refused' | 'stopped', reason: string): void {
    const { name } = this.#options.guard.server;
    this.#unavailable =
      state === 'failed'
        ? `The MCP server "${name}" has failed: ${reason}. "reeve servers show ${name}" tells more; go on without it.`
        : state === 'refused'
          ? `The MCP server "${name}" was not admitted: ${reason}`
          : `The MCP server "${name}" has ended with its session.`;
    if (state !== 'stopped') this.#lastError = reason;
    this.#gone();
    this.#set(state);
    this.#options.listener.onDown(this.#unavailable);
  }

  #notYet(): string {
    const { name } = this.#options.guard.server;
    if (this.#state === 'waiting') return `The MCP server "${name}" waits for a person to admit it: try again later.`;
    const last = this.#lastError === undefined ? '' : ` Its last end: ${this.#lastError}.`;
    return `The MCP server "${name}" is not ready yet: try again later.${last}`;
  }

  #set(state: ServerState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#options.listener.onChange();
    for (const wake of this.#waiters) wake();
    this.#waiters.clear();
  }

  async #changed(withinMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiters.add(resolve);
    const timer = setTimeout(resolve, withinMs);
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    clearTimeout(timer);
    this.#waiters.delete(resolve);
  }
}
