import type { Environment } from './agent-environment.ts';
import type { ParsedConfig } from './schema.ts';

/** What the client of a container engine reads to find its service. */
const CLIENT_VARIABLES = ['HOME', 'PATH', 'DOCKER_HOST', 'XDG_RUNTIME_DIR'];

type Configured = NonNullable<ParsedConfig['sandbox']['container']>;

/** The configured container engine, with the whole environment of its client. */
export function containerEngine(container: Readonly<Configured> | undefined, environment: Environment) {
  if (container === undefined) return undefined;
  const { engine: kind, program, image } = container;
  const env: Record<string, string> = {};
  for (const name of CLIENT_VARIABLES) {
    const value = environment[name];
    if (value !== undefined) env[name] = value;
  }
  return { kind, program, image, env };
}
