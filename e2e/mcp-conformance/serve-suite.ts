/**
 * `node serve-suite.ts stdio|http|reeve`: the server that the suite's server scenarios run against: on stdio, on a port, or behind the
 * gateway of Reeve, which a port leads to. A port is printed as the address of the server.
 */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { openGateway } from '../../apps/server/src/mcp/gateway.rig.ts';
import { createSuiteServer } from './suite-server.ts';

type Front = WebStandardStreamableHTTPServerTransport;

const how = process.argv[2];
if (how === 'stdio') await createSuiteServer().connect(new StdioServerTransport());
else if (how === 'http') serveHttp((front) => createSuiteServer().connect(front));
else if (how === 'reeve') serveHttp(await behindReeve());
else throw new Error('usage: node serve-suite.ts stdio|http|reeve');

/** Each client is an agent of its own: its messages go to the command that Reeve gives agents, and back, as they are. */
async function behindReeve(): Promise<(front: Front) => Promise<void>> {
  const gateway = await openGateway({
    args: [fileURLToPath(import.meta.url), 'stdio'],
    trusted: true,
    limits: { mcpConnections: 100 },
  });
  process.once('SIGTERM', () => void Promise.resolve(gateway[Symbol.asyncDispose]()).then(() => process.exit(0)));
  const { entry } = gateway;
  return async (front) => {
    const shim = new StdioClientTransport({ command: entry.command, args: [...entry.args] });
    shim.onmessage = (message) => void front.send(message);
    front.onmessage = (message) => void shim.send(message);
    front.onclose = () => void shim.close();
    await shim.start();
    await front.start();
  };
}

function serveHttp(connect: (front: Front) => Promise<void>): void {
  const fronts = new Map<string, Front>();
  const open = async (): Promise<Front> => {
    const front = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void fronts.set(id, front),
    });
    await connect(front);
    return front;
  };
  const answer = async (request: Request): Promise<Response> => {
    const host = request.headers.get('host') ?? '';
    if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host)) return new Response(null, { status: 403 });
    const id = request.headers.get('mcp-session-id');
    const front = id === null ? await open() : fronts.get(id);
    return front?.handleRequest(request) ?? new Response(null, { status: 404 });
  };
  serve({ fetch: answer, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(`http://127.0.0.1:${port}/mcp`));
}
