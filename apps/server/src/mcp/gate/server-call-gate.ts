import { type CallPath, type CallPaths, callPaths, contains } from '@reeve/policy';
import type { CallAnswerer, CallDecision, CallSummary, ScopeChange, ServerGuard } from '../../boundary/server-guard.ts';
import type { CallGate, CallVerdict, CreateCallGate, GatedCall, Screening } from '../call-gate.ts';
import { CallRevocation } from '../call-revocation.ts';
import { approvalKey } from './approval-key.ts';
import { callPatienceMs, UNKNOWN_PATIENCE_MS } from './call-patience.ts';
import { CallQuestions, Dropped, type Refusal, reasonOf } from './call-questions.ts';
import { callSummary, hasReadableName, MAX_CALL_NAME } from './call-summary.ts';
import { isRemote } from './is-remote.ts';
import { type OutsidePath, type PlacedPaths, placePaths } from './place-paths.ts';
import * as say from './refusal-text.ts';
import { RootsView } from './roots-view.ts';
import { dependsOn, type RunningCall, RunningCalls, took } from './running-calls.ts';
import { shownArguments } from './shown-arguments.ts';
import { waitUntil } from './wait-until.ts';

export interface CallGateOptions {
  /** What a server that is not confined takes `~` for. */
  readonly home: string;
  readonly limits: {
    /** How long calls wait for a server of the old era to fetch its new roots (`timeouts.mcpStaleRootsMs`). */
    readonly mcpStaleRootsMs: number;
    /** How long calls that may go on have, before their server is replaced (`timeouts.mcpDrainMs`). */
    readonly mcpDrainMs: number;
  };
  /** Milliseconds that an agent waits for a call; `callPatienceMs` unless told. */
  readonly patienceMs?: typeof callPatienceMs;
}

/** What goes with a call that is let through. */
interface Passing {
  readonly key: RunningCall['key'];
  readonly withoutMeta: readonly string[];
  readonly asked?: CallAnswerer | undefined;
}

type Approvable = 'ask_user' | 'ask_admin';

/** Of what no tool is called for: MCP's defaults. */
const UNSAID: CallSummary['claims'] = { readOnly: false, destructive: true, openWorld: true };

/** Gates the calls of one server of one session: where their paths lead, how fresh the server's view is, what policies and people say. */
export function createCallGates(options: CallGateOptions): CreateCallGate {
  return (guard, toolTimeoutMs) => new ServerCallGate(guard, options, toolTimeoutMs);
}

class ServerCallGate implements CallGate {
  readonly #guard: ServerGuard;
  readonly #options: CallGateOptions;
  readonly #patienceMs: (client: GatedCall['client']) => number | undefined;
  readonly #remote: boolean;
  readonly #view: RootsView;
  readonly #running = new RunningCalls();
  readonly #holds = new Set<AbortController>();
  /** Changes that are under way; calls wait until there is none. */
  #changing = 0;
  #opened = Promise.withResolvers<void>();
  /** Grows with each change: what was found out before it may not hold. */
  #generation = 0;
  readonly #questions: CallQuestions;

  constructor(guard: ServerGuard, options: CallGateOptions, toolTimeoutMs: number | undefined) {
    this.#guard = guard;
    this.#options = options;
    const { patienceMs = callPatienceMs } = options;
    this.#patienceMs = (client) => patienceMs(client, toolTimeoutMs);
    this.#remote = isRemote(guard.server.transport);
    this.#questions = new CallQuestions(guard);
    this.#view = new RootsView(options.limits.mcpStaleRootsMs);
  }

  check(call: GatedCall, caller: { readonly signal: AbortSignal }): CallVerdict | Promise<CallVerdict> {
    return this.#passAtOnce(call) ?? this.#hold(call, caller.signal);
  }

