import {
  type BoundaryNetwork,
  type BoundaryRoot,
  type BoundaryWish,
  type JsonObject,
  type McpServerReport,
  type SessionBoundary,
  type SessionSetup,
  setMember,
} from '@reeve/protocol';
import type { LaunchedAgent } from '../agents/agent-launch.ts';
import type { AgentEnforcement } from '../agents/agent-sandbox.ts';
import type { RootIdentity } from '../boundary/root-identity.ts';

/** Where a session works, as it was approved: a directory that is swapped later is not followed. Paths are canonical. */
export interface SessionPlace {
  readonly boundary: SessionBoundary;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  /** The latter as the client named them. */
  readonly named: readonly string[];
  /** What each root was when it was approved; absent in records from before that was kept. */
  readonly identities?: readonly RootIdentity[];
}

/** The boundary of a session as it is told: `_meta["sandboxagent.dev"].boundary` of results, and over HTTP. */
export interface BoundaryReport {
  readonly roots: readonly BoundaryRoot[];
  readonly revision: number;
  /** What the agent process reaches; without a process what the client asked for, if it did. */
  readonly network?: BoundaryNetwork;
  /** Of each process; none without one. `servers`: of those that Reeve started, by name. */
  readonly enforcement: {
    readonly agent?: AgentEnforcement;
    readonly servers?: { readonly [name: string]: unknown };
  };
}

/** The place in another boundary: directories that are in no root any more are left out. */
export function placeWithin(
  place: SessionPlace,
  boundary: SessionBoundary,
  identities: readonly RootIdentity[],
): SessionPlace {
  const inside = (path: string): boolean =>
    boundary.roots.some((root) => path === root.path || path.startsWith(`${root.path}/`));
  return { ...place, boundary, identities, additionalDirectories: place.additionalDirectories.filter(inside) };
}

/** The boundary in the words of a client that asks for it. */
export function wishOf({ roots, network, require }: SessionBoundary): BoundaryWish & JsonObject {
  return {
    roots,
    ...(network === undefined ? {} : { network }),
    ...(require === undefined ? {} : { require }),
  };
}

/** A request that sets up a session as the agent must see it: with directories and servers that exist inside its sandbox. */
export function inPlace(raw: Buffer, setup: SessionSetup, place: SessionPlace, servers: readonly JsonObject[]): Buffer {
  let request = raw;
  if (place.cwd !== setup.cwd) request = setMember(request, ['params', 'cwd'], JSON.stringify(place.cwd));
  if (servers.length > 0 || setup.mcpServers.length > 0) {
    request = setMember(request, ['params', 'mcpServers'], JSON.stringify(servers));
  }
  const { additionalDirectories: seen } = place;
  if (seen.every((path, index) => path === setup.additionalDirectories[index])) return request;
  return setMember(request, ['params', 'additionalDirectories'], JSON.stringify(seen));
}

export function reportBoundary(
  { boundary: { roots, network, revision } }: SessionPlace,
  process: Pick<LaunchedAgent, 'confinement' | 'enforcement'> | undefined,
  servers: readonly McpServerReport[] = [],
): BoundaryReport {
  const reached = process?.confinement.network ?? network;
  const held = servers.filter(({ enforcement }) => enforcement !== undefined);
  return {
    roots,
    ...(reached === undefined ? {} : { network: reached }),
    revision,
    enforcement: {
      ...(process === undefined ? {} : { agent: process.enforcement }),
      ...(held.length === 0
        ? {}
        : { servers: Object.fromEntries(held.map(({ name, enforcement }) => [name, enforcement])) }),
    },
  };
}
