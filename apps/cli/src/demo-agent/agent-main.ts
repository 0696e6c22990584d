/**
 * The agent of the demonstration: an ACP v1 agent over stdio without a model. Whatever it is asked, it makes a greeting friendlier, counts
 * the words of a note by an MCP server, and then tries to read a file that lies outside its roots, and says what became of that.
 */
import { randomUUID } from 'node:crypto';
import { openPeer, RpcFailure } from './json-rpc-peer.ts';
import type { NamedServer } from './mcp-server-link.ts';
import { runTurn } from './run-turn.ts';

interface Session {
  readonly cwd: string;
  readonly servers: readonly NamedServer[];
  running: AbortController | undefined;
}

const RESOURCE_NOT_FOUND = -32002;
const INVALID_REQUEST = -32600;

const sessions = new Map<string, Session>();

const peer = openPeer(process.stdin, process.stdout, {
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'reeve-demo-agent', title: 'Demonstration', version: '1.0.0' },
    agentCapabilities: { loadSession: false, promptCapabilities: {}, mcpCapabilities: {} },
    authMethods: [],
  }),
  'session/new': ({ cwd, mcpServers }) => {
    const sessionId = randomUUID();
    const named = Array.isArray(mcpServers) ? (mcpServers as Partial<NamedServer>[]) : [];
    const servers = named.filter((server): server is NamedServer => typeof server.command === 'string');
    sessions.set(sessionId, { cwd: String(cwd), servers, running: undefined });
    return { sessionId };
  },
  'session/prompt': async ({ sessionId }) => {
    const session = sessionOf(sessionId);
    if (session.running) throw new RpcFailure(INVALID_REQUEST, 'a turn is running');
    const running = new AbortController();
    session.running = running;
    try {
      await runTurn({ ...session, sessionId: String(sessionId), peer, signal: running.signal });
    } catch (error) {
      if (!running.signal.aborted) throw error;
    } finally {
      session.running = undefined;
    }
    return { stopReason: running.signal.aborted ? 'cancelled' : 'end_turn' };
  },
  'session/cancel': ({ sessionId }) => sessions.get(String(sessionId))?.running?.abort(),
});
process.stdin.on('end', () => process.exit(0));

function sessionOf(sessionId: unknown): Session {
  const session = sessions.get(String(sessionId));
  if (!session) throw new RpcFailure(RESOURCE_NOT_FOUND, 'there is no such session');
  return session;
}
