import { ourMeta } from './extension.ts';
import { parseSessionId, type SessionId } from './ids.ts';
import { isObject, type JsonObject } from './json-rpc.ts';
import { type McpServer, readMcpServers } from './mcp-server.ts';
import { collectIssues, type Report, type SetupIssue, shown, typeShown } from './setup-issue.ts';

export type SetupMethod = 'session/new' | 'session/load' | 'session/resume' | 'session/fork';

/** What a client asked for with `session/new`, `session/load`, `session/resume` or `session/fork`. */
export interface SessionSetup {
  /** Never there for new, always for the others; for fork it is the parent. */
  readonly sessionId?: SessionId;
  /** Absolute, POSIX or Windows; whether it exists is for the server to see. */
  readonly cwd: string;
  /** The complete list: empty when omitted. */
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: readonly McpServer[];
  /** What stands under our key of `_meta`. */
  readonly meta: JsonObject;
}

export type SetupCheck =
  | { readonly kind: 'ok'; readonly setup: SessionSetup }
  /** At least one, at most 20. */
  | { readonly kind: 'invalid'; readonly issues: readonly SetupIssue[] };

/** Checks the params of a request that sets up a session (ACP, session setup), and more strictly than its schema. */
export function checkSessionSetup(method: SetupMethod, params: unknown): SetupCheck {
  const { issues, report } = collectIssues();
  if (!isObject(params)) {
    report({ path: '', expected: 'required object', received: typeShown(params), fix: 'send {cwd, mcpServers}' });
    return { kind: 'invalid', issues };
  }
  const sessionId = method === 'session/new' ? undefined : readSessionId(params.sessionId, report);
  const cwd = readDirectory(params.cwd, 'cwd', 'required absolute path', report);
  const additionalDirectories = readDirectories(params.additionalDirectories, report);
  const omitted = (method === 'session/resume' || method === 'session/fork') && params.mcpServers === undefined;
  const mcpServers = omitted ? [] : readMcpServers(params.mcpServers, report);
  if (issues.length > 0) return { kind: 'invalid', issues };
  const setup = { cwd, additionalDirectories, mcpServers, meta: ourMeta(params) };
  return { kind: 'ok', setup: sessionId === undefined ? setup : { sessionId, ...setup } };
}

function readSessionId(value: unknown, report: Report): SessionId | undefined {
  const sessionId = parseSessionId(value);
  if (sessionId === undefined) {
    const fix = 'send the sessionId that session/new or session/list gave';
    report({ path: 'sessionId', expected: 'required session id', received: shown(value), fix });
  }
  return sessionId;
}

function readDirectories(value: unknown, report: Report): string[] {
  const path = 'additionalDirectories';
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    report({ path, expected: 'array', received: shown(value), fix: 'send [] or leave it out when there are none' });
    return [];
  }
  return value.map((entry, index) => readDirectory(entry, `${path}[${index}]`, 'absolute path', report));
}

function readDirectory(value: unknown, path: string, expected: string, report: Report): string {
  if (typeof value === 'string' && isAbsolutePath(value) && !value.includes('\0')) return value;
  const fix =
    typeof value === 'string' && value.includes('\0')
      ? 'send the path without NUL'
      : 'send the whole path, from / or from a drive or share';
  report({ path, expected, received: value === '' ? 'empty' : shown(value), fix });
  return '';
}

/** POSIX `/a`, Windows `C:\a` and `C:/a`, or a share `\\server\share`. */
function isAbsolutePath(path: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/]|\\\\[^\\/]+[\\/][^\\/]+)/.test(path);
}
