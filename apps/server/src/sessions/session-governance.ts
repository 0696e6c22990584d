import {
  isObject,
  type JsonObject,
  type McpServer,
  type McpServerReport,
  type SessionBoundary,
  type SessionId,
  type SessionMetadata,
} from '@reeve/protocol';
import type { AcpVersion } from '../agents/acp-version.ts';
import type { AgentEntry } from '../agents/agent-registry.ts';
import type { AgentEndpoints } from '../agents/agent-sandbox.ts';
import { toolTimeoutMs } from '../agents/tool-timeout.ts';
import type { Boundaries } from '../boundary/boundaries.ts';
import type { BoundaryNotice, SessionGuard } from '../boundary/session-guard.ts';
import type { NamedServers } from '../boundary/workspace-servers.ts';
import type { McpGateway } from '../mcp/mcp-gateway.ts';
import type { ServerStatus } from '../mcp/server-status.ts';
import type { SessionServers } from '../mcp/session-servers.ts';
import { declaredServers } from './declared-servers.ts';
import { onceByName } from './once-by-name.ts';
import { type OwnServers, ownServers } from './own-servers.ts';
import type { SessionPlace } from './session-place.ts';

/** What sessions and their MCP servers are governed by; made once in main.ts. */
export interface GovernanceServices {
  readonly boundaries: Boundaries;
  readonly gateway: McpGateway;
  /** Servers that no client named: of the configuration, and those that files of the project propose. */
  readonly configuredServers: (wanted: ServersWanted) => Promise<NamedServers>;
  /** The boundaries that the configuration has names for. */
  readonly workspaces: { readonly [name: string]: Omit<SessionBoundary, 'revision'> };
  /** Whether the operating system confines what Reeve starts. */
  readonly confined: () => Promise<boolean>;
}

export interface ServersWanted {
  readonly cwd: string;
  readonly roots: readonly string[];
  /** By its name. */
  readonly workspace: string | undefined;
}

export interface GovernanceRequest {
  readonly place: SessionPlace;
  /** As a client gave them. In memory only: they hold secrets. */
  readonly mcpServers: readonly McpServer[];
  readonly entry: AgentEntry;
  /** Of the session: the workspace of the configuration that it is in, and the servers that it goes without. */
  readonly metadata?: SessionMetadata;
  /** Undefined until the agent has opened the session. */
  readonly sessionId?: SessionId;
  /** Given the guard before anything uses it, so that no revision is missed. */
  readonly onGuard?: (guard: SessionGuard) => void;
}

/**
 * What governs one session: its boundary, and the MCP servers that its agent reaches through Reeve. It is opened before the agent
 * process, which it outlives, and ends with the session. Disposing ends endpoints and server processes. Idempotent.
 */
export interface Governance extends AsyncDisposable {
  readonly guard: SessionGuard;
  readonly mcpServers: readonly McpServer[];
  /** What is running of them. */
  readonly running: SessionServers;
  /** What the sandbox of the agent must let it reach. */
  readonly endpoints: AgentEndpoints;
  /** The workspace of the session may be only declared, as the configuration says. */
  readonly mayDeclare: boolean;
  /** What is amiss with servers that were named, as sentences. */
  readonly problems: readonly string[];
  /** Files that are shown to the agent empty. */
  readonly masked: readonly string[];
  /** `mcpServers` for the agent: Reeve's endpoints, and those that the client itself serves as it gave them. */
  forAgent(version: AcpVersion): readonly JsonObject[];
  /** How every server of the session stands, the ungoverned ones too. */
  reports(): readonly McpServerReport[];
  /** Hears of each change of what `reports` says of a governed server, and of what happens to the boundary. One at a time. */
  listen(listener: GovernanceListener): void;
  /** The turn was cancelled: calls that wait for a person are refused. */
  dropHolds(reason: string): void;
}

export interface GovernanceListener {
  readonly onServer: (report: McpServerReport) => void;
  readonly onNotice: (notice: BoundaryNotice) => void;
}

