/**
 * `node serve-suite.ts stdio|http|reeve|reeve-http`: the server that the suite's server scenarios run against: on stdio, on a port, or behind
 * the gateway of Reeve, which a port leads to: to the command that it gives agents, or to its HTTP endpoint. A port is printed as the
 * address of the server.
 */
import { randomUUID } from 'node:crypto';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { type GatewayRig, openGateway } from '../../apps/server/src/mcp/gateway.rig.ts';
import { createSuiteServer } from './suite-server.ts';

type Front = WebStandardStreamableHTTPServerTransport;

const how = process.argv[2];
if (how === 'stdio') await createSuiteServer().connect(new StdioServerTransport());
else if (how === 'http') serveHttp((front) => createSuiteServer().connect(front));
else if (how === 'reeve') serveHttp(await behindReeve());
else if (how === 'reeve-http') await serveEndpoint();
else throw new Error('usage: node serve-suite.ts stdio|http|reeve|reeve-http');

/** Each client is an agent of its own: its messages go to the command that Reeve gives agents, and back, as they are. */
async function behindReeve(): Promise<(front: Front) => Promise<void>> {
  const { entry } = await openReeve('stdio');
  return async (front) => {
    const shim = new StdioClientTransport({ command: entry.command, args: [...entry.args] });
    shim.onmessage = (message) => void front.send(message);
    front.onmessage = (message) => void shim.send(message);
    front.onclose = () => void shim.close();
    await shim.start();
    await front.start();
  };
}

/** The suite cannot say the secret of the endpoint: it is added on the way, and nothing else is changed. */
async function serveEndpoint(): Promise<void> {
  const { entry } = await openReeve('http');
  const secret = Object.fromEntries(entry.headers.map(({ name, value }) => [name.toLowerCase(), value]));
  const front = createServer((incoming, outgoing) => {
    const { method = 'GET', headers } = incoming;
    const onward = request(entry.url, { method, headers: { ...headers, ...secret } }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      outgoing.flushHeaders();
      response.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  front.listen(0, '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${(front.address() as AddressInfo).port}${new URL(entry.url).pathname}`);
  });
}

async function openReeve(endpoint: 'stdio' | 'http'): Promise<GatewayRig> {
  const program = [fileURLToPath(import.meta.url), 'stdio'];
  const gateway = await openGateway({ args: program, endpoint, trusted: true, limits: { mcpConnections: 100 } });
  process.once('SIGTERM', () => void Promise.resolve(gateway[Symbol.asyncDispose]()).then(() => process.exit(0)));
  return gateway;
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
