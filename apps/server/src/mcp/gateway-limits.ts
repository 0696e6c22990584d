/** Bounds of what one MCP server, or one agent towards it, may cost. Bytes, counts and milliseconds, as the names say. */
export interface GatewayLimits {
  /** Longest message of a server or, towards it, of an agent (`limits.mcpMessageBytes`). */
  readonly mcpMessageBytes: number;
  /** What may wait in memory towards one server or one agent that does not read (`limits.mcpQueueBytes`). */
  readonly mcpQueueBytes: number;
  /** Calls of one server that run or wait (`limits.mcpCalls`). */
  readonly mcpCalls: number;
  /** Connections of one agent to one endpoint (`limits.mcpConnections`). */
  readonly mcpConnections: number;
  /** How often a server may ask for input before it answers one call (`limits.mcpInputRounds`). */
  readonly mcpInputRounds: number;
  /** How much of a server's stderr is kept (`limits.mcpStderrTailBytes`). */
  readonly mcpStderrTailBytes: number;
  /** Starts in a row that end before the server worked for a while; then it has failed (`limits.mcpRestarts`). */
  readonly mcpRestarts: number;
  /** How long the agent's `initialize` waits for its server before it is answered with empty lists (`timeouts.mcpAdmitMs`). */
  readonly mcpAdmitMs: number;
  /** From the start of a server to its first answer (`timeouts.mcpStartMs`). */
  readonly mcpStartMs: number;
  /** Silence after which a server is asked in the words of the other era too (`timeouts.mcpProbeMs`). */
  readonly mcpProbeMs: number;
  /** How long an answer to `roots/list` waits for people (`timeouts.mcpRootsMs`). */
  readonly mcpRootsMs: number;
  /** Silence of a server about a call, progress aside, after which the call has failed; 0: for ever (`timeouts.mcpCallMs`). */
  readonly mcpCallMs: number;
  /** The longest pause before a server is started again; the first is a 32nd of it (`timeouts.mcpBackoffMs`). */
  readonly mcpBackoffMs: number;
  /** How often what a server cannot write is looked at: whether it is still there (`timeouts.rootCheckMs`). */
  readonly rootCheckMs: number;
  /** Directories that are watched for that, of each server (`limits.maxWatchedRoots`). */
  readonly maxWatchedRoots: number;
}
