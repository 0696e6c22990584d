import type { ParsedAgent, ParsedConfig, ParsedMcpServer } from './schema.ts';

type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;

/** The whole configuration, parsed once and deeply frozen. Paths are absolute. */
export type Config = Frozen<Omit<ParsedConfig, '$schema'>>;
/** How to start an agent: see `agentEnvironment` for what it is given. */
export type AgentEntry = Frozen<Omit<ParsedAgent, 'type'>>;
/** How to start or reach an MCP server. `env` and `headers` hold secrets. */
export type McpServerEntry = Frozen<ParsedMcpServer>;
