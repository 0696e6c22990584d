import type { BoundaryDiff, Outcome } from '@reeve/policy';
import type { BoundaryAccess, BoundaryNetwork, BoundaryRoot, ReviewPackage, SessionId } from '@reeve/protocol';
import type { Enforcement } from '@reeve/sandbox';
import type { Enter } from '../audit/trace-scope.ts';
import type { DeclaredServer } from './declared-server.ts';
import type { RootTurn } from './kept-roots.ts';

/** What one MCP server of one session may have under one revision of the boundary. */
export interface ServerScope {
  readonly revision: number;
  /** Granted, still what was approved (device and inode), inside the boundary, no more than its command line names. In order. */
  readonly roots: readonly BoundaryRoot[];
  /**
   * Where a server that is a process works, and where relative paths of its calls begin: canonical. That of the session where it lies in a
   * root of the server, else the first root that is a directory; undefined without one.
   */
  readonly cwd?: string;
  /** `none` unless its review granted hosts. */
  readonly network: BoundaryNetwork;
  /** Roots of the session that a person has yet to decide about. */
  readonly undecided: number;
  /** Canonical paths of the session's roots that it was not granted: its own package is not shown where it holds one of them. */
  readonly withheld?: readonly string[];
}

export type Admission =
  /** `trusted`: what it says of its own tools is believed. */
  | { readonly kind: 'admitted'; readonly trusted: boolean }
  /** `next`: what a person or the agent can do about it, in one sentence. */
  | { readonly kind: 'refused'; readonly reason: string; readonly next: string };

/** How the scope of a server changed. */
export interface ScopeChange {
  readonly before: ServerScope;
  readonly after: ServerScope;
  readonly diff: BoundaryDiff;
  /** What becomes of calls that began before. */
  readonly calls: 'finish' | 'cancel' | 'ask';
  /** Why the server may not run any more, whatever its scope: end it, then `admit` says whether and when it may again. */
  readonly withdrawn?: string;
}

/** A call without its arguments, for policies, people and records. */
export interface CallSummary {
  /** MCP method: `tools/call`, `resources/read`, …, or what else the agent sent. Text of at most 1024 characters. */
  readonly method: string;
  /** Name of the tool or prompt, as the agent gave it; undefined for resources. Text of at most 1024 characters. */
  readonly tool: string | undefined;
  /**
   * Both as records and alarms have them: a method of MCP and a name that the server listed, else `other`. What an agent writes there may
   * be a path or a secret. The name is found at each reading: a list may come while the call is under way.
   */
  readonly recorded: { readonly method: string; readonly tool: string | undefined };
  /** What the server says of the tool, without a word destructive and open-world (MCP, tool annotations). */
  readonly claims: { readonly readOnly: boolean; readonly destructive: boolean; readonly openWorld: boolean };
  /** Canonical paths that it touches. */
  readonly paths: readonly string[];
}

/** What policies say of a call. */
export interface CallDecision {
  readonly outcome: Outcome;
  readonly policies: readonly string[];
  readonly policyHash: string;
}

/** A call that a person must decide about. */
export interface CallQuestion {
  readonly call: CallSummary;
  /** Names session, server, tool and canonical arguments, and is no argument itself. */
  readonly key: string;
  /** Who must say yes. */
  readonly outcome: 'ask_user' | 'ask_admin';
  /** The arguments in words for whoever decides; kept with the request, never in the audit log. Undefined where there are none. */
  readonly shown: string | undefined;
}

/** Who was asked about a call. `by` is missing where nobody has answered; `request`, its id, where nobody could be asked. */
export interface CallAnswerer {
  readonly by?: string;
  readonly request?: string;
}

export type CallApproval =
  /** Once: the next call of the same tool with the same arguments is asked about again. */
  | (CallAnswerer & { readonly kind: 'approved'; readonly by: string })
  /** `by` is missing where no person said so: nobody may be asked, or the question ended. */
  | (CallAnswerer & { readonly kind: 'denied' })
  /** Nobody answered before the signal; the request goes on waiting, and its answer counts for the same call sent again. */
  | (Pick<CallAnswerer, 'request'> & { readonly kind: 'pending' });

/** What a server says of itself. */
export interface ServerClaims {
  readonly info?: { readonly name: string; readonly version: string };
  readonly tools: readonly CallSummary['claims'][];
}

