import {
  type Config,
  type ConfigFlags,
  type ConfigProblem,
  describeProblem,
  loadConfig,
  type Origin,
} from '@reeve/server/config';
import { CliError } from './exit-codes.ts';

export interface ConfigChoice extends ConfigFlags {
  readonly file?: string | undefined;
}

export interface ReadConfig {
  readonly config: Config;
  readonly origins: Readonly<Record<string, Origin>>;
  readonly file: string | undefined;
}

/** The effective configuration; a usage error with every problem when it is wrong. */
export function readConfig({ file, ...flags }: ConfigChoice, env: NodeJS.ProcessEnv = process.env): ReadConfig {
  const result = loadConfig({ file, flags, env });
  if (result.kind === 'ok') return result;
  throw wrongConfig(result.problems);
}

/** A usage error that tells every problem. */
export function wrongConfig(problems: readonly ConfigProblem[]): CliError {
  const places = `${problems.length} ${problems.length === 1 ? 'place' : 'places'}`;
  const told = problems.map((problem) => `  ${describeProblem(problem)}`).join('\n');
  return new CliError('usage', `the configuration is wrong in ${places}:\n${told}`);
}
