import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { BoundaryRoot, JsonObject } from '@reeve/protocol';
import { createProcessHolder, type HeldProcess } from '@reeve/sandbox';
import type { DeclaredServer } from '../boundary/declared-server.ts';
import type { ScopeChange, ServerGuard } from '../boundary/server-guard.ts';
import type { CallGate, GatedCall } from './call-gate.ts';
import { fakeGuard } from './gate/fake-guard.rig.ts';
import { createCallGates } from './gate/server-call-gate.ts';
import type { GatewayLimits } from './gateway-limits.ts';
import { createMcpGateway } from './mcp-gateway.ts';
import type { ServerState, ServerStatus } from './server-status.ts';
import type { OpenServers, SessionServers } from './session-servers.ts';

const require = createRequire(import.meta.url);

/** The programs of real servers. */
export const EVERYTHING = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
export const FILESYSTEM = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');

export const TEST_LIMITS: GatewayLimits = {
  mcpMessageBytes: 8 * 1024 * 1024,
  mcpQueueBytes: 1024 * 1024,
  mcpCalls: 64,
  mcpConnections: 8,
  mcpInputRounds: 4,
  mcpStderrTailBytes: 64 * 1024,
  mcpRestarts: 3,
  mcpAdmitMs: 5000,
  mcpStartMs: 10_000,
  mcpProbeMs: 3000,
  mcpRootsMs: 1000,
  mcpCallMs: 0,
  mcpBackoffMs: 640,
  rootCheckMs: 60_000,
  maxWatchedRoots: 16,
};

