import type { BoundaryAccess, BoundaryNetwork } from './boundary.ts';
import type { ExaminedRoot } from './examined-root.ts';
import type { ReviewPackage } from './review-package.ts';

/** How far an answer reaches: this session, every session of this project, or every session of this server. */
export type ReviewScope = 'session' | 'project' | 'always';

/** A root that somebody is asked about. */
export interface ReviewRoot extends ExaminedRoot {
  /**
   * The server has it without anybody's yes, once it runs: policies or what was decided before give it. An answer that lists roots takes it
   * away by leaving it out, or narrows it.
   */
  readonly given?: { readonly policies: readonly string[] };
  /** All that the server would have of it: its command line names nothing else there. Canonical. */
  readonly only?: readonly string[];
  /** No root of the session so far: with a yes the session has it too, and so its agent, until it is taken from the session. */
  readonly joinsSession?: true;
}

/** The MCP server that a review is about: nothing of it is shortened, and no secret of it is here. */
export interface ReviewServer {
  readonly name: string;
  /** `sha256:` and hexadecimal digits. */
  readonly fingerprint: string;
  readonly origin: 'configuration' | 'client' | 'workspace' | 'agent';
  readonly transport: 'stdio' | 'http' | 'sse';
  readonly command?: string;
  readonly args?: readonly string[];
  /** Names of the variables that it is declared with, in order; their values may be secrets. Missing where there are none. */
  readonly variables?: readonly string[];
  /** What its command fetches; missing where it fetches nothing that has a name and a version. */
  readonly package?: ReviewPackage;
  /** What its process may reach, as far as that is decided; an answer may grant more. Missing for what has no process here. */
  readonly network?: BoundaryNetwork;
  /** Without user part, query and fragment. */
  readonly url?: string;
  /** Runs on this machine, started by Reeve. */
  readonly local: boolean;
  /** The operating system confines it to its roots. */
  readonly sandboxed: boolean;
  /** Another program, command or address was approved under this name before, for this session, its project or always. */
  readonly changed: boolean;
  /** What it says of itself (MCP, `serverInfo`): a claim, which nobody checked. */
  readonly claimed?: { readonly name: string; readonly version: string };
}

/** How many tools a server offers, by what it says of them (MCP, tool annotations); untrusted unless `trusted`. */
export interface ReviewTools {
  readonly total: number;
  readonly readOnly: number;
  readonly destructive: number;
  readonly openWorld: number;
  readonly trusted: boolean;
}

/** Params of `_sandboxagent/review`: what a person must decide before an MCP server starts, sees roots, or runs one call. */
export interface ReviewParams {
  readonly review: 'server' | 'root' | 'call';
  /** Who must say yes. */
  readonly approval: 'user' | 'administrator';
  readonly server: ReviewServer;
  /** Asked about with it, and what a server would have anyway; an answer may leave some out, or give less access. */
  readonly roots?: readonly ReviewRoot[];
  /** Missing before the server was started for the first time: nobody knows. */
  readonly tools?: ReviewTools;
  /** `arguments`: JSON for people, cut where it is very long, which it says then. */
  readonly call?: { readonly method: string; readonly tool?: string; readonly arguments?: string };
  /** What the answer may be given for. */
  readonly scopes: readonly ReviewScope[];
  /** What whoever asked wants it for: no answer gives more, and one that says nothing else gives this. */
  readonly wanted?: ReviewWish;
}

/** How far, and until when (milliseconds since the epoch). */
export interface ReviewWish {
  readonly scope?: ReviewScope;
  readonly expiresAt?: number;
}

/** The answer to a review. It gives what was asked or less. */
export interface ReviewResult {
  readonly decision: 'approve' | 'deny';
  /** Why, for the people. */
  readonly reason?: string;
  /** `session` where it is left out, or what was wanted. */
  readonly scope?: ReviewScope;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number;
  /** All that was asked where it is left out. With a `deny` of roots: those that are denied, `others` is `ask` then. */
  readonly roots?: readonly { readonly path: string; readonly access: BoundaryAccess }[];
  /** What becomes of the roots that `roots` leaves out: `ask`: nothing is decided about them. `deny` where it is left out. */
  readonly others?: 'deny' | 'ask';
  /** What the server says of its own tools is believed from now on. */
  readonly trusted?: boolean;
  /** Hosts that the server may reach; none where it is left out. */
  readonly network?: BoundaryNetwork;
}
