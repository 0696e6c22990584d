import type { ServerOrigin } from '@reeve/policy';
import type { Enforcement } from '@reeve/sandbox';

/** `initialize`: protocol versions up to 2025-11-25. `stateless`: 2026-07-28 (`server/discover`, `input_required`). */
export type McpEra = 'initialize' | 'stateless';

/**
 * - `waiting`: a person has yet to admit it.
 * - `refused`: it was not admitted; not started.
 * - `starting`, `restarting`: no calls pass yet, they wait.
 * - `failed`: given up; `lastError` says why. Calls are answered with that.
 * - `stopped`: its session has ended.
 */
export type ServerState = 'waiting' | 'refused' | 'starting' | 'running' | 'restarting' | 'failed' | 'stopped';

/** Its tools by what it says of them: a tool without hints counts as destructive and open-world (MCP, tool annotations). */
export interface ToolCounts {
  readonly total: number;
  readonly readOnly: number;
  readonly destructive: number;
  readonly openWorld: number;
}

/** What is known of one MCP server of one session. No secret in it but what the server itself prints to stderr. */
export interface ServerStatus {
  readonly name: string;
  readonly fingerprint: string;
  readonly origin: ServerOrigin;
  readonly transport: 'stdio' | 'http' | 'sse';
  readonly state: ServerState;
  readonly era: McpEra | undefined;
  readonly protocolVersion: string | undefined;
  /** What it says of itself; not checked. */
  readonly claimed: { readonly name: string; readonly version: string } | undefined;
  /** Whether what it says of its tools is believed. */
  readonly trusted: boolean;
  /** Undefined until its tools were listed. */
  readonly tools: ToolCounts | undefined;
  /** Starts beyond the first. */
  readonly restarts: number;
  /** What holds its process; undefined while it has none. */
  readonly enforcement: Enforcement | undefined;
  readonly lastError: string | undefined;
}
