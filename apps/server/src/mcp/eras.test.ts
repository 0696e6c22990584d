import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { JsonObject } from '@reeve/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { EVERYTHING, type GatewayRig, type GatewayRigOptions, openGateway, scripted, socketOf } from './gateway.rig.ts';
import { connectRaw } from './raw-agent.rig.ts';

const STATELESS = join(import.meta.dirname, 'stateless-server.rig.ts');
const ROOTS = [{ path: '/srv/a', access: 'rw' as const, name: 'a' }];
const SHOWN = { roots: [{ uri: 'file:///srv/a', name: 'a' }] };

const opened: AsyncDisposable[] = [];
const SOON = { interval: 5 };

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function open(args: readonly string[], options: GatewayRigOptions = {}) {
  const rig = await openGateway({ args, roots: ROOTS, ...options });
  opened.push(rig);
  return rig;
}

/** An agent of either era on the SDK. */
async function connect({ entry }: GatewayRig, era: 'old' | 'new', capabilities: JsonObject = {}) {
  const client = new Client(
    { name: 'test-agent', version: '1.0.0' },
    { capabilities, ...(era === 'new' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}) },
  );
  const headers = Object.fromEntries((entry.headers ?? []).map(({ name, value }) => [name, value]));
  await client.connect(
    entry.url === undefined
      ? new StdioClientTransport({ command: entry.command, args: [...entry.args] })
      : new StreamableHTTPClientTransport(new URL(entry.url), { requestInit: { headers } }),
  );
  opened.push({ [Symbol.asyncDispose]: () => client.close() });
  return client;
}

async function call(client: Client, name: string, given: JsonObject = {}) {
  const { content, isError } = (await client.callTool({ name, arguments: given })) as {
    content: { text: string }[];
    isError?: boolean;
  };
  const text = content[0]?.text ?? '';
  return isError === true ? `error: ${text}` : JSON.parse(text);
}

describe.each(['old', 'new'] as const)('an agent that is %s and a new server', (era) => {
  it('find to each other, and the agent keeps what it is told of the server', async () => {
    const rig = await open([STATELESS]);
    const client = await connect(rig, era);
    expect(client.getServerVersion()).toMatchObject({ name: 'stateless', version: '2.0.0' });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('envelope');
    expect(await call(client, 'echo')).toBe('echo');
    expect(rig.servers.servers()[0]).toMatchObject({
      era: 'stateless',
      protocolVersion: '2026-07-28',
      tools: { total: 9 },
    });
  });

  it('has the server told its roots by us, with its state byte for byte, and never the agent asked', async () => {
    const rig = await open([STATELESS]);
    const client = await connect(rig, era, { roots: {} });
    client.setRequestHandler('roots/list', () => {
      throw new Error('the agent was asked');
    });
    expect(await call(client, 'roots')).toEqual({ roots: SHOWN, state: 'a state, "quoted" & é' });
    expect(rig.rootsTold).toEqual([1]);
    expect(rig.gated).toHaveLength(1);
  });

  it('is told by an empty list that it has no roots', async () => {
    const client = await connect(await open([STATELESS], { roots: [] }), era);
    expect(await call(client, 'roots')).toMatchObject({ roots: { roots: [] } });
  });

  it('has the agent asked what only it can answer, beside the roots', async () => {
    const rig = await open([STATELESS]);
    const client = await connect(rig, era, { elicitation: {}, sampling: {} });
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }));
    client.setRequestHandler('sampling/createMessage', () => ({
      model: 'm',
      role: 'assistant',
      content: { type: 'text', text: 'said' },
    }));
    expect(await call(client, 'confirm')).toMatchObject({ action: 'accept' });
    expect(await call(client, 'mixed')).toMatchObject({
      c: { action: 'accept' },
      r: SHOWN,
      state: 'a state, "quoted" & é',
    });
    expect(await call(client, 'sample')).toMatchObject({ content: { text: 'said' } });
    expect(await call(client, 'state')).toBe('a state, "quoted" & é');
  });

  it('tells the server what its agent can do, and declines in its place what it cannot', async () => {
    const honest = await connect(await open([STATELESS]), era);
    await expect(call(honest, 'confirm')).rejects.toThrow(/capabilities/);
    const client = await connect(await open(scripted('bold')), era);
    const params = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } };
    expect(await call(client, 'x', { method: 'elicitation/create', params })).toEqual({ q: { action: 'decline' } });
    expect(await call(client, 'x', { method: 'sampling/createMessage', params: {} })).toMatch(/^error: .*sampling/);
  });

  it('mcpInputRounds: ends a call for which the server asks more often', async () => {
    const rig = await open([STATELESS], { limits: { mcpInputRounds: 3 } });
    const client = await connect(rig, era);
    expect(await call(client, 'stubborn')).toMatch(/limits\.mcpInputRounds/);
    expect(rig.rootsTold).toHaveLength(3);
  });

  it('tells the agent when the tools of the server change', async () => {
    const rig = await open([STATELESS]);
    const client = await connect(rig, era);
    const changed = Promise.withResolvers<void>();
    client.setNotificationHandler('notifications/tools/list_changed', () => changed.resolve());
    if (era === 'new') await client.listen({ toolsListChanged: true });
    await call(client, 'grow');
    await changed.promise;
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('grown');
  });
});