/** An entry of `mcpServers` as the agent gets it. */
export interface AgentEntry {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

export interface GatewayRig extends AsyncDisposable {
  readonly servers: SessionServers;
  readonly entry: AgentEntry;
  readonly guard: ReturnType<typeof fakeGuard>;
  /** Calls that the gate was asked about. */
  readonly gated: GatedCall[];
  /** Revisions of roots that servers were told. */
  readonly rootsTold: number[];
  /** Processes that were started, in order. */
  readonly processes: HeldProcess[];
  /** Resolves once its only server is in this state. */
  reach(state: ServerState): Promise<ServerStatus>;
  /** Changes the scope, and resolves when the gateway is through with that. */
  become(roots: readonly BoundaryRoot[]): Promise<ScopeChange>;
}

export interface GatewayRigOptions {
  /** Arguments of Node; the server is a process. */
  readonly args?: readonly string[];
  readonly server?: Partial<DeclaredServer>;
  readonly roots?: readonly BoundaryRoot[];
  readonly limits?: Partial<GatewayLimits>;
  readonly endpoint?: OpenServers['endpoint'];
  readonly guard?: Partial<ServerGuard>;
  readonly gate?: Partial<CallGate>;
  /** The gate that Reeve has, in place of one that lets everything through. */
  readonly realGate?: boolean;
  readonly trusted?: boolean;
  readonly mustReplace?: boolean;
}

/** A gateway with one server in one session: everything is admitted and allowed unless the options say otherwise. */
export async function openGateway(options: GatewayRigOptions): Promise<GatewayRig> {
  await using opened = new AsyncDisposableStack();
  const holder = opened.use(createProcessHolder({ sandbox: 'none' }));
  const { args = [], server = {}, roots = [], trusted = false } = options;
  const transport = { kind: 'stdio', command: process.execPath, args, env: {} } as const;
  const guard = fakeGuard({ server: { transport, ...server }, roots });
  const limits = { ...TEST_LIMITS, ...options.limits };
  const processes: HeldProcess[] = [];
  const gated: GatedCall[] = [];
  const rootsTold: number[] = [];
  const lenient: CallGate = {
    check(call) {
      gated.push(call);
      return { kind: 'forward', done: () => {} };
    },
    screen: () => ({ kind: 'forward' }),
    serverAsks: () => {},
    rootsAnswered: (revision) => void rootsTold.push(revision),
    serverStarted: () => {},
    scopeChanging: async () => {},
    scopeChanged: () => {},
    dropHolds: () => {},
    [Symbol.dispose]: () => {},
    ...options.gate,
  };
  const gateway = opened.use(
    createMcpGateway({
      socketsIn: tmpdir(),
      version: '0.0.0',
      socat: undefined,
      limits,
      warn: () => {},
      createGate: (guarded) => (options.realGate === true ? REAL_GATES(guarded) : lenient),
      launcher: {
        async launch({ guard: of }) {
          const { transport: declared } = of.server;
          if (declared.kind !== 'stdio') return { kind: 'failed', reason: 'it is no process', retry: false };
          const { command, args: given, env } = declared;
          const start = await holder.start({
            command,
            args: given,
            env: { PATH: process.env.PATH ?? '', ...env },
            cwd: tmpdir(),
          });
          if (start.kind === 'failed') return { kind: 'failed', reason: start.message, retry: false };
          processes.push(start.process);
          return { kind: 'launched', process: start.process, scope: of.scope() };
        },
        mustReplace: () => options.mustReplace ?? false,
      },
    }),
  );
  const servers = await gateway.open({
    guards: [
      {
        ...guard.guard,
        admit: async () => ({ kind: 'admitted', trusted }),
        ...options.guard,
      },
    ],
    endpoint: options.endpoint ?? 'stdio',
  });
  const owned = opened.move();
  return {
    servers,
    entry: servers.forAgent[0] as JsonObject as unknown as AgentEntry,
    guard,
    gated,
    rootsTold,
    processes,
    reach: (state) => reach(servers, state),
    async become(next) {
      const change = guard.become(next);
      await guard.tell(change);
      return change;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function reach(servers: SessionServers, state: ServerState): Promise<ServerStatus> {
  const { promise, resolve } = Promise.withResolvers<ServerStatus>();
  using _watch = servers.watch((status) => {
    if (status.state === state) resolve(status);
  });
  const [now] = servers.servers();
  return now?.state === state ? now : await promise;
}

/** Arguments of Node for the scripted server. */
export function scripted(...traits: readonly string[]): readonly string[] {
  return [join(import.meta.dirname, 'scripted-server.rig.ts'), ...traits];
}

const REAL_GATES = createCallGates({ home: '/home/nobody', limits: { mcpStaleRootsMs: 500, mcpDrainMs: 200 } });

/** The socket of the only server. */
export function socketOf({ servers }: GatewayRig): string {
  return servers.shown.sockets[0]?.socket ?? '';
}

/** An agent's MCP client of the older era, which starts the shim as agents do. */
export async function connectByShim(entry: AgentEntry, capabilities: JsonObject = {}): Promise<Client> {
  const client = new Client({ name: 'test-agent', version: '1.0.0' }, { capabilities });
  await client.connect(new StdioClientTransport({ command: entry.command, args: [...entry.args] }));
  return client;
}

/** The same for an agent that takes HTTP. */
export async function connectByHttp(entry: AgentEntry, capabilities: JsonObject = {}): Promise<Client> {
  const client = new Client({ name: 'test-agent', version: '1.0.0' }, { capabilities });
  const headers = Object.fromEntries(entry.headers.map(({ name, value }) => [name, value]));
  await client.connect(new StreamableHTTPClientTransport(new URL(entry.url), { requestInit: { headers } }));
  return client;
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts the everything server on a port of its own; resolves once it listens. */
export async function startEverything(
  kind: 'streamableHttp' | 'sse',
): Promise<{ readonly url: string } & AsyncDisposable> {
  const holder = createProcessHolder({ sandbox: 'none' });
  const port = await freePort();
  const env = { PATH: process.env.PATH ?? '', PORT: String(port) };
  const start = await holder.start({ command: process.execPath, args: [EVERYTHING, kind], env, cwd: tmpdir() });
  if (start.kind === 'failed') throw new Error(start.message);
  start.process.stdout.resume();
  for (;;) {
    const up = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    await up?.body?.cancel();
    if (up) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    url: `http://127.0.0.1:${port}/${kind === 'sse' ? 'sse' : 'mcp'}`,
    [Symbol.asyncDispose]: () => holder[Symbol.asyncDispose](),
  };
}
