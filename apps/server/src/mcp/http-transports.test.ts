import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createMcpHandler, fromJsonSchema, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type AgentEntry,
  connectByHttp,
  connectByShim,
  type GatewayRigOptions,
  openGateway,
  scripted,
  startEverything,
} from './gateway.rig.ts';

const opened: AsyncDisposable[] = [];
const SOON = { interval: 5 };

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function open(options: GatewayRigOptions) {
  const rig = await openGateway(options);
  opened.push(rig);
  return rig;
}

function using<T extends { close(): Promise<void> }>(client: T): T {
  opened.push({ [Symbol.asyncDispose]: () => client.close() });
  return client;
}

/** Status, headers and body of one plain request. */
function send(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string },
): Promise<{ status: number | undefined; headers: Record<string, unknown>; body: string; headersAfterMs: number }> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: options.method ?? 'POST', headers: options.headers ?? {} }, (response) => {
      const headersAfterMs = performance.now() - began;
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body, headersAfterMs }),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(options.body);
  });
}

const withSecret = ({ headers }: AgentEntry) => ({
  ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
});

describe('an agent that takes HTTP', () => {
  it('speaks with its server as others do, without a session id', async () => {
    const rig = await open({ args: scripted(), endpoint: 'http' });
    expect(rig.servers.shown).toMatchObject({ sockets: [], readOnly: [], hosts: [new URL(rig.entry.url).host] });
    const client = using(await connectByHttp(rig.entry));
    expect((await client.listTools()).tools.length).toBe(10);
    expect(await client.callTool({ name: 'echo', arguments: { a: 1 } })).toMatchObject({
      content: [{ text: '{"a":1}' }],
    });
    expect((client.transport as { sessionId?: string }).sessionId).toBeUndefined();
    const seen: number[] = [];
    await client.callTool({ name: 'progress', arguments: {} }, { onprogress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3]);
  });

  it('hears headers at once, comments while it waits, and the answer at the end', async () => {
    const rig = await open({ args: scripted(), endpoint: 'http', limits: { mcpCallMs: 5500 } });
    using(await connectByHttp(rig.entry));
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hang' } });
    const reply = await send(rig.entry.url, { headers: withSecret(rig.entry), body });
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' } });
    expect(reply.headersAfterMs).toBeLessThan(3000);
    expect(reply.body).toMatch(/^: \n\n/);
    expect(reply.body).toMatch(/event: message\ndata: \{.*"isError":true.*\}\n\n$/);
  });

  it('is refused without the secret, from a page, by another name, and finds nothing to log in to', async () => {
    const rig = await open({ args: scripted(), endpoint: 'http' });
    const { url } = rig.entry;
    const headers = withSecret(rig.entry);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(await send(url, { headers, body })).toMatchObject({ status: 200 });
    expect(await send(url, { headers: { ...headers, Authorization: 'Bearer other' }, body })).toMatchObject({
      status: 403,
    });
    expect(await send(url, { body })).toMatchObject({ status: 403 });
    expect(await send(url, { headers: { ...headers, origin: 'https://example.org' }, body })).toMatchObject({
      status: 403,
    });
    expect(await send(url, { headers: { ...headers, host: 'example.org' }, body })).toMatchObject({ status: 403 });
    const { origin } = new URL(url);
    for (const path of [
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-authorization-server/mcp',
      '/mcp',
    ]) {
      expect(await send(`${origin}${path}`, { method: 'GET' })).toMatchObject({ status: 404 });
    }
    expect(await send(url, { method: 'DELETE', headers })).toMatchObject({ status: 405 });
    expect(await send(url, { headers, body: '{' })).toMatchObject({ status: 400 });
    expect(await send(url, { headers, body: '[]' })).toMatchObject({ status: 400 });
  });

  it('is unknown once its session has ended', async () => {
    const rig = await open({ args: scripted(), endpoint: 'http' });
    const other = await open({ args: scripted(), endpoint: 'http' });
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await rig.servers[Symbol.asyncDispose]();
    expect(await send(rig.entry.url, { headers: withSecret(rig.entry), body })).toMatchObject({ status: 404 });
    expect(await send(other.entry.url, { headers: withSecret(rig.entry), body })).toMatchObject({ status: 403 });
  });

  it('has as many connections as it may need, and no more', async () => {
    const rig = await open({ args: scripted(), endpoint: 'http', limits: { mcpConnections: 1, mcpCalls: 2 } });
    const { port } = new URL(rig.entry.url);
    const sockets = Array.from({ length: 4 }, () => connect(Number(port), '127.0.0.1'));
    const closed = sockets.map((socket) => new Promise((resolve) => socket.once('close', () => resolve(socket))));
    for (const socket of sockets) socket.on('error', () => {}).resume();
    await Promise.race(closed);
    expect(sockets.filter((socket) => !socket.destroyed)).toHaveLength(3);
    for (const socket of sockets) socket.destroy();
  });

  it('takes back a call by leaving', async () => {
    const rig = await open({ args: scripted(), endpoint: 'http' });
    using(await connectByHttp(rig.entry));
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hang' } });
    const sent = request(rig.entry.url, { method: 'POST', headers: withSecret(rig.entry) });
    sent.on('error', () => {});
    sent.end(body);
    await expect.poll(() => rig.gated.length, SOON).toBe(1);
    sent.destroy();
    await expect.poll(() => rig.servers.stderrTail('files'), SOON).toContain('cancelled');
  });
});

