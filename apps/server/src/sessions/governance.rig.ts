import { diffBoundary } from '@reeve/policy';
import type { JsonObject, SessionBoundary, SessionId } from '@reeve/protocol';
import type { Boundaries } from '../boundary/boundaries.ts';
import type { DeclaredServer } from '../boundary/declared-server.ts';
import type { ServerGuard } from '../boundary/server-guard.ts';
import type { BoundaryChange, GuardedSessionOptions, SessionGuard } from '../boundary/session-guard.ts';
import type { McpGateway } from '../mcp/mcp-gateway.ts';
import type { ServerStatus } from '../mcp/server-status.ts';
import type { OpenServers, SessionServers } from '../mcp/session-servers.ts';
import type { GovernanceServices } from './session-governance.ts';

/** What a test sees of the governance of its sessions: no server runs, and every root is granted. */
export interface GovernanceRig {
  readonly services: GovernanceServices;
  /** Every guard that was opened, in order, the disposed ones too. */
  readonly guards: readonly FakeGuard[];
  /** Servers that were opened, in order. */
  readonly opened: readonly FakeServers[];
  /** Sessions of which nothing that was decided is kept. */
  readonly forgotten: readonly SessionId[];
  /** Names of servers that wait for a person when they are opened. */
  readonly waiting: Set<string>;
  /** Servers of the configuration, from now on. */
  configured: readonly DeclaredServer[];
  /** Boundaries by the names that the configuration has for them. */
  readonly workspaces: Record<string, Omit<SessionBoundary, 'revision'>>;
  /** The workspaces whose servers were asked for, in order. */
  readonly wanted: (string | undefined)[];
}

export interface FakeGuard {
  /** Somebody decided about an MCP server: another revision of the same boundary. */
  decided(): Promise<void>;
  readonly options: GuardedSessionOptions;
  readonly bound: SessionId | undefined;
  readonly disposed: boolean;
}

export interface FakeServers {
  readonly declared: readonly DeclaredServer[];
  readonly endpoint: 'stdio' | 'http';
  readonly toolTimeoutMs: number | undefined;
  readonly dropped: readonly string[];
  readonly disposed: boolean;
  /** Says that the server stands so now. */
  tell(name: string, state: ServerStatus['state']): void;
}

export function fakeGovernance(): GovernanceRig {
  const guards: FakeGuard[] = [];
  const opened: FakeServers[] = [];
  const forgotten: SessionId[] = [];
  const waiting = new Set<string>();
  const workspaces: GovernanceRig['workspaces'] = {};
  const wanted: (string | undefined)[] = [];
  const rig = { guards, opened, forgotten, waiting, workspaces, wanted, configured: [] as readonly DeclaredServer[] };
  const boundaries = {
    async open(options: GuardedSessionOptions) {
      const made = fakeGuard(options);
      guards.push(made);
      return made.guard;
    },
    async forgetSession(session) {
      forgotten.push(session);
    },
  } as Partial<Boundaries> as Boundaries;
  const gateway = {
    async open({ guards: of, ...agent }) {
      const made = fakeServers(of, agent, waiting);
      opened.push(made);
      return made.servers;
    },
  } as Partial<McpGateway> as McpGateway;
  const services: GovernanceServices = {
    boundaries,
    gateway,
    async configuredServers({ workspace }) {
      wanted.push(workspace);
      return { servers: rig.configured, problems: [] };
    },
    workspaces,
    confined: async () => false,
  };
  return Object.assign(rig, { services });
}

