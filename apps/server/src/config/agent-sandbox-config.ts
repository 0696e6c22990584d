import { isAbsolute, join, resolve } from 'node:path';
import { type AgentFacts, type AgentIdentity, agentFacts } from './agent-facts.ts';
import type { ParsedAgent, ParsedConfig } from './schema.ts';

type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;

/** An agent with what its entry says of its sandbox. */
export interface SandboxedAgent extends AgentIdentity {
  /** The whole environment of its process. */
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: Frozen<ParsedAgent['sandbox']>;
}

/** What the sandbox of one agent shows and lets it reach. All paths are absolute. */
export interface AgentSandboxSettings extends AgentFacts {
  readonly require: 'enforced' | 'declared';
  readonly readOnly: readonly string[];
  readonly network?: 'none' | 'full' | { readonly allow: readonly string[] };
  readonly nestedSandbox: boolean;
  readonly limits: Readonly<Record<string, number>>;
}

/**
 * What is known of the agent, with what its entry says added, and the settings of all agents where the entry says nothing. `~` and
 * relative paths begin at the HOME of the agent.
 */
export function agentSandboxSettings(
  agent: SandboxedAgent,
  all: Frozen<ParsedConfig['sandbox']>,
  userHome: string,
): AgentSandboxSettings {
  const { sandbox, env } = agent;
  const home = env.HOME ?? userHome;
  const facts = agentFacts(agent, { home, env });
  const place = (path: string): string => absolute(path, home);
  const files = (sandbox?.files ?? []).map(({ path, text }) => ({ path: place(path), text }));
  return {
    ...facts,
    require: sandbox?.require ?? all.require,
    readOnly: (sandbox?.readOnly ?? []).map(place),
    state: [...new Set([...facts.state, ...(sandbox?.state ?? []).map(place)])],
    ...(sandbox?.network === undefined ? {} : { network: sandbox.network }),
    files: [...facts.files.filter((known) => !files.some(({ path }) => path === known.path)), ...files],
    nestedSandbox: sandbox?.nestedSandbox ?? false,
    limits: given({ ...all.limits, ...sandbox?.limits }),
  };
}

function absolute(path: string, home: string): string {
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1));
  return isAbsolute(path) ? path : resolve(home, path);
}

function given(limits: Readonly<Record<string, number | undefined>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(limits).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
