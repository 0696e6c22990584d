import type { NetworkRule, SandboxFile, SandboxLimits } from '@reeve/sandbox';

/** What the configuration and what is known of an agent say of its sandbox. Paths are absolute. */
export interface AgentSandboxRules {
  /** `declared`: it may run where nothing confines it. */
  readonly require: 'enforced' | 'declared';
  /** Shown read-only beside what its program needs. */
  readonly readOnly: readonly string[];
  /** Files and directories that it keeps between runs, shown read-write where they exist. */
  readonly state: readonly string[];
  /** In its state, what decides which programs run: shown read-only where it exists. */
  readonly settings: readonly string[];
  /** What the operator says that it may reach; nobody else can widen it. */
  readonly network?: NetworkRule;
  /** Hosts that it needs; undefined where nobody knows. */
  readonly endpoints?: readonly string[] | undefined;
  readonly files: readonly SandboxFile[];
  /** How it takes MCP servers; `stdio` where nothing is said. */
  readonly mcpEndpoint?: 'stdio' | 'http';
  /** Whether it lists tools again when a server says that they changed; it does unless told. */
  readonly mcpRelists?: boolean;
  /** Its own settings that may name MCP servers, which it starts past Reeve. */
  readonly mcpFiles?: readonly string[];
  readonly nestedSandbox: boolean;
  readonly limits: SandboxLimits;
  /** What holds less for this agent, as sentences. */
  readonly gaps: readonly string[];
}

/** Of an agent that nothing is known of and nothing is said of. */
export const PLAIN_RULES: AgentSandboxRules = Object.freeze({
  require: 'enforced',
  readOnly: [],
  state: [],
  settings: [],
  files: [],
  nestedSandbox: false,
  limits: {},
  gaps: [],
});
