import { isObject, type JsonObject } from './json-rpc.ts';
import { type Report, shown, typeShown } from './setup-issue.ts';

/** An environment variable or an HTTP header. The value is a secret: never to be logged. */
export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** Started by command; its `type` is left out on the wire, though some clients send `stdio`. */
export interface McpServerStdio {
  readonly type?: 'stdio';
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly NamedValue[];
}

export interface McpServerRemote {
  readonly type: 'http' | 'sse';
  readonly name: string;
  /** http or https; may hold secrets in its user part and query. */
  readonly url: string;
  readonly headers: readonly NamedValue[];
}

/** Unstable: served by the client itself, over the ACP connection. */
export interface McpServerAcp {
  readonly type: 'acp';
  readonly name: string;
  readonly serverId: string;
}

/** An entry of `mcpServers` (ACP, session setup), as it came: fields beyond these are kept. */
export type McpServer = McpServerStdio | McpServerRemote | McpServerAcp;

const NONE = 'send [] when there are none';

/** Reads `mcpServers`, reporting everything that is wrong. What it returns is valid only if nothing was reported. */
export function readMcpServers(value: unknown, report: Report): McpServer[] {
  const path = 'mcpServers';
  if (!Array.isArray(value)) {
    // An object here is keyed by names as in other programs' configuration, and holds secrets.
    report({ path, expected: 'required array', received: typeShown(value), fix: NONE });
    return [];
  }
  const names = new Set<string>();
  const servers: McpServer[] = [];
  for (const [index, entry] of value.entries()) {
    const server = readMcpServer(entry, `${path}[${index}]`, report);
    if (server === undefined) continue;
    if (names.has(server.name)) {
      const fix = 'give every server a name of its own';
      report({ path: `${path}[${index}].name`, expected: 'unique name', received: shown(server.name), fix });
    }
    names.add(server.name);
    servers.push(server);
  }
  return servers;
}

function readMcpServer(entry: unknown, path: string, report: Report): McpServer | undefined {
  if (!isObject(entry)) {
    report({
      path,
      expected: 'object',
      received: typeShown(entry),
      fix: 'send {name, command, args, env} or {type, name, …}',
    });
    return undefined;
  }
  const checks = [text(entry.name, `${path}.name`, report), ...checkTransport(entry, path, report)];
  return checks.every(Boolean) ? (entry as unknown as McpServer) : undefined;
}

function checkTransport(entry: JsonObject, path: string, report: Report): boolean[] {
  switch (entry.type) {
    case undefined:
    case 'stdio':
      return [
        text(entry.command, `${path}.command`, report),
        strings(entry.args, `${path}.args`, report),
        namedValues(entry.env, `${path}.env`, ENV, report),
      ];
    case 'http':
    case 'sse':
      return [url(entry.url, `${path}.url`, report), namedValues(entry.headers, `${path}.headers`, HEADERS, report)];
    case 'acp':
      return [text(entry.serverId, `${path}.serverId`, report)];
    default: {
      const fix = 'send "http", "sse" or "acp", or leave type out for a server that is started by command';
      report({ path: `${path}.type`, expected: 'known transport', received: shown(entry.type), fix });
      return [false];
    }
  }
}

function text(value: unknown, path: string, report: Report): boolean {
  if (typeof value === 'string' && value !== '' && !value.includes('\0')) return true;
  report({
    path,
    expected: 'required text',
    received: shown(value),
    fix: 'send a string that is not empty, without NUL',
  });
  return false;
}

function strings(value: unknown, path: string, report: Report): boolean {
  if (!Array.isArray(value)) {
    report({ path, expected: 'required array', received: typeShown(value), fix: NONE });
    return false;
  }
  let valid = true;
  for (const [index, item] of value.entries()) {
    if (typeof item === 'string' && !item.includes('\0')) continue;
    report({ path: `${path}[${index}]`, expected: 'string', received: typeShown(item), fix: 'send text without NUL' });
    valid = false;
  }
  return valid;
}

interface NamedValueRule {
  readonly name: RegExp;
  readonly nameFix: string;
  readonly value: RegExp;
  readonly valueFix: string;
}

const ENV: NamedValueRule = {
  name: /^[^=\0]+$/,
  nameFix: 'send a variable name, without "=" and NUL',
  value: /^[^\0]*$/,
  valueFix: 'send text without NUL',
};

const HEADERS: NamedValueRule = {
  name: /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/,
  nameFix: 'send a header name (RFC 9110, token)',
  value: /^[^\r\n\0]*$/,
  valueFix: 'send text on one line, without NUL',
};

function namedValues(value: unknown, path: string, rule: NamedValueRule, report: Report): boolean {
  if (!Array.isArray(value)) {
    const fix = isObject(value) ? 'send a list of {name, value}' : NONE;
    report({ path, expected: 'required array', received: typeShown(value), fix });
    return false;
  }
  let valid = true;
  const wrong = (at: string, expected: string, item: unknown, fix: string): void => {
    report({ path: at, expected, received: typeShown(item), fix });
    valid = false;
  };
  for (const [index, item] of value.entries()) {
    const at = `${path}[${index}]`;
    if (!isObject(item)) {
      wrong(at, 'object', item, 'send {name, value}');
      continue;
    }
    const { name, value: secret } = item;
    if (typeof name !== 'string' || !rule.name.test(name)) wrong(`${at}.name`, 'required name', name, rule.nameFix);
    if (typeof secret !== 'string' || !rule.value.test(secret))
      wrong(`${at}.value`, 'required text', secret, rule.valueFix);
  }
  return valid;
}

function url(value: unknown, path: string, report: Report): boolean {
  const parsed = typeof value === 'string' ? URL.parse(value) : null;
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return true;
  const received = typeof value === 'string' ? 'no such URL' : typeShown(value);
  report({ path, expected: 'required URL', received, fix: 'send an absolute http:// or https:// URL' });
  return false;
}