export type CallEnd = 'completed' | 'failed' | 'refused' | 'cancelled';

/**
 * Who kept a call from the server. `gate`: Reeve, whatever policies say (a path outside, arguments that cannot be read); `deadline`: it
 * waited for longer than its caller does; `caller`: it was taken back, or its turn cancelled, while it waited.
 */
export type CallRefuser = 'gate' | 'policy' | 'person' | 'deadline' | 'caller';

/** A call that was let through or refused, until it is recorded: once, by whichever comes first. */
export interface RecordedCall {
  /** Writes the record, with the revision at the end beside the one at the start. */
  end(outcome: CallEnd): void;
  /** The same for a call that the server never saw: what policies said of it is not what became of it. */
  refused(by: CallRefuser): void;
}

/**
 * What governs one MCP server of one session. It holds state and asks policies and people; the gateway starts and stops the server
 * and relays its messages, and does here only what is said here. Everything is recorded in the audit log by the guard itself.
 */
export interface ServerGuard {
  readonly server: DeclaredServer;
  /**
   * The pinned identity: `sha256:` of command, arguments and the digest of the resolved program, or of the origin of the URL. Found
   * again by each `admit`.
   */
  readonly fingerprint: string;
  /** Of the session, canonical: relative words of its command line are meant from there, wherever the server works. */
  readonly cwd: string;
  /** The session, once the agent has opened it; what is asked of people before waits for that. */
  readonly session: SessionId | undefined;

  /** Enters the trace of what the session works on: for each message of the agent or the server, none of which names a trace that counts. */
  readonly work: Enter;

  /**
   * Whether the server may be started, or contacted. Asks a person where policy says so: resolves when it is decided, rejects
   * only with the signal's reason. Called again after a refusal it asks again.
   */
  admit(signal: AbortSignal): Promise<Admission>;

  /** What it may have now; decided roots only. Does not wait. */
  scope(): ServerScope;

  /**
   * For an answer to `roots/list` and for a start: decides what is undecided, waiting for people until `patience` aborts, and then
   * says what is approved so far. Records the exposure, durably before it resolves.
   * @param initiator `server` when it asks, `reeve` when it is started
   */
  expose(initiator: 'reeve' | 'server', patience: AbortSignal): Promise<ServerScope>;

  /** What policies say of this call now. Synchronous: cached by revision and policies. */
  decide(call: CallSummary, staleRoots: boolean): CallDecision;

  /** Asks a person about one call. */
  askCall(question: CallQuestion, signal: AbortSignal): Promise<CallApproval>;

  /** The turn was cancelled or the call taken back: requests of `askCall` under this key end. */
  dropCall(key: string, reason: string): void;

  /** A call begins, or is refused at once. @param asked who was asked about it, if somebody was */
  began(call: CallSummary, decision: CallDecision, asked?: CallAnswerer): RecordedCall;

  /** The server asks for, or is asked to touch, what it was not given: alarm, audit record, event, webhook. Never throws. */
  alarm(what: {
    readonly path: string;
    readonly access: BoundaryAccess;
    readonly by: 'server' | 'agent';
    readonly tool?: string;
  }): void;

  /** What the server told of itself and its tools when it was opened: a claim, shown to people as such. */
  described(what: ServerClaims): void;

  /** What its command fetched, and is started with. */
  fetched(what: ReviewPackage): void;

  /** What holds the process of the server, as a fact; `undefined` when it has none. Told again it is nothing new, and recorded once. */
  held(enforcement: Enforcement | undefined): void;

  /** What its process could not write in its read-write roots was replaced from outside: it is ended, and started again. */
  loosened(places: readonly RootTurn[]): void;

  /** The narrower scope holds: `probe` says how that was found from inside the sandbox, or why it could not be. */
  verified(revision: number, probe: { readonly kind: 'gone' | 'unverified'; readonly detail: string }): void;

  /**
   * Calls `listener` at every change of the scope, in the very tick in which `scope` begins to say the new one. A change is done, and
   * reported as done, when every listener has resolved: for a narrower scope when the server runs in the narrower sandbox, or not at all.
   */
  watch(listener: (change: ScopeChange) => Promise<void>): Disposable;
}
