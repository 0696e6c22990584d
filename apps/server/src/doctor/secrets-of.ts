import type { Environment } from '../config.ts';

const secretName = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i;
/** Shorter ones, and paths, stand in the output of programs by chance. */
const shortest = 12;

/** Values of an environment that nobody else should see, told by the names of their variables. */
export function secretsOf(env: Environment): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && secretName.test(name) && value.length >= shortest && !value.startsWith('/') ? [value] : [],
  );
}
