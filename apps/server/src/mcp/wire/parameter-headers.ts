import { isObject } from '@reeve/protocol';

const PREFIX = 'Mcp-Param-';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/;
/** Visible ASCII and spaces inside; other text goes as base64. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const SENTINEL = /^=\?base64\?.*\?=$/i;
const MAX_DEPTH = 8;

/**
 * The headers that repeat arguments of a tool call whose schema asks for that by `x-mcp-header` (MCP 2026-07-28, streamable HTTP):
 * servers refuse calls without them. Arguments that are not there, or not plain values, have none.
 */
export function parameterHeaders(inputSchema: unknown, given: unknown, depth = 0): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  if (!isObject(inputSchema) || !isObject(inputSchema.properties) || !isObject(given) || depth > MAX_DEPTH)
    return headers;
  for (const [name, schema] of Object.entries(inputSchema.properties)) {
    if (!isObject(schema) || !Object.hasOwn(given, name)) continue;
    const header = schema['x-mcp-header'];
    const value = given[name];
    if (typeof header === 'string' && TOKEN.test(header) && isPlain(value))
      headers[`${PREFIX}${header}`] = encode(String(value));
    Object.assign(headers, parameterHeaders(schema, value, depth + 1));
  }
  return headers;
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value);
}

function encode(value: string): string {
  if (PLAIN.test(value) && !SENTINEL.test(value)) return value;
  return `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
