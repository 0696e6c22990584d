import type { Config } from '../config.ts';
import type { Origin } from './problem.ts';

/** Settings by path, each with where it came from; safe to print and to send to somebody. */
export type ShownConfig = Readonly<Record<string, { readonly value: unknown; readonly origin: Origin }>>;

const HIDDEN = '(hidden)';

/** The effective configuration, flat, with every value of an agent's `env` hidden. */
export function showConfig(config: Config, origins: Readonly<Record<string, Origin>>): ShownConfig {
  const shown: Record<string, { value: unknown; origin: Origin }> = {};
  for (const [path, origin] of Object.entries(origins)) {
    const [top, ...rest] = path.split('.');
    const group = (config as Readonly<Record<string, unknown>>)[top as string];
    const value = rest.length === 0 ? group : (group as Readonly<Record<string, unknown>>)[rest.join('.')];
    shown[path] = { value: top === 'agents' ? withoutSecrets(value) : value, origin };
  }
  return shown;
}

function withoutSecrets(agent: unknown): unknown {
  const { env, ...rest } = agent as { readonly env: object };
  return { ...rest, env: Object.fromEntries(Object.keys(env).map((name) => [name, HIDDEN])) };
}
