import type { GovernedServerDetails, GovernedServerInfo, McpServerReport } from '@reeve/client';
import { identityLines, ORIGINS, toolsLine } from './describe-review.ts';
import { safeLine } from './safe-text.ts';
import { table, timeText, WHOLE } from './terminal.ts';

type Members = { readonly [member: string]: unknown };

/** What holds a server, in a word or two. */
export function heldBy({
  governed,
  state,
  enforcement,
}: Pick<McpServerReport, 'governed' | 'state' | 'enforcement'>): string {
  if (!governed) return 'nothing: ungoverned';
  if (!isMembers(enforcement)) return state === 'running' ? 'not this machine' : '';
  return enforcement.backend === 'none' ? 'nothing: declared' : String(enforcement.backend);
}

/** MCP servers as a table, and which files name another one beside them. */
export function serverLines(servers: readonly GovernedServerInfo[]): readonly string[] {
  const rows = servers.map((server) => {
    const { name, sessionId, origin, state, from, roots = [], requests } = server;
    const whence = from ?? ORIGINS[origin]?.replace(/^(the|a) /, '');
    return [name, sessionId, whence, state, heldBy(server), roots.length, requests.join(' ')];
  });
  return [
    ...table(['SERVER', 'SESSION', 'FROM', 'STATE', 'HELD BY', 'ROOTS', 'WAITS'], rows, WHOLE).split('\n'),
    ...servers.flatMap(({ name, sessionId, alsoIn = [] }) =>
      alsoIn.map((file) => safeLine(`* "${name}" of ${sessionId} is also in ${file}: ${PAST_REEVE}`, 5000)),
    ),
  ];
}

/** One MCP server of a session as lines, in plain words, its gaps too. */
export function reportLines(server: McpServerReport): readonly string[] {
  const { name, state, origin, governed, roots = [], enforcement, lastError, from, alsoIn = [] } = server;
  const gaps = isMembers(enforcement) && Array.isArray(enforcement.gaps) ? enforcement.gaps : [];
  const held = heldBy(server);
  const may = NOT_THERE.has(state) ? 'would be let' : 'may';
  const whence = ORIGINS[origin] ?? origin;
  return [
    line('mcp server', `"${name}", ${state === 'unknown' ? 'not known how it is' : state}, from ${from ?? whence}`),
    ...(governed
      ? []
      : [line('', 'ungoverned: it runs with all that the agent has, and Reeve sees none of its calls')]),
    ...alsoIn.map((file) => line('', `also in ${file}: ${PAST_REEVE}`)),
    ...(governed && held !== '' ? [line('', `held by ${held}`)] : []),
    ...roots.map(({ path, access }) => line('', `${may} ${access === 'rw' ? 'read and write' : 'read'} ${path}`)),
    ...gaps.map((gap) => line('', `gap: ${String(gap)}`)),
    ...(lastError === undefined ? [] : [line('', `last error: ${lastError}`)]),
  ];
}

const PAST_REEVE = 'the agent may start that one itself, past Reeve';

/** What a server may do that does not run is nothing. */
const NOT_THERE: ReadonlySet<string> = new Set(['waiting', 'refused', 'failed', 'stopped']);

export function describeServer(server: GovernedServerDetails): readonly string[] {
  const { identity, tools, revision, approvals } = server;
  return [
    ...reportLines(server),
    ...(identity ? [...identityLines(identity), toolsLine(tools)] : []),
    ...(revision === undefined ? [] : [line('boundary', `revision ${revision}`)]),
    ...approvals.map(({ decision, by, at, scope, expiresAt, trusted }) => {
      const until = expiresAt === undefined ? '' : `, until ${timeText(expiresAt)}`;
      const word = decision === 'allow' ? 'approved' : 'denied';
      return line(word, `by ${by} at ${timeText(at)}, for ${SCOPES[scope]}${until}${trusted ? ', trusted' : ''}`);
    }),
  ];
}

const SCOPES = { session: 'one session', project: 'its project', always: 'every session' } as const;

function line(name: string, text: string): string {
  return `  ${name.padEnd(20)} ${safeLine(text, 2000)}`;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
