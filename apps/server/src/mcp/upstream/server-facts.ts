import type { JsonObject } from '@reeve/protocol';
import type { McpEra } from '../server-status.ts';

/** What a server told when it was opened. */
export interface ServerFacts {
  readonly era: McpEra;
  readonly version: string;
  readonly capabilities: JsonObject;
  /** The whole result of `initialize` or `server/discover`. */
  readonly result: JsonObject;
  /** As it names itself: an MCP `Implementation`, unchecked. */
  readonly info: unknown;
}

/** What the agent told when it opened its side: the server is opened with the same words, but for roots. */
export interface Hello {
  readonly era: McpEra;
  readonly version: string;
  readonly clientInfo: unknown;
  /** Those of the agent without `roots`. */
  readonly capabilities: JsonObject;
  /** Which log messages it wants; only agents of the stateless era say that here. */
  readonly logLevel: string | undefined;
  /** Other members of its `initialize` parameters. */
  readonly rest: JsonObject;
}
