import type { CallEnd, CallSummary, ScopeChange, ServerGuard } from '../boundary/server-guard.ts';
import type { CallRevocation } from './call-revocation.ts';
import type { McpEra } from './server-status.ts';

/** Requests that make a server neither act nor tell of anything new: they are looked through for paths, and nobody is asked about them. */
const PLAIN_METHODS: ReadonlySet<string> = new Set([
  ...['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'],
  ...['resources/unsubscribe', 'logging/setLevel', 'tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'],
]);

/** Whether a request makes a server act or tell something. One of a method that nobody knows does. */
export function isCall(method: string): boolean {
  return !PLAIN_METHODS.has(method);
}

/** One call of the agent, before it is forwarded. */
export interface GatedCall {
  readonly method: string;
  /** As it came, parsed and not checked; not to be changed. In the new era also what belongs to a call that is sent again. */
  readonly params: unknown;
  /** What the server said of the tool in the last `tools/list`; MCP's defaults where it said nothing or was not asked. */
  readonly claims: CallSummary['claims'];
  /** Whether the server has named this very tool or prompt in a list of it, which may come while the call is under way. */
  readonly isListed: () => boolean;
  /** `inputSchema` of the tool as the server gave it, where its list is known. */
  readonly inputSchema: unknown;
  /** How the server speaks: the new era is told its roots with each ask, the old one keeps what it fetched. */
  readonly era: McpEra;
  /** What the agent's MCP client says of itself: its patience is judged by that. */
  readonly client: { readonly name: string; readonly version: string } | undefined;
}

export type CallVerdict =
  | {
      readonly kind: 'forward';
      /** Revoked when the call must not go on: it is cancelled upstream, and the agent is told the reason as `isError`. */
      readonly revocation?: CallRevocation;
      /** Members of `params._meta` that do not go to the server; none unless told. */
      readonly withoutMeta?: readonly string[];
      /** Called once. The revision at the end is the one of this moment. */
      done(outcome: CallEnd): void;
    }
  /** Becomes a result with `isError` for `tools/call`, an error for the others. The text says the next step. */
  | { readonly kind: 'refuse'; readonly text: string };

/** What becomes of a message that is no call. */
export type Screening =
  | { readonly kind: 'forward'; readonly withoutMeta?: readonly string[] }
  | { readonly kind: 'refuse'; readonly text: string };

/**
 * Decides about calls of one server of one session. The gateway makes one for each guard, asks it for each gated call, and tells it
 * what it must know to judge how fresh the server's view is.
 */
export interface CallGate extends Disposable {
  /**
   * Answers at once where it can. A promise holds the call: the gateway sends the agent progress meanwhile.
   * @param caller its signal aborts when the agent takes the call back or its connection ends; the verdict is not used then
   */
  check(call: GatedCall, caller: { readonly signal: AbortSignal }): CallVerdict | Promise<CallVerdict>;
  /**
   * Looks through what else an agent sends for paths: plain requests, notifications, answers to what the server asked. Nobody is asked and
   * nothing waits for a change; it is recorded only when it is refused. Answers at once where it names no path.
   * @param quiet it is Reeve that would send it: no alarm, and no record
   */
  screen(message: Pick<GatedCall, 'method' | 'params'>, quiet?: 'quiet'): Screening | Promise<Screening>;
  /**
   * The server asks an agent, or who is behind it, for something (elicitation, sampling): an alarm where it names a path outside its
   * roots. That goes on: who is asked decides. Never throws.
   */
  serverAsks(message: Pick<GatedCall, 'method' | 'params'>): void;
  /** The server's `roots/list` was answered with the roots of this revision (old era), or its ask within a call (new era). */
  rootsAnswered(revision: number): void;
  /** The server was started, or contacted anew, in this revision: it has no older view. */
  serverStarted(revision: number): void;
  /**
   * Before the gateway tells or restarts the server, in the very tick in which the guard tells of the change: holds what comes from now
   * on, revokes what is in flight as the change says. Resolves when no call that may go on is left in flight, or has had its time
   * (`timeouts.mcpDrainMs`): then the server may be stopped. Never rejects.
   */
  scopeChanging(change: ScopeChange): Promise<void>;
  /** The change is through: the server was told, or replaced, or has ended. */
  scopeChanged(change: ScopeChange): void;
  /** Ends all holds as refusals: the turn was cancelled. */
  dropHolds(reason: string): void;
}

/** @param toolTimeoutMs what the agent was told by its environment to give each call, whatever progress it hears of */
export type CreateCallGate = (guard: ServerGuard, toolTimeoutMs?: number) => CallGate;
