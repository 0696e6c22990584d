import { HttpEndpoints } from './endpoint/http-endpoints.ts';
import { type GatewayOptions, type OpenServers, openSessionServers, type SessionServers } from './session-servers.ts';

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
