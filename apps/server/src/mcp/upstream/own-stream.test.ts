import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { connectByShim, openGateway } from '../gateway.rig.ts';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: unknown;
}

/** A server whose stream for its own questions opens late, and that asks one in the middle of a call. `refuses` the stream: 405. */
async function serve(stream: 'late' | 'refused'): Promise<string> {
  let own: ServerResponse | undefined;
  let call: { readonly id: unknown; readonly response: ServerResponse } | undefined;
  const json = (response: ServerResponse, id: unknown, result: object): void =>
    void response
      .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  const said = (words: string): object => ({ content: [{ type: 'text', text: words }] });
  const post = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { id, method, result } = JSON.parse(await text(request)) as Message;
    if (method === 'initialize') {
      const serverInfo = { name: 'late', version: '1' };
      json(response, id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo });
    } else if (method === 'tools/list')
      json(response, id, { tools: [{ name: 'ask', inputSchema: { type: 'object' } }] });
    else if (method === 'tools/call' && own) {
      call = { id, response };
      const params = { message: 'Well?', requestedSchema: { type: 'object', properties: {} } };
      own.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params })}\n\n`);
    } else if (method === 'tools/call') json(response, id, said('nobody listened'));
    else {
      response.writeHead(202).end();
      if (id === 'q' && call) json(call.response, call.id, said(JSON.stringify(result)));
    }
  };
  const server = createServer((request, response) => {
    if (request.method === 'POST') return void post(request, response);
    if (request.method !== 'GET' || stream === 'refused') return void response.writeHead(405).end();
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      own = response;
    }, 30);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  opened.push({
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function callAtOnce(url: string): Promise<unknown> {
  const rig = await openGateway({ server: { transport: { kind: 'http', url, headers: {} } } });
  opened.push(rig);
  const client = await connectByShim(rig.entry, { elicitation: { form: {} } });
  opened.push({ [Symbol.asyncDispose]: () => client.close() });
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }));
  return client.callTool({ name: 'ask', arguments: {} });
}

describe('the stream on which a server asks on its own', () => {
  it('is open before the first call, so that nothing that it asks is lost', async () => {
    expect(await callAtOnce(await serve('late'))).toMatchObject({
      content: [{ text: expect.stringContaining('accept') }],
    });
  });

  it('is not waited for where the server has none', async () => {
    expect(await callAtOnce(await serve('refused'))).toMatchObject({ content: [{ text: 'nobody listened' }] });
  });
});
