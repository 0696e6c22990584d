import type { McpServerRemote, McpServerStdio } from '@reeve/protocol';
import type { SecretValue } from './secret-rows.tsx';

/** An MCP server as `session/new` takes it. Its values are kept by the page until the session is made, and shown by it no more. */
export type AddedServer = McpServerStdio | McpServerRemote;

/** The same as it is typed. */
export interface AddedServerText {
  readonly type: 'stdio' | 'http' | 'sse';
  readonly name: string;
  readonly command: string;
  /** One on each line. */
  readonly args: string;
  readonly url: string;
  /** Of its environment, or headers; those without a name are passed over. */
  readonly values: readonly SecretValue[];
}

export type ReadServer =
  | { readonly kind: 'server'; readonly server: AddedServer }
  /** What to do about it; no value stands in it. */
  | { readonly kind: 'unfit'; readonly problem: string };

const VARIABLE = /^[^=\0]+$/;
const HEADER = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** @param taken names of others that were added here; one of the configuration is replaced */
export function readAddedServer(text: AddedServerText, taken: readonly string[]): ReadServer {
  const name = text.name.trim();
  if (name === '') return unfit('Give it a name.');
  if (taken.includes(name)) return unfit('Another one has that name: choose a different one.');
  const values = text.values.filter((one) => one.name.trim() !== '').map((one) => ({ ...one, name: one.name.trim() }));
  if (text.type === 'stdio') {
    const command = text.command.trim();
    if (command === '') return unfit('Write the command that starts it.');
    if (!values.every((one) => VARIABLE.test(one.name))) return unfit('The name of a variable has no “=”.');
    const args = text.args === '' ? [] : text.args.replace(/\n$/, '').split('\n');
    return { kind: 'server', server: { name, command, args, env: values } };
  }
  const url = text.url.trim();
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:') return unfit('Write its whole address, with http:// or https://.');
  if (!values.every((one) => HEADER.test(one.name))) return unfit('The name of a header is letters, digits and “-”.');
  return { kind: 'server', server: { type: text.type, name, url, headers: values } };
}

function unfit(problem: string): ReadServer {
  return { kind: 'unfit', problem };
}