describe('a new agent and an old server', () => {
  it('find to each other', async () => {
    const rig = await open([EVERYTHING, 'stdio']);
    const client = await connect(rig, 'new');
    expect(client.getServerVersion()).toMatchObject({ name: 'mcp-servers/everything' });
    expect((await client.callTool({ name: 'echo', arguments: { message: 'x' } })).content).toMatchObject([
      { text: 'Echo: x' },
    ]);
    expect((await client.listResources()).resources.length).toBeGreaterThan(0);
    expect(rig.servers.servers()[0]).toMatchObject({ era: 'initialize' });
  });

  it('has roots answered by us, and the agent asked by the answer to its call, which goes on with the same call', async () => {
    const rig = await open(scripted());
    const client = await connect(rig, 'new', { elicitation: {} });
    client.setRequestHandler('elicitation/create', ({ params }) => ({
      action: 'accept',
      content: { got: params.message },
    }));
    expect(await call(client, 'roots')).toEqual(SHOWN);
    const params = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } };
    expect(await call(client, 'ask', { method: 'elicitation/create', params })).toEqual({
      action: 'accept',
      content: { got: 'Sure?' },
    });
    expect(rig.gated.filter(({ method }) => method === 'tools/call')).toHaveLength(2);
    expect(await call(client, 'ask', { method: 'sampling/createMessage', params: {} })).toMatchObject({ code: -32601 });
  });

  it('leaves no call behind that it was asked about and does not send again, and sends none twice', async () => {
    const ends: string[] = [];
    const rig = await open(scripted(), {
      gate: { check: () => ({ kind: 'forward', done: (end) => void ends.push(end) }) },
    });
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    };
    const asking = { name: 'ask', arguments: { method: 'elicitation/create', params: {} }, _meta };
    const agent = await connectRaw(socketOf(rig));
    const { result } = await agent.ask('tools/call', asking);
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { asked: { method: 'elicitation/create' } },
    });
    const again = { ...asking, requestState: result?.requestState, inputResponses: { asked: { action: 'accept' } } };
    expect((await agent.ask('tools/call', again)).result).toMatchObject({ content: [{ text: '{"action":"accept"}' }] });
    expect(ends).toEqual(['completed']);
    // The state is spent: the same again is a call of its own.
    expect((await agent.ask('tools/call', again)).result).toMatchObject({ resultType: 'input_required' });
    await agent[Symbol.asyncDispose]();
    await expect.poll(() => ends, SOON).toEqual(['completed', 'cancelled']);
    await expect.poll(() => rig.servers.stderrTail('files'), SOON).toContain('cancelled');
  });

  it('hears of changes and progress as its era has it', async () => {
    const rig = await open(scripted());
    const client = await connect(rig, 'new');
    const changed: string[] = [];
    client.setNotificationHandler('notifications/tools/list_changed', () => void changed.push('tools'));
    await client.listen({ toolsListChanged: true, resourceSubscriptions: ['file:///srv/a/x'] });
    expect(rig.gated.map(({ method }) => method)).toEqual(['resources/subscribe']);
    await expect.poll(() => rig.servers.stderrTail('files'), SOON).toContain('subscribed file:///srv/a/x');
    const seen: number[] = [];
    await client.callTool(
      { name: 'progress', arguments: {} },
      { onprogress: ({ progress }) => void seen.push(progress) },
    );
    expect(seen).toEqual([1, 2, 3]);
    await client.callTool({ name: 'die', arguments: {} });
    await expect.poll(() => changed, SOON).toEqual(['tools']);
    await expect.poll(() => rig.servers.stderrTail('files'), SOON).toMatch(/subscribed(?:.|\n)*subscribed/);
  });

  it('is told which version to speak when it asks for one that nobody knows', async () => {
    const rig = await open(scripted());
    const agent = await connectRaw(socketOf(rig));
    opened.push(agent);
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2099-01-01',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    expect(await agent.ask('server/discover', { _meta })).toMatchObject({
      error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2099-01-01' } },
    });
  });
});

describe('a server of both eras', () => {
  it.each([
    ['old', 'initialize'],
    ['new', 'stateless'],
  ] as const)('is opened in the era of its %s agent', async (agent, era) => {
    const rig = await open([STATELESS, 'both']);
    expect(await call(await connect(rig, agent), 'echo')).toBe('echo');
    expect(rig.servers.servers()[0]).toMatchObject({ era });
  });
});

describe('an old server that cannot bear to be asked first what it does not know', () => {
  it('is started again and opened as it wants', async () => {
    const rig = await open(scripted('frail'), { limits: { mcpBackoffMs: 32 } });
    expect(await call(await connect(rig, 'new'), 'echo', { a: 1 })).toEqual({ a: 1 });
    expect(rig.servers.servers()[0]).toMatchObject({ era: 'initialize', restarts: 1 });
  });
});

describe('agents of both eras by HTTP', () => {
  it.each(['old', 'new'] as const)('one that is %s reaches a new server', async (era) => {
    const rig = await open([STATELESS], { endpoint: 'http' });
    const client = await connect(rig, era, { elicitation: {} });
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }));
    expect(await call(client, 'mixed')).toMatchObject({ c: { action: 'accept' }, r: SHOWN });
  });
});
