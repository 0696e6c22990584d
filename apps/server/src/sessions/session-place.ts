import {
  type BoundaryNetwork,
  type BoundaryRoot,
  type BoundaryWish,
  collectIssues,
  type JsonObject,
  type McpServerReport,
  META_KEY,
  ReeveError,
  readBoundary,
  type SessionBoundary,
  type SessionId,
  type SessionSetup,
  type SetupIssue,
  setMember,
  setupErrorData,
} from '@reeve/protocol';
import type { LaunchedAgent } from '../agents/agent-launch.ts';
import type { AgentEnforcement, AgentPlace } from '../agents/agent-sandbox.ts';
import { boundaryRefused, type PlaceRefusal } from '../boundary/place-refusal.ts';
import { resolveBoundary } from '../boundary/resolve-boundary.ts';
import type { RootIdentity } from '../boundary/root-identity.ts';
import type { Governance, GovernanceServices } from './session-governance.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionRecord } from './session-store.ts';

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

/** A place that somebody asks for. */
export interface PlaceRequest {
  readonly setup: SessionSetup;
  /** Who asks. */
  readonly by: string;
  /** Undefined for one that is not there yet. */
  readonly session?: SessionId;
  /** Instead of the boundary of the request itself. */
  readonly wished?: unknown;
}

/**
 * The place that is asked for, approved: its directories exist now, and are what they are. Throws `invalid_params` whose data names each
 * path, what was expected, what came and how to mend it. That a place was refused is recorded before this rejects.
 */
export async function requirePlace(
  { boundaryRules, governance, audit }: SessionServices,
  { setup: { cwd, additionalDirectories, meta }, by, session, wished = meta.boundary }: PlaceRequest,
): Promise<SessionPlace> {
  const { issues, report } = collectIssues();
  const refuse = async (found: readonly SetupIssue[], refusals: readonly PlaceRefusal[]): Promise<never> => {
    if (refusals.length > 0) await audit.record(boundaryRefused(refusals, { by, session }));
    throw refused(found);
  };
  const wish = wishedBoundary(governance, { wished, workspace: meta.workspace }, report);
  if (issues.length > 0) {
    const isNamed = wished === undefined && meta.workspace !== undefined;
    return refuse(issues, isNamed ? [{ reason: 'workspace' }] : []);
  }
  const check = await resolveBoundary({ wish, cwd, additionalDirectories }, boundaryRules);
  if (check.kind === 'invalid') return refuse(check.issues, check.refusals);
  return { ...check.place, named: additionalDirectories };
}

/** The boundary that is asked for: itself, or else by the name of a workspace; undefined where neither is. Reports what is wrong. */
export function wishedBoundary(
  governance: GovernanceServices,
  { wished, workspace }: { readonly wished: unknown; readonly workspace: unknown },
  report: (issue: SetupIssue) => void,
): BoundaryWish | undefined {
  const isNamed = wished === undefined && workspace !== undefined;
  return isNamed ? workspaceOf(governance, workspace, report) : readBoundary(wished, report);
}

/** The boundary that the configuration has under that name. */
function workspaceOf(
  { workspaces }: GovernanceServices,
  name: unknown,
  report: (issue: SetupIssue) => void,
): BoundaryWish | undefined {
  if (typeof name === 'string' && Object.hasOwn(workspaces, name)) return workspaces[name];
  const known = Object.keys(workspaces).slice(0, 20).join(', ');
  report({
    path: `_meta["${META_KEY}"].workspace`,
    expected: 'the name of a workspace',
    received: (JSON.stringify(name) ?? 'nothing').slice(0, 100),
    fix: known === '' ? 'name one in "workspaces" of the configuration' : `one of ${known}`,
  });
  return undefined;
}

/**
 * The place of a session that gets a process again: as it was approved, but for additional directories that were named since. Of a
 * record without one the directories are approved now.
 */
export async function placeAgain(services: SessionServices, record: SessionRecord): Promise<SessionPlace> {
  const { sessionId: session, place, cwd, additionalDirectories, metadata } = record;
  const setup = { cwd, additionalDirectories, mcpServers: [], meta: { workspace: metadata.workspace } };
  const asked = { by: 'reeve', session, wished: metadata.boundary };
  if (place === undefined) return requirePlace(services, { ...asked, setup });
  if (JSON.stringify(place.named) === JSON.stringify(additionalDirectories)) return place;
  const next = await requirePlace(services, { ...asked, setup: { ...setup, cwd: place.cwd } });
  if (next.cwd !== place.cwd) throw moved(place.cwd);
  return { ...next, boundary: { ...next.boundary, revision: place.boundary.revision + 1 } };
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

/** What a process of the session is started with. */
export function agentPlace({ boundary, cwd }: SessionPlace, { endpoints, masked, mayDeclare }: Governance): AgentPlace {
  return { boundary, cwd, endpoints, masked, mayDeclare };
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

function refused(issues: readonly SetupIssue[]): ReeveError {
  const data = setupErrorData(issues);
  return new ReeveError('invalid_params', { message: `Invalid params: ${String(data.summary)}`, data: { ...data } });
}

function moved(cwd: string): ReeveError {
  return new ReeveError('forbidden', {
    message: `the directory ${JSON.stringify(cwd)} is not the one that was approved any more: put it back, or begin a new session`,
    data: { path: cwd, reason: 'root_gone' },
  });
}
