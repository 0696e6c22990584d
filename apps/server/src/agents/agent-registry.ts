import type { AgentSandboxRules } from './agent-sandbox-rules.ts';

/** One agent that the configuration names or that was found on the PATH. */
export interface AgentEntry {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process: nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Where other versions of it come from. `bin`: which program of the package; `args`: instead of the entry's own. */
  readonly npm?: {
    readonly package: string;
    readonly bin?: string | undefined;
    readonly args?: readonly string[] | undefined;
  };
  /** What its sandbox shows and lets it reach; without it nothing but its program and its roots. */
  readonly sandbox?: AgentSandboxRules;
}

export interface AgentRegistry {
  readonly defaultAgent: string | undefined;
  find(name: string): AgentEntry | undefined;
  list(): readonly AgentEntry[];
  /** Adds an entry, or replaces the one of its name. */
  put(entry: AgentEntry): void;
}

export function createAgentRegistry(entries: readonly AgentEntry[], defaultAgent: string | undefined): AgentRegistry {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  return {
    get defaultAgent() {
      return defaultAgent ?? (byName.size === 1 ? [...byName.keys()][0] : undefined);
    },
    find: (name) => byName.get(name),
    list: () => [...byName.values()],
    put: (entry) => void byName.set(entry.name, entry),
  };
}
