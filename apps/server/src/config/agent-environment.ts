export type Environment = { readonly [name: string]: string | undefined };

/** What of an agent's entry decides its environment. */
export interface EnvironmentRule {
  readonly env: { readonly [name: string]: string };
  readonly passEnv: readonly string[];
}

const BASE = new Set(['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TZ', 'TMPDIR', 'TERM']);
const BASE_PREFIXES = ['LC_', 'XDG_'];

/**
 * The whole environment of an agent process: who and where the user is, then what `passEnv` names of the server's own
 * environment, then the entry's `env`. Nothing else of the server's environment reaches an agent: keys of other services lie there.
 */
export function agentEnvironment(entry: EnvironmentRule, environment: Environment): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) continue;
    if (BASE.has(name) || BASE_PREFIXES.some((prefix) => name.startsWith(prefix))) given[name] = value;
  }
  for (const name of entry.passEnv) {
    const value = environment[name];
    if (value !== undefined) given[name] = value;
  }
  return { ...given, ...entry.env };
}
