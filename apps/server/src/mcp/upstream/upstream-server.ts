import { setTimeout as delay } from 'node:timers/promises';
import type { RpcMessage } from '@reeve/protocol';
import type { Enforcement } from '@reeve/sandbox';
import type { ScopeChange, ServerGuard } from '../../boundary/server-guard.ts';
import type { GatewayLimits } from '../gateway-limits.ts';
import type { ServerState } from '../server-status.ts';
import { hideOwnSecrets } from '../wire/hide-own-secrets.ts';
import { implementationOf } from '../wire/read-meta.ts';
import { Availability, type Readiness } from './availability.ts';
import type { OpenedLink, OpenLink } from './opened-link.ts';
import { Opening } from './opening.ts';
import { Replacement } from './replacement.ts';
import { nextStart } from './restart-pace.ts';
import type { Hello, ServerFacts } from './server-facts.ts';
import { ServerStderr } from './server-stderr.ts';
import type { UpstreamLink } from './upstream-link.ts';

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

/** One link from its opening to its end. */
interface Life {
  readonly reason: string;
  /** How long it could be called. */
  readonly ranMs: number;
  /** `replaced`: ended by us for a change of the scope. `fatal`: another start would end the same way. */
  readonly next: 'again' | 'replaced' | 'fatal';
}

/** Of what a server says, as much as a person reads. */
const MAX_REASON = 500;

const ENDED: Life = { reason: 'the session has ended', ranMs: 0, next: 'fatal' };

/**
 * One MCP server through all its starts: admitted, started, opened in its era once an agent has said hello, started again when it ends,
 * given up when it keeps ending. The agent notices nothing but slower answers.
 */
export class UpstreamServer implements AsyncDisposable {
  readonly #options: UpstreamServerOptions;
  readonly #availability: Availability;
  readonly #opening: Opening;
  readonly #hide: (text: string) => string;
  readonly #end = new AbortController();
  readonly #hello = Promise.withResolvers<Hello>();
  readonly #living: Promise<void>;
  #facts: ServerFacts | undefined;
  #link: UpstreamLink | undefined;
  #trusted = false;
  #starts = 0;
  #enforcement: Enforcement | undefined;
  readonly #stderr: ServerStderr;
  #again = Promise.withResolvers<void>();
  readonly #replacement = new Replacement();

  constructor(options: UpstreamServerOptions) {
    this.#options = options;
    this.#availability = new Availability(options.guard.server.name, () => options.listener.onChange());
    this.#opening = new Opening(options.limits);
    this.#hide = hideOwnSecrets(options.guard.server.transport);
    this.#stderr = new ServerStderr(this.#hide, options.limits.mcpStderrTailBytes);
    this.#living = this.#live();
  }

  get state(): ServerState {
    return this.#availability.state;
  }

  /** As it names itself, for people. */
  get claimed(): ReturnType<typeof implementationOf> {
    const claimed = implementationOf(this.#facts?.info);
    return claimed && { name: this.#hide(claimed.name), version: this.#hide(claimed.version) };
  }

  /** What it told when it was opened last. */
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
    return this.#availability.lastError;
  }

  /** Undefined unless it can be called now. */
  get link(): UpstreamLink | undefined {
    return this.state === 'running' ? this.#link : undefined;
  }

  stderrTail(): string {
    return this.#stderr.text();
  }

  /** An agent is there. Only the first one counts: the server is opened once for all. */
  greet(hello: Hello): void {
    this.#hello.resolve(hello);
  }

  /** Resolves when it can be called, when it is known that it cannot, or after `patienceMs`. Rejects with the signal's reason. */
  ready(patienceMs: number, signal: AbortSignal): Promise<Readiness> {
    return this.#availability.ready(patienceMs, signal);
  }

  /** Ends the process and starts it in its present scope. Resolves when it has started or nothing of it runs. */
  replace(because: ScopeChange): Promise<void> {
    const replaced = this.#replacement.ask(because);
    // What it failed for may be what has changed: a directory that it needs.
    if (!this.#replacement.running && this.state === 'failed' && because.withdrawn === undefined) this.retry();
    return replaced;
  }

  /** Starts again after it was refused or has failed. */
  retry(): void {
    if (this.state === 'refused' || this.state === 'failed') this.#again.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new Error(ENDED.reason));
    this.#again.resolve();
    await this.#living;
  }

  /** Never rejects. */
  async #live(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      this.#availability.become('waiting');
      const refusal = await this.#admit();
      if (signal.aborted) break;
      this.#again = Promise.withResolvers();
      if (refusal !== undefined) this.#settle('refused', refusal);
      else {
        const end = await this.#serve().catch(String);
        if (this.#replacement.because?.withdrawn !== undefined) {
          // It was admitted under what counted before: it is asked about anew.
          this.#replacement.forget();
          continue;
        }
        this.#settle('failed', end);
      }
      if (!signal.aborted) await this.#again.promise;
    }
    this.#settle('stopped', this.lastError);
  }

