import type { BoundaryRoot } from './boundary.ts';

/**
 * How an MCP server of a session stands. `waiting`: a person has yet to admit it; `refused`: it was not admitted; `failed`: given up;
 * `stopped`: no process of the session is there; `unknown`: Reeve has nothing to do with it.
 */
export type McpServerState =
  | 'waiting'
  | 'refused'
  | 'starting'
  | 'running'
  | 'restarting'
  | 'failed'
  | 'stopped'
  | 'unknown';

/** Who brought it: a client of the session, the configuration of Reeve, a file of the workspace, or the agent itself. */
export type McpServerOrigin = 'client' | 'configuration' | 'workspace' | 'agent';

/** One MCP server of a session, as `_meta["sandboxagent.dev"].mcpServers` and `GET /v1/sessions/{id}` tell it. No secret in it. */
export interface McpServerReport {
  readonly name: string;
  readonly origin: McpServerOrigin;
  /** Whether it is reached through Reeve. One that is not runs with all that the agent has. */
  readonly governed: boolean;
  readonly state: McpServerState;
  /** The pinned identity: `sha256:…`. */
  readonly fingerprint?: string;
  /** What it may have now, of the boundary's revision. */
  readonly roots?: readonly BoundaryRoot[];
  readonly revision?: number;
  /** What holds its process, with the gaps; absent while it has none. */
  readonly enforcement?: unknown;
  /** The last thing that went wrong. */
  readonly lastError?: string;
  /** Where an ungoverned one comes from: a file, or `client` where the client serves it itself. */
  readonly from?: string;
  /** Other files in which the agent finds one of this name: it may start that past Reeve, instead of this one or beside it. */
  readonly alsoIn?: readonly string[];
}