  async #hold(call: GatedCall, signal: AbortSignal): Promise<CallVerdict> {
    const drop = new AbortController();
    this.#holds.add(drop);
    const patience = this.#patienceMs(call.client);
    const late = new AbortController();
    const timer = patience === undefined ? undefined : setTimeout(() => late.abort(), patience);
    const held = AbortSignal.any([signal, drop.signal]);
    try {
      return await this.#decide(call, held, AbortSignal.any([held, late.signal]));
    } finally {
      clearTimeout(timer);
      this.#holds.delete(drop);
    }
  }

  screen(message: Pick<GatedCall, 'method' | 'params'>, quiet?: 'quiet'): Screening | Promise<Screening> {
    const { method, params } = message;
    const found = callPaths(method, params);
    if (quiet !== undefined) return this.#screenQuietly(found);
    const call = callSummary({ ...message, claims: UNSAID, isListed: () => false }, []);
    if (found.kind !== 'paths') return this.#refuse(call, { by: 'gate', text: say.malformedText(found, this.#name) });
    const { paths, unreadable } = found;
    return paths.length === 0
      ? { kind: 'forward', withoutMeta: unreadable }
      : this.#screenPaths(call, paths, unreadable);
  }

  serverAsks({ method, params }: Pick<GatedCall, 'method' | 'params'>): void {
    const found = callPaths(method, params);
    if (found.kind !== 'paths' || found.paths.length === 0) return;
    const look = async (): Promise<void> => {
      const { outside } = await this.#place(found.paths);
      if (outside) this.#guard.alarm({ path: outside.path, access: 'ro', by: 'server' });
    };
    // Nobody waits for it: where it cannot be looked up nothing is known to be outside.
    this.#guard.work(look).catch(() => {});
  }

  rootsAnswered(revision: number): void {
    this.#view.fetched(revision);
  }

  serverStarted(revision: number): void {
    this.#view.started(revision);
  }

  async scopeChanging(change: ScopeChange): Promise<void> {
    this.#changing += 1;
    this.#generation += 1;
    const asked = this.#running.all
      .filter(({ summary }) => !took(change) || dependsOn(summary, change))
      .map((call) => {
        if (change.calls === 'cancel' || change.withdrawn !== undefined)
          return call.revocation.revoke(say.revokedText(this.#name, took(change)));
        return change.calls === 'ask' ? this.#askToGoOn(call, took(change)) : undefined;
      });
    await Promise.all(asked);
    await this.#running.drained(this.#options.limits.mcpDrainMs);
  }

  scopeChanged({ after, diff }: ScopeChange): void {
    if (diff.listChanged) this.#view.changed(after.revision);
    this.#generation += 1;
    this.#changing = Math.max(0, this.#changing - 1);
    if (this.#changing > 0) return;
    this.#opened.resolve();
    this.#opened = Promise.withResolvers();
  }

  dropHolds(reason: string): void {
    for (const drop of this.#holds) drop.abort(new Dropped(reason));
  }

  [Symbol.dispose](): void {
    this.dropHolds('The session has ended.');
    for (const { revocation } of this.#running.all) revocation.revoke(say.revokedText(this.#name, true));
  }

  get #name(): string {
    return this.#guard.server.name;
  }

  /** Lets a call through for which nothing must be waited for, looked up or asked; undefined for any other. */
  #passAtOnce(call: GatedCall): CallVerdict | undefined {
    const { method, params, era } = call;
    if (this.#changing > 0 || (era === 'initialize' && !this.#view.isFresh)) return undefined;
    const found = callPaths(method, params);
    if (found.kind !== 'paths' || found.paths.length > 0 || !hasReadableName(call)) return undefined;
    const summary = callSummary(call, []);
    const decision = this.#guard.decide(summary, false);
    if (decision.outcome !== 'allow') return undefined;
    return this.#pass(summary, decision, { key: this.#keyOf(call), withoutMeta: found.unreadable });
  }

  /** Most calls need none. */
  #keyOf(call: GatedCall): () => string | undefined {
    return () => approvalKey(this.#guard, call);
  }

  async #decide(call: GatedCall, held: AbortSignal, deadline: AbortSignal): Promise<CallVerdict> {
    const { method, params, era } = call;
    const known = callSummary(call, []);
    const found = callPaths(method, params);
    if (found.kind !== 'paths') return this.#refuse(known, { by: 'gate', text: say.malformedText(found, this.#name) });
    if (!hasReadableName(call))
      return this.#refuse(known, { by: 'gate', text: say.nameText(this.#name, MAX_CALL_NAME) });
    const keyOf = this.#keyOf(call);
    let approved: Approvable | undefined;
    let unasked: readonly string[] = [];
    let asked: CallAnswerer | undefined;
    for (;;) {
      if (!(await this.#settled(deadline))) return this.#interrupted(call, held);
      const stale = era === 'initialize' && !(await this.#view.fresh(deadline));
      const generation = this.#generation;
      const placed = await this.#place(found.paths, deadline);
      const { outside } = placed;
      if (deadline.aborted) return this.#interrupted(call, held);
      if (generation !== this.#generation || this.#changing > 0) continue;

      // From here to the verdict nothing is waited for: no change comes in between.
      const summary = { ...known, paths: outside ? [...placed.inside, outside.path] : placed.inside };
      if (outside) return this.#refuseOutside(summary, outside);
      const decision = this.#guard.decide(summary, stale);
      const { outcome } = decision;
      if (outcome === 'deny')
        return this.#refuse(summary, { by: 'policy', text: say.deniedText(this.#name, decision.policies) }, decision);
      if (outcome === 'allow' || outcome === approved) {
        const withoutMeta = [...unasked, ...found.unreadable, ...this.#leaveOut(summary, placed)];
        return this.#pass(summary, decision, { key: keyOf, withoutMeta, asked });
      }
      const key = keyOf();
      if (key === undefined)
        return this.#refuse(summary, { by: 'gate', text: say.unreadableText(this.#name) }, decision);
      const question = { call: summary, key, outcome, shown: shownArguments(params) };
      const answer = await this.#questions.ask(question, params, { held, deadline });
      if (answer.kind === 'refuse') return this.#refuse(summary, answer, decision);
      unasked = answer.unasked;
      asked = answer.asked;
      approved = outcome;
    }
  }

  /** Resolves when no change is under way; false when the deadline comes first. */
  async #settled(deadline: AbortSignal): Promise<boolean> {
    while (this.#changing > 0 && !deadline.aborted) await waitUntil(this.#opened.promise, deadline);
    return !deadline.aborted;
  }

  /** Whether a call that began before may go on. What nobody answers in time is ended. */
  async #askToGoOn({ summary, key, revocation }: RunningCall, narrowed: boolean): Promise<void> {
    const patience = AbortSignal.timeout(UNKNOWN_PATIENCE_MS);
    const question = `${key() ?? summary.method}:go-on`;
    const asked = { call: summary, key: question, outcome: 'ask_user', shown: undefined } as const;
    const answer = await this.#guard.askCall(asked, patience).catch(() => undefined);
    if (answer?.kind === 'approved') return;
    this.#guard.dropCall(question, 'The boundary was changed.');
    revocation.revoke(say.revokedText(this.#name, narrowed));
  }

  async #screenQuietly(found: CallPaths): Promise<Screening> {
    if (found.kind !== 'paths') return { kind: 'refuse', text: say.malformedText(found, this.#name) };
    const { outside, meta } = await this.#place(found.paths);
    if (outside) return { kind: 'refuse', text: outside.told };
    return { kind: 'forward', withoutMeta: [...found.unreadable, ...meta.keys()] };
  }

  async #screenPaths(call: CallSummary, paths: readonly CallPath[], unreadable: readonly string[]): Promise<Screening> {
    const placed = await this.#place(paths);
    const { outside } = placed;
    if (outside) return this.#refuseOutside({ ...call, paths: [...placed.inside, outside.path] }, outside);
    return { kind: 'forward', withoutMeta: [...unreadable, ...this.#leaveOut(call, placed)] };
  }

  async #place(paths: readonly CallPath[], signal?: AbortSignal): Promise<PlacedPaths> {
    const { roots, cwd } = this.#guard.scope();
    return placePaths(paths, { roots, cwd, home: this.#options.home, remote: this.#remote }, signal);
  }

  /**
   * Members of `_meta` with a path outside. Agents tell servers there of the directories that they work in themselves (Codex), so the call
   * goes on without them, and an alarm is only what lies outside of the session too.
   */
  #leaveOut(summary: CallSummary, { meta }: PlacedPaths): readonly string[] {
    const { withheld = [] } = this.#guard.scope();
    for (const { path } of meta.values())
      if (!withheld.some((root) => contains(root, path))) this.#alarm(summary, path);
    return [...meta.keys()];
  }

  #pass(summary: CallSummary, decision: CallDecision, { key, withoutMeta, asked }: Passing): CallVerdict {
    const revocation = new CallRevocation();
    const recorded = this.#guard.began(summary, decision, asked);
    const done = this.#running.add({ summary, key, revocation, recorded });
    return { kind: 'forward', revocation, withoutMeta, done };
  }

  #refuse(summary: CallSummary, { by, text, asked }: Refusal, decision = this.#guard.decide(summary, false)) {
    this.#guard.began(summary, decision, asked).refused(by);
    return { kind: 'refuse', text } as const;
  }

  #refuseOutside(summary: CallSummary, outside: OutsidePath) {
    this.#alarm(summary, outside.path);
    const { session } = this.#guard;
    const { roots } = this.#guard.scope();
    const text = say.outsideText(outside, { name: this.#name, session, roots, home: this.#options.home });
    return this.#refuse(summary, { by: 'gate', text });
  }

  #alarm({ claims, recorded: { tool } }: CallSummary, path: string): void {
    const access = claims.readOnly ? 'ro' : 'rw';
    this.#guard.alarm({ path, access, by: 'agent', ...(tool === undefined ? {} : { tool }) });
  }

  /** Held for a change, or for people no longer there. Nothing of it has run. */
  #interrupted(call: GatedCall, held: AbortSignal): CallVerdict {
    const refusal: Refusal = held.aborted
      ? { by: 'caller', text: reasonOf(held) }
      : { by: 'deadline', text: say.busyText(this.#name) };
    return this.#refuse(callSummary(call, []), refusal);
  }
}