  async #admit(): Promise<string | undefined> {
    try {
      const admission = await this.#options.guard.admit(this.#end.signal);
      if (admission.kind === 'refused') return `${admission.reason} ${admission.next}`;
      this.#trusted = admission.trusted;
      return undefined;
    } catch (error) {
      return `it could not be asked about: ${String(error)}`;
    }
  }

  /** Keeps it running until it is given up; says why. */
  async #serve(): Promise<string> {
    const { signal } = this.#end;
    const rules = { restarts: this.#options.limits.mcpRestarts, backoffMs: this.#options.limits.mcpBackoffMs };
    let failures = 0;
    for (;;) {
      this.#availability.become(this.#starts === 0 ? 'starting' : 'restarting');
      const life = await this.#liveOnce();
      const withdrawn = this.#replacement.because?.withdrawn;
      if (life.next === 'replaced' && !signal.aborted && withdrawn === undefined) continue;
      this.#replacement.gone();
      if (withdrawn !== undefined) return withdrawn;
      const next = life.next === 'fatal' ? undefined : nextStart(failures, life.ranMs, rules);
      if (next === undefined || next.kind === 'give-up') return life.reason;
      failures = next.failures;
      this.#availability.become('restarting', life.reason);
      await delay(next.afterMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return ENDED.reason;
    }
  }

  async #liveOnce(): Promise<Life> {
    const { because, started } = this.#replacement.begin();
    this.#starts += 1;
    const opened = await this.#options.openLink({
      onMessage: (message, raw) => this.#receive(message, raw),
      onNoise: this.#options.onNoise,
      because,
      signal: this.#end.signal,
    });
    started();
    if (opened.kind === 'failed') return { reason: opened.reason, ranMs: 0, next: opened.retry ? 'again' : 'fatal' };
    await using link = opened.link;
    const life = await this.#liveOn(opened);
    return life.next === 'again' && link.hopeless ? { ...life, next: 'fatal' } : life;
  }

  async #liveOn(opened: Extract<OpenedLink, { kind: 'opened' }>): Promise<Life> {
    const { link, enforcement, revision } = opened;
    this.#link = link;
    this.#enforcement = enforcement;
    this.#stderr.follow(() => opened.stderrTail());
    this.#options.guard.held(enforcement);
    let openSince: number | undefined;
    const ended = link.ended.then((reason): Life => ({ reason, ranMs: 0, next: 'again' }));
    const opening = this.#open(link).then((failure): Life | Promise<Life> => {
      if (failure !== undefined) return { reason: failure, ranMs: 0, next: 'again' };
      if (this.#link !== link) return ended;
      openSince = performance.now();
      this.#availability.become('running');
      this.#options.listener.onOpen(this.#facts as ServerFacts, revision);
      return ended;
    });
    const life = await Promise.race([ended, this.#stopped(), opening]);
    this.#down(life.reason);
    return openSince === undefined ? life : { ...life, ranMs: performance.now() - openSince };
  }

  /** Opens it once an agent is there. @returns why that failed */
  async #open(link: UpstreamLink): Promise<string | undefined> {
    const hello = await this.#hello.promise;
    // Another link may have taken its place meanwhile.
    if (this.#link !== link) return 'it was replaced';
    const handshake = await this.#opening.open(link, hello, this.#end.signal);
    if (handshake.kind === 'failed') return this.#hide(handshake.reason).slice(0, MAX_REASON).toWellFormed();
    if (this.#link !== link) return 'it was replaced';
    this.#facts = handshake.facts;
    return undefined;
  }

  /** Resolves when we end it. */
  #stopped(): Promise<Life> {
    const { promise, resolve } = Promise.withResolvers<Life>();
    const { signal } = this.#end;
    signal.addEventListener('abort', () => resolve(ENDED), { once: true });
    if (signal.aborted) resolve(ENDED);
    const reason = 'it is started again because its boundary changed';
    void this.#replacement.asked.then(() => resolve({ reason, ranMs: 0, next: 'replaced' }));
    return promise;
  }

  #receive(message: RpcMessage, raw: Buffer): void {
    if (!this.#opening.receive(message)) this.#options.listener.onMessage(message, raw);
  }

  #down(reason: string): void {
    this.#stderr.keep();
    this.#link = undefined;
    this.#enforcement = undefined;
    this.#availability.become('restarting');
    this.#options.guard.held(undefined);
    this.#options.listener.onDown(reason);
  }

  #settle(state: 'failed' | 'refused' | 'stopped', reason: string | undefined): void {
    this.#replacement.gone();
    this.#availability.become(state, reason);
    this.#options.listener.onDown(this.#availability.unavailable());
  }
}
