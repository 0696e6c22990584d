import { readFile } from 'node:fs/promises';
import type { PolicyFile, PolicyProblem } from '@reeve/protocol';

/** Files of policies in the order in which they were named, or what is wrong with some of them. */
export type ReadPolicies =
  | { readonly kind: 'read'; readonly files: readonly PolicyFile[] }
  | { readonly kind: 'unreadable'; readonly problems: readonly PolicyProblem[] };

/** Longer policies are none that a person wrote. */
const MAX_BYTES = 1024 * 1024;

/** Reads the policy files that the configuration names. Never rejects. */
export async function readPolicyFiles(paths: readonly string[]): Promise<ReadPolicies> {
  const read = await Promise.all(paths.map(readOne));
  const problems = read.filter((one) => 'kind' in one);
  return problems.length > 0
    ? { kind: 'unreadable', problems }
    : { kind: 'read', files: read.filter((one) => 'text' in one) };
}

async function readOne(path: string): Promise<PolicyFile | PolicyProblem> {
  const wrong = (message: string): PolicyProblem => ({
    kind: 'error',
    file: path,
    line: 1,
    column: 1,
    message,
    next: 'Correct "policy.files" of the configuration, or the file.',
  });
  try {
    const bytes = await readFile(path);
    if (bytes.length > MAX_BYTES) return wrong(`it is longer than ${MAX_BYTES} bytes`);
    return { name: path, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return wrong('there is no such file');
    return wrong(code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is no UTF-8 text' : `it cannot be read (${code})`);
  }
}
