import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { type JsonObject, META_KEY, ReeveError } from '@reeve/protocol';
import { createProcessHolder } from '@reeve/sandbox';
import { connectWebSocket, fakeAgentCommand, type JsonRpcPeer, type PeerOptions } from '@reeve/testkit';
import { expect } from 'vitest';
import { createConnections } from '../acp/connections.ts';
import { createWebSocketAcp } from '../acp/websocket.ts';
import type { LaunchLimits } from '../agents/agent-launch.ts';
import { AgentPool } from '../agents/agent-pool.ts';
import { type AgentEntry, createAgentRegistry } from '../agents/agent-registry.ts';
import type { AgentSandboxRules } from '../agents/agent-sandbox-rules.ts';
import { UNCONFINED, unconfinedSandbox } from '../agents/unconfined.rig.ts';
import type { Audit, AuditFact } from '../audit/audit-fact.ts';
import { currentTrace } from '../audit/trace-scope.ts';
import { EventFeed } from '../events/event-feed.ts';
import { type PatienceMs, RequestBroker } from '../requests/request-broker.ts';
import { openMemoryStore } from '../store/memory/memory-store.ts';
import type { Store } from '../store/store.ts';
import { fakeGovernance, type GovernanceRig } from './governance.rig.ts';
import { type AgentServices, createLocalServices, type LocalServicesOptions } from './local-services.ts';
import { SessionDirectory } from './session-directory.ts';
import type { SessionLimits } from './session-services.ts';

export interface RigOptions {
  /** Flags of the fake agents by name; the first is the default. One agent `fake` without flags when absent. */
  readonly agents?: Readonly<Record<string, readonly string[]>>;
  /** Commands that are no fake agents, by name. */
  readonly commands?: Readonly<Record<string, Pick<AgentEntry, 'command' | 'args'> & Partial<Pick<AgentEntry, 'env'>>>>;
  /** What is known of every agent beside that nothing confines it. */
  readonly rules?: Partial<AgentSandboxRules>;
  /** A memory store by default. Disposed with the rig unless it was given. */
  readonly store?: Store;
  readonly limits?: Partial<SessionLimits>;
  readonly patience?: Partial<PatienceMs>;
  readonly launch?: Partial<LaunchLimits>;
  /** `when-asked` by default. */
  readonly agentServices?: AgentServices;
  readonly services?: Partial<LocalServicesOptions['limits']>;
  readonly maxFrameBytes?: number;
  readonly maxConnections?: number;
  readonly heartbeatMs?: number;
  readonly vanishedMs?: number;
}

export interface ConnectOptions extends PeerOptions {
  readonly agent?: string;
  readonly clientCapabilities?: JsonObject;
  /** Stands under our key of `clientCapabilities._meta`. */
  readonly wishes?: JsonObject;
  readonly name?: string;
}

/** What was warned of, in order. */
export interface Warning {
  readonly message: string;
  readonly facts: JsonObject;
}

/** A server's sessions with fake agents behind them and a WebSocket on a free port before them. */
export interface SessionRig extends AsyncDisposable {
  readonly url: string;
  readonly directory: SessionDirectory;
  readonly broker: RequestBroker;
  readonly agents: AgentPool;
  readonly store: Store;
  /** What the audit log was told, in order. */
  readonly facts: readonly AuditFact[];
  /** The trace in which the audit log was told a fact. */
  traceOf(fact: AuditFact | undefined): string | undefined;
  /** Who governs the MCP servers and the boundaries of the sessions. */
  readonly governance: GovernanceRig;
  readonly warnings: Warning[];
  readonly noise: string[];
  /** Errors that no one foresaw: a test that expects none looks here. */
  readonly unforeseen: unknown[];
  /** The server's end of every connection, in the order in which they came. */
  readonly sockets: readonly Duplex[];
  /** A directory of the rig's own. */
  readonly cwd: string;
  /** Connects and initializes. */
  connect(options?: ConnectOptions): Promise<JsonRpcPeer>;
}

