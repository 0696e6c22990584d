import type { JsonObject } from '@reeve/protocol';
import type { SandboxSocket } from '@reeve/sandbox';
import type { ServerGuard } from '../boundary/server-guard.ts';
import type { CreateCallGate } from './call-gate.ts';
import { HttpEndpoints } from './endpoint/http-endpoints.ts';
import type { GatewayLimits } from './gateway-limits.ts';
import type { ServerLauncher } from './server-launch.ts';
import type { ServerStatus } from './server-status.ts';
import { openSessionServers } from './session-servers.ts';

export interface GatewayOptions {
  /** Under it each session has a directory of mode 0700. Short: the path of a unix socket has at most 107 bytes. */
  readonly socketsIn: string;
  /** Reeve's version, for `clientInfo`. */
  readonly version: string;
  /** Absolute path of `socat`, where it is there: a lighter way for stdio than our own script. */
  readonly socat: string | undefined;
  readonly launcher: ServerLauncher;
  readonly createGate: CreateCallGate;
  readonly limits: GatewayLimits;
  /** For the diagnostic log. The facts hold no secret, no path and no argument. */
  readonly warn: (message: string, facts: JsonObject) => void;
}

export interface OpenServers {
  /** One for each server; their names are distinct. */
  readonly guards: readonly ServerGuard[];
  /** What the agent takes: a command, or for those that refuse commands streamable HTTP. */
  readonly endpoint: 'stdio' | 'http';
  /** See `CreateCallGate`. */
  readonly toolTimeoutMs?: number;
}

/** The MCP servers of one session, for its agent. Dispose ends endpoints, calls and server processes. */
export interface SessionServers extends AsyncDisposable {
  /** Entries of `mcpServers` (ACP, session setup), in the order of the guards, under the same names. Those of http hold secrets. */
  readonly forAgent: readonly JsonObject[];
  /** What the agent's sandbox must let it see and reach. */
  readonly shown: {
    readonly sockets: readonly SandboxSocket[];
    readonly readOnly: readonly string[];
    /** Hosts for the rule of its network: `127.0.0.1:PORT`. */
    readonly hosts: readonly string[];
  };
  /** In the order of the guards. */
  servers(): readonly ServerStatus[];
  /** The last bytes of the server's stderr (`limits.mcpStderrTailBytes`), of the process before too; undefined for an unknown name. */
  stderrTail(name: string): string | undefined;
  /** Starts a server that failed or was refused; asks again for admission. False for an unknown name. */
  retry(name: string): boolean;
  /** Called after each change of what `servers()` says. */
  watch(listener: (status: ServerStatus) => void): Disposable;
  /** The turn was cancelled: calls that wait for a person are refused. */
  dropHolds(reason: string): void;
}

/** Between agents and MCP servers: Reeve is the server of the one and the client of the other. */
export interface McpGateway extends AsyncDisposable {
  /** Endpoints are there once it resolves; servers are admitted and started meanwhile. */
  open(request: OpenServers): Promise<SessionServers>;
}

export function createMcpGateway(options: GatewayOptions): McpGateway {
  const open = new Set<SessionServers>();
  const { mcpMessageBytes: maxBodyBytes, mcpConnections: maxStreams, mcpCalls: maxRequests } = options.limits;
  const http = new HttpEndpoints({ maxBodyBytes, maxStreams, maxRequests });
  return {
    async open(request) {
      const servers = await openSessionServers(options, http, request);
      open.add(servers);
      return {
        ...servers,
        async [Symbol.asyncDispose]() {
          open.delete(servers);
          await servers[Symbol.asyncDispose]();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      const all = [...open];
      open.clear();
      await Promise.all(all.map((servers) => servers[Symbol.asyncDispose]()));
      await http[Symbol.asyncDispose]();
    },
  };
}