function fakeGuard(options: GuardedSessionOptions): FakeGuard & { readonly guard: SessionGuard } {
  let boundary: SessionBoundary = options.place.boundary;
  let bound = options.session;
  let disposed = false;
  const listeners = new Set<(change: BoundaryChange) => Promise<void>>();
  const guards = new Map<string, ServerGuard>();
  const guard = {
    get session() {
      return bound;
    },
    bind: (session) => {
      bound = session;
    },
    follow: () => {},
    boundary: () => boundary,
    identities: () => [],
    approved: () => new Map(),
    checkRoots: async () => {},
    async guardOf(server) {
      const scope = () => ({ revision: boundary.revision, roots: boundary.roots, network: 'none', undecided: 0 });
      const made = { server, fingerprint: `sha256:${server.name}`, scope } as Partial<ServerGuard> as ServerGuard;
      guards.set(server.name, made);
      return made;
    },
    servers: () => [...guards.values()],
    async set(wish, by, expectedRevision) {
      const before = boundary;
      if (expectedRevision !== undefined && expectedRevision !== before.revision) {
        return { kind: 'conflict', revision: before.revision };
      }
      const rule = (of: SessionBoundary) => ({ roots: of.roots, network: of.network ?? 'full' }) as const;
      const next = { ...before, ...wish };
      const diff = diffBoundary(rule(before), rule(next));
      if (diff.direction === 'same' && !diff.listChanged) return { kind: 'unchanged', boundary, servers: [] };
      boundary = { ...next, revision: before.revision + 1 };
      const change = { before, after: boundary, diff, by: by.label };
      await Promise.all([...listeners].map((listener) => listener(change)));
      const servers = [...guards.keys()].map((server) => ({ server, result: 'told' as const }));
      return { kind: 'changed', boundary: change.after, servers };
    },
    watch(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    async [Symbol.asyncDispose]() {
      disposed = true;
    },
  } as Partial<SessionGuard> as SessionGuard;
  return {
    options,
    guard,
    async decided() {
      const before = boundary;
      boundary = { ...before, revision: before.revision + 1 };
      const rule = { roots: before.roots, network: before.network ?? 'full' } as const;
      const change = { before, after: boundary, diff: diffBoundary(rule, rule), by: 'reeve' };
      await Promise.all([...listeners].map((listener) => listener(change)));
    },
    get bound() {
      return bound;
    },
    get disposed() {
      return disposed;
    },
  };
}

function fakeServers(
  guards: readonly ServerGuard[],
  { endpoint, toolTimeoutMs }: Omit<OpenServers, 'guards'>,
  waiting: ReadonlySet<string>,
): FakeServers & { readonly servers: SessionServers } {
  const declared = guards.map(({ server }) => server);
  const dropped: string[] = [];
  const listeners = new Set<(status: ServerStatus) => void>();
  let disposed = false;
  const states = new Map<string, ServerStatus['state']>();
  const statusOf = ({ name, origin, transport }: DeclaredServer): ServerStatus => ({
    name,
    fingerprint: `sha256:${name}`,
    origin,
    transport: transport.kind,
    state: states.get(name) ?? (waiting.has(name) ? 'waiting' : 'running'),
    era: undefined,
    protocolVersion: undefined,
    claimed: undefined,
    trusted: false,
    tools: undefined,
    restarts: 0,
    enforcement: undefined,
    lastError: undefined,
  });
  const servers: SessionServers = {
    forAgent: declared.map(
      ({ name }): JsonObject =>
        endpoint === 'http'
          ? { type: 'http', name, url: `http://127.0.0.1:1/${name}`, headers: [] }
          : { name, command: '/endpoint', args: [name], env: [] },
    ),
    shown: { sockets: [], readOnly: [], hosts: [] },
    servers: () => declared.map(statusOf),
    stderrTail: () => undefined,
    retry: () => false,
    watch(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    dropHolds: (reason) => void dropped.push(reason),
    async [Symbol.asyncDispose]() {
      disposed = true;
    },
  };
  return {
    declared,
    endpoint,
    toolTimeoutMs,
    dropped,
    servers,
    get disposed() {
      return disposed;
    },
    tell(name, state) {
      states.set(name, state);
      for (const server of declared)
        if (server.name === name) for (const listener of listeners) listener(statusOf(server));
    },
  };
}
