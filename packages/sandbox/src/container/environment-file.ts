import { type StartFailure, startFailure } from '../start-failure.ts';

export type EnvironmentFile = { readonly kind: 'written'; readonly text: string } | StartFailure;

/**
 * An environment for `--env-file`: one NAME=VALUE a line, without quotes or escapes, which is all that engines read alike.
 * So a value of several lines cannot be given; the refusal names the variable and never its value.
 */
export function environmentFile(env: Readonly<Record<string, string>>): EnvironmentFile {
  for (const [name, value] of Object.entries(env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name)) {
      return startFailure('refused', `The variable ${JSON.stringify(name)} cannot be given to a container: rename it.`);
    }
    if (/[\n\r\0]/.test(value)) {
      return startFailure(
        'refused',
        `The value of ${name} has several lines, which cannot be given to a container: put it into a file.`,
      );
    }
  }
  return {
    kind: 'written',
    text: Object.entries(env)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  };
}
