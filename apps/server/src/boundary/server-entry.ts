import { resolve } from 'node:path';
import { isObject, type JsonObject } from '@reeve/protocol';
import { unseenLoaders } from './decides-what-runs.ts';
import type { ServerTransport } from './declared-server.ts';

export type ServerEntry =
  | { readonly kind: 'server'; readonly transport: ServerTransport }
  /** A sentence with the next step. No value of the entry stands in it. */
  | { readonly kind: 'unfit'; readonly problem: string };

const WORKSPACE_FOLDER = `\${workspaceFolder}`;
const PLACEHOLDER = /\$\{([^}]*)\}/;
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const IN_CONFIGURATION = 'write the server under "mcpServers" of Reeve\'s configuration';

/**
 * An entry of `mcpServers` (`.mcp.json`) or `servers` (VS Code), untrusted. `${workspaceFolder}` is `directory`; no other variable is
 * filled in, since those of Reeve's own environment are no business of a repository. A program named by a path begins there.
 */
export function readServerEntry(value: unknown, directory: string): ServerEntry {
  if (!isObject(value)) return unfit('is no object: write {"command": …} or {"type": "http", "url": …}');
  const entry = filled(value, directory) as JsonObject;
  const variable = placeholderIn([entry.command, entry.args, entry.env, entry.url, entry.headers]);
  if (variable !== undefined) {
    return unfit(
      `needs the variable ${variable}, which Reeve fills in for no file of a workspace: ${IN_CONFIGURATION}`,
    );
  }
  if (entry.envFile !== undefined) return unfit(`names an envFile, which Reeve does not read: ${IN_CONFIGURATION}`);
  const type = entry.type ?? (entry.url === undefined ? 'stdio' : 'http');
  switch (type) {
    case 'stdio':
      return started(entry, directory);
    case 'http':
    case 'streamable-http':
      return reached('http', entry);
    case 'sse':
      return reached('sse', entry);
    default:
      return unfit('has a type that Reeve does not know: write "stdio", "http" or "sse"');
  }
}

function started({ command, args = [], env = {} }: JsonObject, directory: string): ServerEntry {
  if (!isText(command) || command === '') return unfit('names no program: write "command"');
  if (!Array.isArray(args) || !args.every(isText)) return unfit('has arguments that are no texts: write "args": ["…"]');
  if (!isObject(env) || !Object.entries(env).every(([name, value]) => /^[^=\0]+$/.test(name) && isText(value))) {
    return unfit('has an environment that is no object of texts: write "env": {"NAME": "…"}');
  }
  const [hidden] = unseenLoaders(command, env as Readonly<Record<string, string>>);
  if (hidden !== undefined) {
    return unfit(
      `sets ${hidden.slice(0, 60)}, by which other code may run than its command names: write it into the command (env NAME=value …), or ${IN_CONFIGURATION}`,
    );
  }
  const program = /^\.{1,2}\//.test(command) ? resolve(directory, command) : command;
  return {
    kind: 'server',
    transport: { kind: 'stdio', command: program, args, env: env as Readonly<Record<string, string>> },
  };
}

function reached(kind: 'http' | 'sse', { url, headers = {} }: JsonObject): ServerEntry {
  const address = isText(url) ? URL.parse(url) : null;
  if (!isText(url) || (address?.protocol !== 'http:' && address?.protocol !== 'https:')) {
    return unfit('has no http:// or https:// address: write "url"');
  }
  const fits = (name: string, value: unknown): boolean =>
    HEADER_NAME.test(name) && isText(value) && !/[\r\n]/.test(value);
  if (!isObject(headers) || !Object.entries(headers).every(([name, value]) => fits(name, value))) {
    return unfit('has headers that are no object of texts on one line: write "headers": {"NAME": "…"}');
  }
  return { kind: 'server', transport: { kind, url, headers: headers as Readonly<Record<string, string>> } };
}

/** The name of the first variable in any text within. */
function placeholderIn(value: unknown): string | undefined {
  if (typeof value === 'string') {
    const name = PLACEHOLDER.exec(value)?.[1];
    return name === undefined ? undefined : JSON.stringify(name.split(':-')[0]?.slice(0, 60));
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const inner of Object.values(value)) {
    const name = placeholderIn(inner);
    if (name !== undefined) return name;
  }
  return undefined;
}

function filled(value: unknown, directory: string): unknown {
  if (typeof value === 'string') return value.replaceAll(WORKSPACE_FOLDER, () => directory);
  if (Array.isArray(value)) return value.map((item) => filled(item, directory));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, filled(inner, directory)]));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}

function unfit(problem: string): ServerEntry {
  return { kind: 'unfit', problem };
}