/** Rejects where the store fails, or a ReeveError says why the place cannot be guarded; nothing is left open then. */
export async function openGovernance(services: GovernanceServices, request: GovernanceRequest): Promise<Governance> {
  const { place, mcpServers, entry, sessionId, metadata: { workspace, mcpServersOff } = {} } = request;
  const confined = await services.confined();
  const early: BoundaryNotice[] = [];
  let listener: GovernanceListener | undefined;
  await using opened = new AsyncDisposableStack();
  const guard = opened.use(
    await services.boundaries.open({
      ...(sessionId === undefined ? {} : { session: sessionId }),
      agent: entry.name,
      place,
      enforced: confined,
      confined,
      onNotice: (notice) => (listener ? listener.onNotice(notice) : void early.push(notice)),
    }),
  );
  request.onGuard?.(guard);
  const { servers: configured, problems } = await services.configuredServers({
    cwd: place.cwd,
    roots: place.boundary.roots.map(({ path }) => path),
    workspace: typeof workspace === 'string' ? workspace : undefined,
  });
  const declared = declaredServers(mcpServers, configured, mcpServersOff);
  const guards = await Promise.all(declared.map((server) => guard.guardOf(server)));
  const endpoint = entry.sandbox?.mcpEndpoint ?? 'stdio';
  const toolMs = toolTimeoutMs(entry.env);
  const servers: SessionServers = opened.use(
    await services.gateway.open({ guards, endpoint, ...(toolMs === undefined ? {} : { toolTimeoutMs: toolMs }) }),
  );
  const own: OwnServers = await ownServers(place.boundary.roots, entry.sandbox?.mcpFiles ?? [], confined);
  const reportOf = (status: ServerStatus): McpServerReport => {
    const { name, fingerprint, origin, state, enforcement, lastError } = status;
    const { roots, revision } = guards.find(({ server }) => server.name === name)?.scope() ?? {};
    return {
      name,
      origin,
      governed: true,
      state,
      fingerprint,
      ...(roots === undefined ? {} : { roots }),
      ...(revision === undefined ? {} : { revision }),
      ...(enforcement === undefined ? {} : { enforcement }),
      ...(lastError === undefined ? {} : { lastError }),
    };
  };
  opened.use(servers.watch((status) => listener?.onServer(reportOf(status))));
  const resources = opened.move();
  let disposed: Promise<void> | undefined;
  return {
    guard,
    mcpServers,
    running: servers,
    endpoints: servers.shown,
    mayDeclare: mayDeclare(services, workspace, place.boundary.roots),
    problems,
    masked: own.masked,
    forAgent: (version) => [
      ...servers.forAgent.map((server) => inVersion(server, version)),
      ...servedByClient(mcpServers),
    ],
    reports: () =>
      onceByName([...servers.servers().map(reportOf), ...servedByClient(mcpServers).map(ofClient), ...own.servers]),
    listen(next) {
      listener = next;
      for (const notice of early.splice(0)) next.onNotice(notice);
    },
    dropHolds: (reason) => servers.dropHolds(reason),
    [Symbol.asyncDispose]() {
      disposed ??= resources.disposeAsync();
      return disposed;
    },
  };
}

/** Only an explicit choice of the operator lets a boundary be less than enforced, and only in the roots that it is for. */
export function mayDeclare(
  { workspaces }: Pick<GovernanceServices, 'workspaces'>,
  workspace: unknown,
  roots: readonly { readonly path: string }[],
): boolean {
  const known =
    typeof workspace === 'string' && Object.hasOwn(workspaces, workspace) ? workspaces[workspace] : undefined;
  if (known?.require !== 'declared') return false;
  return roots.every(({ path }) => known.roots.some((root) => path === root.path || path.startsWith(`${root.path}/`)));
}

/** Unstable in ACP: messages to it go over the ACP connection, between the agent and the client. */
function servedByClient(servers: readonly McpServer[]): readonly JsonObject[] {
  return servers.filter(({ type }) => type === 'acp').map((server) => ({ ...server }));
}

function ofClient({ name }: JsonObject): McpServerReport {
  return { name: String(name), origin: 'client', governed: false, state: 'unknown', from: 'client' };
}

/** In v2 a server that is started by command names its type (ACP v2, `McpServerStdio`). */
function inVersion(server: JsonObject, version: AcpVersion): JsonObject {
  return version === 2 && isObject(server) && server.type === undefined ? { type: 'stdio', ...server } : server;
}
