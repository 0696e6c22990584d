import type { BoundaryNetwork, ReviewPackage, ReviewRoot, ReviewServer, ReviewTools } from '@reeve/protocol';
import type { ServerFact } from '../audit/governance-fact.ts';
import type { DeclaredServer } from './declared-server.ts';
import type { GivenRoot } from './given-roots.ts';
import { shownUrl } from './server-fingerprint.ts';
import type { ServerClaims } from './server-guard.ts';
import type { UndecidedRoot } from './stand-roots.ts';

const MAX_CLAIM = 200;

export interface ServerTraits {
  readonly fingerprint: string;
  readonly sandboxed: boolean;
  readonly changed: boolean;
  readonly package: ReviewPackage | undefined;
  readonly network: BoundaryNetwork;
}

/** A server as people are shown it: the whole command or address, of its variables the names, no header, no secret of a URL. */
export function reviewServer(
  { name, origin, transport }: DeclaredServer,
  { fingerprint, sandboxed, changed, package: fetched, network }: ServerTraits,
  claims: ServerClaims | undefined,
): ReviewServer {
  const what =
    transport.kind === 'stdio'
      ? { command: transport.command, args: transport.args, ...variablesOf(transport.env), network, local: true }
      : { url: shownUrl(transport.url), local: false };
  const info = claims?.info;
  const claimed = info === undefined ? {} : { claimed: { name: claim(info.name), version: claim(info.version) } };
  const named = { name, fingerprint, origin, transport: transport.kind, ...what };
  return { ...named, ...(fetched === undefined ? {} : { package: fetched }), sandboxed, changed, ...claimed };
}

function variablesOf(env: Readonly<Record<string, string>>): Pick<ReviewServer, 'variables'> {
  const variables = Object.keys(env).sort();
  return variables.length === 0 ? {} : { variables };
}

/** What a server says of itself may be anything, and of any length. */
function claim(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, MAX_CLAIM)
    .toWellFormed();
}

/** Undefined before the server was opened for the first time. */
export function reviewTools(claims: ServerClaims | undefined, trusted: boolean): ReviewTools | undefined {
  if (!claims) return undefined;
  const { tools } = claims;
  const count = (holds: (tool: ServerClaims['tools'][number]) => boolean): number => tools.filter(holds).length;
  return {
    total: tools.length,
    readOnly: count(({ readOnly }) => readOnly),
    destructive: count(({ readOnly, destructive }) => !readOnly && destructive),
    openWorld: count(({ openWorld }) => openWorld),
    trusted,
  };
}

export function reviewRoot({ root, finding, only }: Pick<UndecidedRoot, 'root' | 'finding' | 'only'>): ReviewRoot {
  const { risks, highRisk, inProject } = finding.facts;
  return { ...root, risks, highRisk, inProject, ...(only === undefined ? {} : { only }) };
}

/** A root that a server has anyway once it runs. */
export function reviewGiven({ policies, ...given }: GivenRoot): ReviewRoot {
  return { ...reviewRoot(given), given: { policies } };
}

/** A server as it is recorded. */
export function serverFact({ name, origin, transport }: DeclaredServer, fingerprint: string): ServerFact {
  return { name, fingerprint, transport: transport.kind, origin };
}