export async function startRig(options: RigOptions = {}): Promise<SessionRig> {
  const cwd = await mkdtemp(join(tmpdir(), 'reeve-sessions-'));
  const store = options.store ?? openMemoryStore();
  const warnings: Warning[] = [];
  const noise: string[] = [];
  const unforeseen: unknown[] = [];
  const holder = createProcessHolder({ sandbox: 'none' });
  const env = { PATH: process.env.PATH ?? '', HOME: cwd };
  const fakes = Object.entries(options.agents ?? { fake: [] }).map(([name, flags]) => {
    const { command, args } = fakeAgentCommand(flags);
    return { name, command, args, env, sandbox: { ...UNCONFINED, ...options.rules } };
  });
  const others = Object.entries(options.commands ?? {}).map(([name, command]) => ({
    name,
    env,
    sandbox: UNCONFINED,
    ...command,
  }));
  const entries = [...fakes, ...others];
  const agents = new AgentPool(createAgentRegistry(entries, entries[0]?.name), {
    holder,
    sandbox: unconfinedSandbox(cwd),
    limits: {
      maxLineBytes: 64 * 1024 * 1024,
      stderrTailBytes: 64 * 1024,
      initializeMs: 10_000,
      stopGraceMs: 300,
      stopKillMs: 300,
      ...options.launch,
    },
    offersServices: options.agentServices !== undefined && options.agentServices !== 'when-asked',
    onNoise: (_agent, what) => noise.push(what),
  });
  const rpcErrorOf = (error: unknown) => {
    if (error instanceof ReeveError) return error.toRpc();
    unforeseen.push(error);
    return { code: -32603, message: 'Internal error', data: { details: String(error) } };
  };
  const local = createLocalServices({
    hidden: [],
    holder,
    when: options.agentServices ?? 'when-asked',
    env,
    limits: {
      maxFileBytes: 1024 * 1024,
      maxTerminals: 8,
      terminalOutputBytes: 64 * 1024,
      terminalLogBytes: 64 * 1024,
      stopKillMs: 300,
      ...options.services,
    },
    rpcErrorOf,
  });
  const facts: AuditFact[] = [];
  const traces = new Map<AuditFact | undefined, string | undefined>();
  const audit: Audit = {
    async record(fact) {
      facts.push(fact);
      traces.set(fact, currentTrace());
    },
    note: (fact) => void audit.record(fact),
  };
  const broker = new RequestBroker({
    store: store.requests,
    audit,
    patience: { permissionMs: 0, questionMs: 0, ...options.patience },
    onFailure: (error) => unforeseen.push(error),
  });
  const governance = fakeGovernance();
  const directory = new SessionDirectory({
    log: store.events,
    feed: new EventFeed(),
    store: store.sessions,
    requests: store.requests,
    broker,
    audit,
    agents,
    local,
    governance: governance.services,
    boundaryRules: { maxRoots: 64, dataDir: join(cwd, '.reeve-data') },
    owner: 'rig',
    limits: {
      connectionQueueBytes: 8 * 1024 * 1024,
      agentBacklogBytes: 16 * 1024 * 1024,
      agentInputBytes: 64 * 1024 * 1024,
      maxQueuedPrompts: 8,
      maxSubscribersPerSession: 50,
      maxSessionsLive: 50,
      maxPendingRequests: 50,
      maxAttachmentBytes: 1024 * 1024,
      maxMetadataBytes: 64 * 1024,
      maxReoffers: 3,
      sessionNewMs: 10_000,
      restoreMs: 10_000,
      cancelMs: 10_000,
      agentListMs: 10_000,
      idleAgentMs: 60_000,
      rootCheckMs: 60_000,
      maxWatchedRoots: 16,
      ...options.limits,
    },
    rpcErrorOf,
    warn: (message, facts) => warnings.push({ message, facts }),
  });
  const { accept } = createConnections(directory, {
    maxConnections: options.maxConnections ?? 100,
    maxEarlyMessages: 256,
    version: '0',
  });
  const webSockets = createWebSocketAcp({
    accept,
    maxFrameBytes: options.maxFrameBytes ?? 64 * 1024 * 1024,
    maxUnreadBytes: 16 * 1024 * 1024,
    heartbeatMs: options.heartbeatMs ?? 15_000,
    vanishedMs: options.vanishedMs ?? 45_000,
  });
  const server = createServer();
  const sockets: Duplex[] = [];
  server.on('upgrade', (_request, socket) => sockets.push(socket));
  server.on('upgrade', (request, socket, head) => webSockets.upgrade(request, socket, head, undefined));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/acp`;
  const peers: JsonRpcPeer[] = [];

  return {
    url,
    directory,
    broker,
    agents,
    store,
    facts,
    traceOf: (fact) => traces.get(fact),
    governance,
    warnings,
    noise,
    unforeseen,
    sockets,
    cwd,
    async connect({ agent, clientCapabilities = {}, wishes, name = 'test', ...peerOptions } = {}) {
      const peer = await connectWebSocket(url, peerOptions);
      peers.push(peer);
      await peer.request('initialize', {
        protocolVersion: 1,
        clientInfo: { name, version: '1' },
        clientCapabilities: { ...clientCapabilities, ...(wishes ? { _meta: { [META_KEY]: wishes } } : {}) },
        ...(agent === undefined ? {} : { _meta: { [META_KEY]: { agent } } }),
      });
      return peer;
    },
    async [Symbol.asyncDispose]() {
      for (const peer of peers) peer.close();
      await directory.shutdown();
      webSockets.closeAll('the test is over');
      await agents[Symbol.asyncDispose]();
      await holder[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (!options.store) await store[Symbol.asyncDispose]();
      await rm(cwd, { recursive: true, force: true });
    },
  };
}

/** Like `expect.poll`, with the patience that a machine with much to do needs. */
export const eventually: typeof expect.poll = (look, options) => expect.poll(look, { interval: 5, ...options });
