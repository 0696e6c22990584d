import type { BoundaryAccess, BoundaryNetwork } from '../boundary.ts';
import type { ExaminedRoot } from '../examined-root.ts';
import type { ReviewServer } from '../review.ts';
import type { SetupIssue } from '../setup-issue.ts';

/*
 * Of the control API (`/v1`), as JSON. Times are milliseconds since the epoch. Readers keep members that they do not know.
 */

/** What becomes of something at a start: at once, not at all, or after a user or an administrator said yes. */
export type ForeseenOutcome = 'allow' | 'deny' | 'ask_user' | 'ask_admin';

/** `POST /v1/boundaries/preview`: what a session would be that is made with the same body. */
export interface BoundaryPreview {
  /** Where it would work: canonical. Missing where that cannot be had. */
  readonly cwd?: string;
  /** Those that can be had, in order, canonical. */
  readonly roots: readonly PreviewedRoot[];
  /** What the agent would reach; missing where it would not be started. */
  readonly network?: BoundaryNetwork;
  readonly enforcement: PreviewedEnforcement;
  /** Those that Reeve governs: of the client, the configuration, and files of the project. */
  readonly servers: readonly PreviewedServer[];
  /** Those that the agent would start by itself, past Reeve, each with the file that names it. */
  readonly ungoverned: readonly { readonly name: string; readonly from: string }[];
  /** What keeps the session from being made: each names the member of the body, what came, and what to send instead. */
  readonly issues: readonly SetupIssue[];
  /** Why no agent would be started there, with what to do about it. */
  readonly refusal?: string;
  /** What is amiss with servers that files name: a sentence each. */
  readonly notes: readonly string[];
}

export interface PreviewedRoot extends ExaminedRoot {
  /** Why no approval can give it to an MCP server, and what to do instead. */
  readonly why?: string;
  /** The workspace of the configuration that it lies in. */
  readonly workspace?: string;
}

/** What would hold the agent to its boundary; what holds a process is told once it runs. */
export interface PreviewedEnforcement {
  readonly backend: 'bubblewrap' | 'container' | 'seatbelt' | 'landlock' | 'none';
  readonly files: 'enforced' | 'partial' | 'declared';
  readonly network: 'enforced' | 'partial' | 'declared';
  /** What is not held: a sentence each. */
  readonly gaps: readonly string[];
}

export interface PreviewedServer {
  /** Who it is, as its reviews show it: no value of its environment, no header, no secret of a URL. */
  readonly identity: ReviewServer;
  /** `mcpServersOff` names it: the session would be without it. */
  readonly off: boolean;
  readonly start: ForeseenOutcome;
  /** Ids of the policies that decide whether it starts. */
  readonly policies: readonly string[];
  /** What becomes of each root once it runs. */
  readonly roots: readonly {
    readonly path: string;
    readonly access: BoundaryAccess;
    readonly outcome: ForeseenOutcome;
    /** What it may be used for without anybody being asked. */
    readonly allowed: BoundaryAccess | 'none';
    readonly policies: readonly string[];
    /** All of it that the server would have, where its command line names no more. */
    readonly only?: readonly string[];
    readonly why?: string;
  }[];
}

/** `GET /v1/workspaces/{name}/directories`: what there is to work in, below the roots of a workspace. */
export interface DirectoryList {
  /** Canonical; missing for the roots themselves. */
  readonly path?: string;
  /** In order of their names. Links are none of them. */
  readonly directories: readonly { readonly name: string; readonly path: string }[];
  /** There are more (`limits.maxListedDirectories`). */
  readonly cut: boolean;
}
