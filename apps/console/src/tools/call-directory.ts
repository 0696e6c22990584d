import { isObject } from '@reeve/protocol';
import { textMember } from '../data/json-members.ts';

/** What agents call the directory that a command runs in. */
const NAMES: readonly string[] = ['cwd', 'workdir', 'working_directory', 'workingDirectory'];

/** The directory that the input of a tool call names for it to run in, and under which name. */
export function callDirectory(input: unknown): { readonly name: string; readonly path: string } | undefined {
  if (!isObject(input)) return undefined;
  for (const name of NAMES) {
    const path = textMember(input, name);
    if (path !== undefined) return { name, path };
  }
  return undefined;
}
