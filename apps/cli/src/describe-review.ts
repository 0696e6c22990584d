import type { RequestInfo, ReviewParams, ReviewServer, ReviewTools } from '@reeve/client';
import { packageText, reachText, rootNotes, wishText } from '@reeve/protocol';
import { accessOf } from './describe-roots.ts';
import { safeLine } from './safe-text.ts';

/** What a review asks, on one line; undefined for another kind of request. */
export function reviewTitle({ kind, params }: RequestInfo): string | undefined {
  const asked = kind === 'review' ? (params as Partial<ReviewParams> | null) : undefined;
  if (!asked?.server) return undefined;
  const name = JSON.stringify(asked.server.name);
  switch (asked.review) {
    case 'server':
      return `may the MCP server ${name} ${asked.server.changed ? '(changed) ' : ''}run: ${programOf(asked.server)}`;
    case 'root': {
      const { roots = [] } = asked;
      const who = roots.some(({ joinsSession }) => joinsSession) ? `${name}, and the agent,` : name;
      return `may the MCP server ${who} have ${roots.map((root) => `${root.path} (${accessOf(root)})`).join(', ')}`;
    }
    case 'call':
      return `may ${asked.call?.tool ?? asked.call?.method} of the MCP server ${name} be called`;
    default:
      return undefined;
  }
}

/** All that a person must see before deciding: the command is never shortened. */
export function describeReview(params: ReviewParams): readonly string[] {
  const { server, roots = [], tools, call, approval, scopes, wanted } = params;
  return [
    line('server', `${JSON.stringify(server.name)}, from ${ORIGINS[server.origin] ?? server.origin}`),
    ...identityLines(server),
    ...(server.network === undefined ? [] : [line('network', reachText(server.network))]),
    ...(call ? [line('call', `${call.method}${call.tool === undefined ? '' : ` ${call.tool}`}`)] : []),
    ...(call?.arguments === undefined ? [] : [line('arguments', call.arguments)]),
    ...roots.map((root) => {
      const rights = root.access === 'rw' ? 'read and write' : 'read only';
      const risks = root.risks.filter((risk) => risk !== 'ordinary').map((risk) => risk.replaceAll('_', ' '));
      const file = root.kind === 'file' ? ', file' : '';
      const grave = root.highRisk ? ', HIGH RISK' : '';
      const classes = `${rights}${file}${grave}${risks.length === 0 ? '' : `: ${risks.join(', ')}`}`;
      return line('root', `${root.path} (${[classes, ...rootNotes(root)].join('; ')})`);
    }),
    toolsLine(tools),
    line('must be approved by', approval === 'administrator' ? 'an administrator' : 'a user'),
    ...(wanted === undefined ? [] : [line('asked for', `${wishText(wanted)}; a yes gives no more`)]),
    call ? line('counts for', 'this call, once') : line('may be given for', scopes.join(', ')),
  ];
}

/** Who a server is: what runs, whole, and what pins it. */
export function identityLines(server: ReviewServer): readonly string[] {
  const { claimed } = server;
  return [
    line(server.url === undefined ? 'command' : 'address', programOf(server)),
    ...(server.package ? [line('package', packageText(server.package))] : []),
    ...(server.variables ? [line('variables', `${server.variables.join(', ')} (their values are not shown)`)] : []),
    line(
      'runs',
      server.local ? `on this machine, ${server.sandboxed ? 'in a sandbox' : 'NOT in a sandbox'}` : 'elsewhere',
    ),
    ...(server.changed
      ? [line('changed', 'another program, command or address was approved under this name before')]
      : []),
    ...(claimed ? [line('claims to be', `${claimed.name} ${claimed.version} (not checked)`)] : []),
    line('fingerprint', server.fingerprint),
  ];
}

/** The tools of a server, counted by what they may do. */
export function toolsLine(tools: ReviewTools | undefined): string {
  if (!tools) return line('tools', 'not known before it has run');
  const { total, readOnly, destructive, openWorld, trusted } = tools;
  const counts = `${total}: ${readOnly} read-only, ${destructive} destructive, ${openWorld} reach further`;
  return line('tools', `${counts} (${trusted ? 'trusted' : 'as it says itself'})`);
}

export const ORIGINS: Readonly<Record<string, string>> = {
  client: 'the client of the session',
  configuration: 'the configuration of Reeve',
  workspace: 'a file of the workspace',
  agent: 'the agent itself',
};

function programOf({ command, args = [], url }: ReviewServer): string {
  return url ?? [command ?? '', ...args].map(quoted).join(' ');
}

/** A word as a shell would need it, so that where one ends is seen. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function line(name: string, text: string): string {
  return `  ${name.padEnd(20)} ${safeLine(text, 100_000)}`;
}
