import { of, type Requirement } from './requirement.ts';

/** What the conformance suite of MCP says of the gateway. */
export const mcpConformance: readonly Requirement[] = [
  {
    id: 'MCP-CONFORMANCE-1',
    promise:
      'agents and MCP servers understand each other through Reeve as the conformance suite of MCP finds they do without it, from either side; what differs is listed and explained',
    source: 'issue: The boundary; boundary: 6',
    tests: of(
      'e2e/mcp-conformance.test.ts',
      'pass through Reeve as they do direct, but for what is listed of its HTTP endpoint',
      'are all in the table of the page, those that differ marked',
      'give through Reeve what they give direct: %s',
      'sign in only direct, and tell the agent so: %s',
    ),
  },
  {
    id: 'MCP-CONFORMANCE-2',
    promise: 'what a server that is reached by URL asks on a stream of its own is heard from the first call on',
    source: 'MCP 2025-11-25: transports, streamable HTTP',
    tests: of(
      'apps/server/src/mcp/upstream/own-stream.test.ts',
      'is open before the first call, so that nothing that it asks is lost',
      'is not waited for where the server has none',
    ),
  },
  {
    id: 'MCP-CONFORMANCE-3',
    promise:
      'the MCP Inspector in place of an agent sees what it sees direct, by a command and over HTTP, and nothing outside the roots',
    source: 'boundary: 6, peers to run against',
    tests: of(
      'e2e/mcp-inspector.test.ts',
      'sees of a server by %s what it sees of it direct',
      'reads in the roots, and is refused what lies outside, as the result of the tool',
    ),
  },
];
