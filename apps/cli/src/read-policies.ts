import { readFileSync } from 'node:fs';
import type { PolicySet } from '@reeve/policy';
import { CliError } from './exit-codes.ts';
import { describeProblem } from './render-policy.ts';

/** The policies of these files together, or the shipped ones; a usage error with every fault when they are wrong. */
export async function readPolicies(names: readonly string[]): Promise<PolicySet> {
  const { DEFAULT_POLICY, openPolicies } = await import('@reeve/policy');
  const files = names.map((name) => ({ name, text: readText(name) }));
  const opened = await openPolicies(files.length > 0 ? files : [{ name: 'default.cedar', text: DEFAULT_POLICY }]);
  if (opened.kind === 'opened') return opened.set;
  throw new CliError(
    'usage',
    `the policies are wrong:\n${opened.problems.map((problem) => `  ${describeProblem(problem)}`).join('\n')}`,
  );
}

/** A file named on the command line. */
export function readText(name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === 'ENOENT'
        ? 'is not there'
        : `cannot be read (${code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is no UTF-8 text' : code})`;
    throw new CliError('usage', `${name} ${why}`, 'Check the name, and that this user may read it.');
  }
}
