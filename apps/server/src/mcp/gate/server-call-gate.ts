import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { callPaths } from '@reeve/policy';
import { isObject } from '@reeve/protocol';
import type {
  CallDecision,
  CallQuestion,
  CallRefuser,
  CallSummary,
  ScopeChange,
  ServerGuard,
} from '../../boundary/server-guard.ts';
import type { CallGate, CallVerdict, CreateCallGate, GatedCall } from '../call-gate.ts';
import { approvalKey } from './approval-key.ts';
import { callPatienceMs, UNKNOWN_PATIENCE_MS } from './call-patience.ts';
import { isRemote } from './is-remote.ts';
import { type OutsidePath, placePaths } from './place-paths.ts';
import * as say from './refusal-text.ts';
import { RootsView } from './roots-view.ts';
import { dependsOn, type RunningCall, RunningCalls } from './running-calls.ts';
import { shownArguments } from './shown-arguments.ts';

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

type Approvable = 'ask_user' | 'ask_admin';

interface Refusal {
  readonly by: CallRefuser;
  readonly text: string;
}

/** Why holds end: the agent's turn was cancelled. */
class Dropped extends Error {}

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
  /** The last question about each call: two of the same call are asked one after the other. */
  readonly #asking = new Map<string, Promise<void>>();

  constructor(guard: ServerGuard, options: CallGateOptions, toolTimeoutMs: number | undefined) {
    this.#guard = guard;
    this.#options = options;
    const { patienceMs = callPatienceMs } = options;
    this.#patienceMs = (client) => patienceMs(client, toolTimeoutMs);
    this.#remote = isRemote(guard.server.transport);
    this.#view = new RootsView(options.limits.mcpStaleRootsMs);
  }

  async check(call: GatedCall, signal: AbortSignal): Promise<CallVerdict> {
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
      .filter(({ summary }) => dependsOn(summary, change))
      .map((call) => {
        if (change.calls === 'cancel' || change.withdrawn !== undefined)
          return call.revoked.abort(say.revokedText(this.#name));
        return change.calls === 'ask' ? this.#askToGoOn(call) : undefined;
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
    for (const { revoked } of this.#running.all) revoked.abort(say.revokedText(this.#name));
  }

  get #name(): string {
    return this.#guard.server.name;
  }

  async #decide(call: GatedCall, held: AbortSignal, deadline: AbortSignal): Promise<CallVerdict> {
    const { method, params, era } = call;
    const found = callPaths(method, params);
    if (found.kind !== 'paths')
      return this.#refuse(
        { ...summaryOf(call), paths: [] },
        { by: 'gate', text: say.malformedText(found, this.#name) },
      );
    const key = approvalKey(this.#guard, call);
    let approved: Approvable | undefined;
    for (;;) {
      if (!(await this.#settled(deadline))) return this.#interrupted(call, held);
      const stale = era === 'initialize' && !(await this.#view.fresh(deadline));
      const generation = this.#generation;
      const { roots, cwd } = this.#guard.scope();
      const site = { roots, cwd, home: this.#options.home, remote: this.#remote };
      const placed = await placePaths(found.paths, site);
      const outside = placed.outside && { ...placed.outside, root: await neededRoot(placed.outside.told) };
      if (deadline.aborted) return this.#interrupted(call, held);
      if (generation !== this.#generation || this.#changing > 0) continue;

      // From here to the verdict nothing is waited for: no change comes in between.
      const summary = { ...summaryOf(call), paths: outside ? [...placed.inside, outside.path] : placed.inside };
      if (outside) return this.#refuseOutside(summary, outside, outside.root);
      const decision = this.#guard.decide(summary, stale);
      const { outcome } = decision;
      if (outcome === 'deny')
        return this.#refuse(summary, { by: 'policy', text: say.deniedText(this.#name, decision.policies) }, decision);
      if (outcome === 'allow' || outcome === approved) return this.#pass(summary, decision, key);
      if (key === undefined)
        return this.#refuse(summary, { by: 'gate', text: say.unreadableText(this.#name) }, decision);
      const answer = await this.#ask({ call: summary, key, outcome, shown: shownArguments(params) }, held, deadline);
      if (answer.kind === 'refuse') return this.#refuse(summary, answer, decision);
      approved = outcome;
    }
  }

  /** Resolves when no change is under way; false when the deadline comes first. */
  async #settled(deadline: AbortSignal): Promise<boolean> {
    while (this.#changing > 0 && !deadline.aborted) await orAborted(this.#opened.promise, deadline);
    return !deadline.aborted;
  }

  async #ask(
    question: CallQuestion,
    held: AbortSignal,
    deadline: AbortSignal,
  ): Promise<{ readonly kind: 'approved' } | ({ readonly kind: 'refuse' } & Refusal)> {
    const { key, outcome } = question;
    const before = this.#asking.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#asking.set(key, promise);
    try {
      if (before !== undefined) await orAborted(before, deadline);
      const approval = deadline.aborted
        ? ({ kind: 'pending' } as const)
        : await this.#guard.askCall(question, deadline);
      if (approval.kind === 'approved') return { kind: 'approved' };
      if (approval.kind === 'denied') {
        const by = approval.by === undefined ? 'gate' : 'person';
        return { kind: 'refuse', by, text: say.declinedText(this.#name) };
      }
      if (!held.aborted) return { kind: 'refuse', by: 'deadline', text: say.pendingText(this.#name, outcome) };
      const text = reasonOf(held);
      this.#guard.dropCall(key, text);
      return { kind: 'refuse', by: 'caller', text };
    } finally {
      resolve();
      if (this.#asking.get(key) === promise) this.#asking.delete(key);
    }
  }

  /** Whether a call that began before may go on. What nobody answers in time is ended. */
  async #askToGoOn({ summary, key, revoked }: RunningCall): Promise<void> {
    const patience = AbortSignal.timeout(UNKNOWN_PATIENCE_MS);
    const question = `${key ?? summary.method}:go-on`;
    const asked = { call: summary, key: question, outcome: 'ask_user', shown: undefined } as const;
    const answer = await this.#guard.askCall(asked, patience).catch(() => undefined);
    if (answer?.kind === 'approved') return;
    this.#guard.dropCall(question, 'The boundary was narrowed.');
    revoked.abort(say.revokedText(this.#name));
  }

  #pass(summary: CallSummary, decision: CallDecision, key: string | undefined): CallVerdict {
    const revoked = new AbortController();
    const recorded = this.#guard.began(summary, decision);
    return { kind: 'forward', revoked: revoked.signal, done: this.#running.add({ summary, key, revoked, recorded }) };
  }

  #refuse(summary: CallSummary, { by, text }: Refusal, decision = this.#guard.decide(summary, false)): CallVerdict {
    this.#guard.began(summary, decision).refused(by);
    return { kind: 'refuse', text };
  }

  #refuseOutside(summary: CallSummary, outside: OutsidePath, root: string): CallVerdict {
    const { tool, claims } = summary;
    const access = claims.readOnly ? 'ro' : 'rw';
    this.#guard.alarm({ path: outside.path, access, by: 'agent', ...(tool === undefined ? {} : { tool }) });
    const { session } = this.#guard;
    const { roots } = this.#guard.scope();
    const text = say.outsideText(outside, root, { name: this.#name, session, roots });
    return this.#refuse(summary, { by: 'gate', text });
  }

  /** Held for a change, or for people no longer there. Nothing of it has run. */
  #interrupted(call: GatedCall, held: AbortSignal): CallVerdict {
    const refusal: Refusal = held.aborted
      ? { by: 'caller', text: reasonOf(held) }
      : { by: 'deadline', text: say.busyText(this.#name) };
    return this.#refuse({ ...summaryOf(call), paths: [] }, refusal);
  }
}

function summaryOf({ method, params, claims }: GatedCall): Omit<CallSummary, 'paths'> {
  const name = isObject(params) && typeof params.name === 'string' ? params.name : undefined;
  return { method, tool: name, claims };
}

/** The directory that a person would grant. */
async function neededRoot(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ? path : dirname(path);
}

function reasonOf({ reason }: AbortSignal): string {
  return reason instanceof Dropped ? reason.message : 'The call was taken back.';
}

async function orAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const leave = (): void => resolve();
  signal.addEventListener('abort', leave, { once: true });
  await Promise.race([work, promise]);
  signal.removeEventListener('abort', leave);
}
