import { assessRisk, type CallPaths } from '@reeve/policy';
import type { BoundaryRoot } from '@reeve/protocol';
import type { OutsidePath } from './place-paths.ts';

const MAX_ROOTS = 12;
const MANY = { paths: 'paths', segments: 'names in its paths', values: 'values in its arguments' } as const;

/** Whom a refusal is about, and what it may tell them to type. */
export interface RefusedServer {
  readonly name: string;
  /** Undefined until the agent has opened it. */
  readonly session: string | undefined;
  readonly roots: readonly BoundaryRoot[];
  /** Of the user that Reeve runs as. */
  readonly home: string;
}

export function outsideText({ told, byLink, root, at }: OutsidePath, server: RefusedServer): string {
  const how = byLink ? `leads through a symbolic link to ${told}, outside` : `names ${told}, outside`;
  return [
    `Reeve did not pass this call on: argument "${at}" ${how} of what MCP server "${server.name}" may reach.`,
    `It may reach ${rootsText(server.roots)}.`,
    neededText(root, server),
  ].join(' ');
}

/** Nobody is to ask for a directory without a thought that holds far more than the call is about. */
function neededText(root: string, { session = 'ID', home }: RefusedServer): string {
  const needed = `The root that would be needed is ${root}`;
  const others = { otherHomes: [], stateDirectory: NOT_TOLD, cloudFolders: [], hardLinks: false };
  const risk = assessRisk({ path: root, home, ...others });
  if (risk.kind === 'never') return `${needed}, which can be none. ${risk.words} ${COPY}`;
  const [first] = risk.risks;
  if (risk.high) {
    return `${needed}, one of high risk. ${first?.words} ${COPY} Only an administrator could give all of that directory.`;
  }
  return `${needed}. A person can be asked for it: reeve roots request ${shellWord(root)} --session ${session}`;
}

/** Where Reeve keeps its own state an agent does not learn. */
const NOT_TOLD = '/dev/null';

const COPY = 'Ask a person to put what is needed into a root that the server has.';

export function malformedText(found: Exclude<CallPaths, { kind: 'paths' }>, server: string): string {
  const what =
    found.kind === 'malformed'
      ? `argument "${found.at}" holds a path that can be read in more than one way (${found.reason}). ${found.next}`
      : `it has more than ${found.limit} ${MANY[found.of]}. Send fewer at once.`;
  return `Reeve did not pass this call on to MCP server "${server}": ${what}`;
}

export function nameText(server: string, max: number): string {
  return `Reeve did not pass this call on to MCP server "${server}": its method, or the name in it, is no text of at most ${max} characters. Send a name that the server lists.`;
}

export function deniedText(server: string, policies: readonly string[]): string {
  const by = policies.length === 0 ? 'no policy permits it' : `decided by ${policies.join(', ')}`;
  return `Reeve did not pass this call on to MCP server "${server}": policy forbids it (${by}). Do without it, or have the operator change the policy.`;
}

export function declinedText(server: string): string {
  return `A person declined this call to MCP server "${server}". Do not send it again; go on without it, or ask what they want instead.`;
}

export function pendingText(server: string, outcome: 'ask_user' | 'ask_admin'): string {
  const who = outcome === 'ask_user' ? 'a person' : 'an administrator';
  return `pending approval: send the same call again. Reeve asks ${who} whether MCP server "${server}" may do this; once that is approved, the same call with the same arguments runs, once.`;
}

export function busyText(server: string): string {
  return `Reeve did not pass this call on yet: MCP server "${server}" is being brought to its new boundary. Send the same call again.`;
}

/** @param narrowed something was taken from the server, rather than only given */
export function revokedText(server: string, narrowed: boolean): string {
  const how = narrowed ? 'narrowed' : 'widened';
  return `Reeve ended this call: the boundary of MCP server "${server}" was ${how} while it ran. It may have had an effect; look before you send it again.`;
}

export function unreadableText(server: string): string {
  return `Reeve did not pass this call on to MCP server "${server}": its arguments hold text that is not Unicode. Send well-formed text.`;
}

function rootsText(roots: readonly BoundaryRoot[]): string {
  if (roots.length === 0) return 'no directory';
  const named = roots.slice(0, MAX_ROOTS).map(({ path, access }) => `${path} (${access})`);
  const more = roots.length > MAX_ROOTS ? ` and ${roots.length - MAX_ROOTS} more` : '';
  return `${named.join(', ')}${more}`;
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
