import type { PolicyFile } from '@reeve/protocol';
import type { ConfigProblem } from '@reeve/server/config';
import { CliError } from './exit-codes.ts';
import { readText } from './read-policies.ts';

const HOLD = 'policies that hold (Cedar)';

/** What is wrong with the policy files that the configuration names, together, as problems of the configuration. */
export async function checkPolicyFiles(paths: readonly string[]): Promise<readonly ConfigProblem[]> {
  if (paths.length === 0) return [];
  const files: PolicyFile[] = [];
  const unread: ConfigProblem[] = [];
  for (const name of paths) {
    try {
      files.push({ name, text: readText(name) });
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const mend = error.next ?? 'Name another file.';
      unread.push({ path: 'policy.files', source: name, expected: 'a file of policies', came: error.message, mend });
    }
  }
  if (unread.length > 0) return unread;
  const { openPolicies } = await import('@reeve/policy');
  const opened = await openPolicies(files, { maxRemembered: 0 });
  if (opened.kind === 'opened') {
    opened.set[Symbol.dispose]();
    return [];
  }
  return opened.problems
    .filter(({ kind }) => kind === 'error')
    .map(({ file, line, column, message, next }) => ({
      path: 'policy.files',
      source: file,
      line,
      column,
      expected: HOLD,
      came: message,
      mend: next,
    }));
}
