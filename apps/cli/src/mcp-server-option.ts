import { isObject, type JsonObject } from '@reeve/protocol';
import { CliError } from './exit-codes.ts';

const FORM =
  'Write NAME=COMMAND ARG…, NAME=https://…, or NAME={"command": …, "args": […], "env": {…}} as .mcp.json has it.';

/** `notes=notes-mcp --quiet`, `wiki=https://wiki.example.org/mcp` or `notes={…}` as ACP's `session/new` takes a server. */
export function readMcpServer(text: string): JsonObject {
  const at = text.indexOf('=');
  const [name, rest] = [text.slice(0, at), text.slice(at + 1).trim()];
  if (at < 1 || rest === '') throw new CliError('usage', `"${text.slice(0, 60)}" names no MCP server`, FORM);
  if (rest.startsWith('{')) return fromEntry(name, rest);
  if (/^https?:\/\//.test(rest)) return { type: 'http', name, url: rest, headers: [] };
  const [command = '', ...args] = wordsOf(rest);
  return { name, command, args, env: [] };
}

function fromEntry(name: string, text: string): JsonObject {
  let entry: unknown;
  try {
    entry = JSON.parse(text);
  } catch {
    entry = undefined;
  }
  if (!isObject(entry)) throw new CliError('usage', `what stands behind "${name}=" is no JSON object`, FORM);
  const { type, command, args = [], env = {}, url, headers = {} } = entry;
  if (typeof url === 'string') return { type: type === 'sse' ? 'sse' : 'http', name, url, headers: pairsOf(headers) };
  if (typeof command === 'string') return { name, command, args, env: pairsOf(env) };
  throw new CliError('usage', `the MCP server "${name}" has neither "command" nor "url"`, FORM);
}

function pairsOf(values: unknown): readonly JsonObject[] {
  return isObject(values) ? Object.entries(values).map(([name, value]) => ({ name, value })) : [];
}

/** Words as a shell has them, with quotes; nothing is expanded. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_all, single?: string, double?: string) => single ?? double ?? ''),
  );
}