describe.each(['streamableHttp', 'sse'] as const)('a server that is reached by %s', (kind) => {
  it('is spoken with like one that is started', async () => {
    const everything = await startEverything(kind);
    opened.push(everything);
    const transport = { kind: kind === 'sse' ? 'sse' : 'http', url: everything.url, headers: {} } as const;
    const rig = await open({ server: { transport }, roots: [{ path: '/srv', access: 'ro' }] });
    const client = using(await connectByShim(rig.entry));
    expect(client.getServerVersion()).toMatchObject({ name: 'mcp-servers/everything' });
    expect(await client.callTool({ name: 'echo', arguments: { message: 'x' } })).toMatchObject({
      content: [{ text: 'Echo: x' }],
    });
    expect((await client.listResources()).resources.length).toBeGreaterThan(0);
    expect(rig.servers.servers()[0]).toMatchObject({ state: 'running', transport: transport.kind });
  });

  it('that is not there has failed in the end, and the reason tells no URL', async () => {
    const url = `http://user:hidden@127.0.0.1:1/${kind}?token=hidden`;
    const transport = { kind: kind === 'sse' ? 'sse' : 'http', url, headers: {} } as const;
    const rig = await open({ server: { transport }, limits: { mcpRestarts: 1, mcpBackoffMs: 32, mcpAdmitMs: 50 } });
    const client = using(await connectByShim(rig.entry));
    const { lastError } = await rig.reach('failed');
    expect(lastError).toMatch(/cannot be reached/);
    const refused = await client.callTool({ name: 'echo', arguments: {} });
    expect(refused).toMatchObject({ isError: true });
    expect(JSON.stringify([lastError, refused])).not.toMatch(/hidden|127\.0\.0\.1/);
  });
});

describe('a server that wants authorization', () => {
  it('has failed at once, and says so to the agent and the person', async () => {
    let asked = 0;
    const server = createServer((_request, response) => {
      asked += 1;
      response.writeHead(401, { 'www-authenticate': 'Bearer realm="hidden"' }).end('hidden');
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    opened.push({ [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const rig = await open({
      server: { transport: { kind: 'http', url, headers: {} } },
      limits: { mcpBackoffMs: 60_000 },
    });
    const client = using(await connectByShim(rig.entry));
    const { lastError, restarts } = await rig.reach('failed');
    expect([lastError, restarts]).toEqual([expect.stringMatching(/HTTP 401.*headers/), 0]);
    expect(JSON.stringify(await client.callTool({ name: 'x', arguments: {} }))).toMatch(/HTTP 401/);
    expect(asked).toBeLessThan(3);
  });
});

describe('a server of the stateless era that is reached by HTTP', () => {
  it('is told roots, and what of a call its schema wants in headers', async () => {
    const seen: Record<string, unknown>[] = [];
    const server = await serveStateless(seen);
    opened.push(server);
    const rig = await open({
      server: { transport: { kind: 'http', url: server.url, headers: { 'x-key': 'k' } } },
      roots: [{ path: '/srv', access: 'ro' }],
    });
    const client = using(await connectByShim(rig.entry));
    await client.listTools();
    expect(await client.callTool({ name: 'roots', arguments: { region: 'Zürich' } })).toMatchObject({
      content: [{ text: '{"roots":[{"uri":"file:///srv"}]}' }],
    });
    expect(rig.servers.servers()[0]).toMatchObject({ era: 'stateless', tools: { total: 1 } });
    const calls = seen.filter((headers) => headers['mcp-method'] === 'tools/call');
    expect(calls).toHaveLength(2);
    expect(calls[0]).toMatchObject({
      'x-key': 'k',
      'mcp-protocol-version': '2026-07-28',
      'mcp-name': 'roots',
      'mcp-param-region': '=?base64?WsO8cmljaA==?=',
    });
  });
});

/** A server on the official SDK that remembers the headers of its requests. */
async function serveStateless(seen: Record<string, unknown>[]): Promise<{ readonly url: string } & AsyncDisposable> {
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'remote', version: '1.0.0' });
      const region = { type: 'string', 'x-mcp-header': 'Region' };
      const inputSchema = fromJsonSchema({ type: 'object', properties: { region } });
      server.registerTool('roots', { inputSchema }, (_given, { mcpReq }) => {
        const roots = mcpReq.inputResponses?.r;
        if (roots === undefined) return inputRequired({ inputRequests: { r: inputRequired.listRoots() } });
        return { content: [{ type: 'text', text: JSON.stringify(roots) }] };
      });
      return server;
    },
    { legacy: 'reject' },
  );
  const server = createServer(async (asked, answer) => {
    seen.push(asked.headers);
    const body = await text(asked);
    const headers = new Headers(Object.entries(asked.headers).map(([name, value]) => [name, String(value)]));
    const { method = 'GET' } = asked;
    const init = method === 'POST' ? { method, headers, body } : { method, headers };
    const response = await handler.fetch(new Request('http://127.0.0.1/mcp', init));
    answer.writeHead(response.status, Object.fromEntries(response.headers));
    for await (const chunk of response.body ?? []) answer.write(chunk);
    answer.end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
