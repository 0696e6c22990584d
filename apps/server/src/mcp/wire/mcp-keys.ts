/** Versions that open with `initialize`, the newest first (MCP, lifecycle). */
export const INITIALIZE_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** The version that opens with nothing (MCP 2026-07-28). */
export const STATELESS_VERSION = '2026-07-28';

/** Members of `_meta` that MCP 2026-07-28 gives a meaning. */
export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscription: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** JSON-RPC error codes that we answer with. */
export const CODE = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  parse: -32700,
  unsupportedVersion: -32022,
} as const;

/** Results that say how long they may be kept (MCP 2026-07-28, caching). */
export const CACHEABLE: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);
