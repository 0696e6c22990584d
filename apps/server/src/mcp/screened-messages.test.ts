import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type GatewayRigOptions, openGateway, scripted, socketOf } from './gateway.rig.ts';
import { connectRaw, type WireMessage } from './raw-agent.rig.ts';
import { META, STATELESS_VERSION } from './wire/mcp-keys.ts';

const STATELESS = join(import.meta.dirname, 'stateless-server.rig.ts');
const root = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-screened-')));
writeFileSync(join(root, 'file'), 'text');
afterAll(() => rmSync(root, { recursive: true, force: true }));

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function connect(options: GatewayRigOptions = {}) {
  const roots = [{ path: root, access: 'rw' as const }];
  const rig = await openGateway({ args: scripted(), roots, realGate: true, ...options });
  opened.push(rig);
  const agent = await connectRaw(socketOf(rig));
  opened.push(agent);
  /** What the server was sent. */
  const heard = async (): Promise<readonly WireMessage[]> => {
    const { result } = await agent.ask('x/heard');
    return result?.heard as readonly WireMessage[];
  };
  return { rig, agent, heard };
}

async function open() {
  const connected = await connect();
  await connected.agent.open({ elicitation: {} });
  return connected;
}

describe('what an agent sends beside calls of tools', () => {
  it('does not reach the server with a path outside, whatever its method', async () => {
    const { agent, heard, rig } = await open();
    const sent: readonly (readonly [string, unknown])[] = [
      ['x/own', { anything: '/etc/passwd' }],
      ['x/own', ['/etc/passwd']],
      ['tools/list', { cursor: '/etc/passwd' }],
      ['logging/setLevel', { level: '/etc/passwd' }],
      ['resources/subscribe', { uri: 'file:///etc/passwd' }],
      ['resources/unsubscribe', { uri: 'file:///etc/passwd' }],
      ['tasks/get', { taskId: '/etc/passwd' }],
      ['completion/complete', { ref: { type: 'ref/resource', uri: 'file:///etc/{x}' }, argument: {} }],
    ];
    for (const [method, params] of sent) {
      const { error } = await agent.ask(method, params);
      expect(`${method}: ${error?.message}`).toContain('The root that would be needed is /etc');
    }
    agent.say({ method: 'notifications/x/own', params: { file: '/etc/passwd' } });
    agent.say({ method: 'notifications/x/last' });
    await expect.poll(async () => (await heard()).at(-1)?.method).toBe('notifications/x/last');
    expect(JSON.stringify(await heard())).not.toContain('/etc');
    expect(rig.guard.said.alarms).toHaveLength(sent.length + 1);
    // Nothing that the agent made up is told to the audit log.
    expect(new Set(rig.guard.said.ended.map(({ call: { recorded } }) => recorded.method))).toEqual(
      new Set([...sent.map(([method]) => method).filter((method) => method !== 'x/own'), 'other']),
    );
  });

  it('reaches it with a path inside, as it came', async () => {
    const { agent, heard } = await open();
    const params = { path: join(root, 'file'), big: 1 };
    expect((await agent.ask('x/unknown', params)).result).toMatchObject({ got: params });
    agent.say({ method: 'notifications/x/own', params: { ...params, _meta: { 'a/b': '/etc/passwd', 'c/d': 1 } } });
    await expect.poll(heard).toContainEqual({
      jsonrpc: '2.0',
      method: 'notifications/x/own',
      params: { ...params, _meta: { 'c/d': 1 } },
    });
  });

  it('may end a subscription to what is no longer inside', async () => {
    const { agent, heard, rig } = await open();
    const params = { uri: `file://${root}/file` };
    expect(await agent.ask('resources/subscribe', params)).toMatchObject({ result: {} });
    await rig.become([]);
    await agent.ask('resources/unsubscribe', params);
    expect((await heard()).map(({ method }) => method)).toContain('resources/unsubscribe');
    expect((await agent.ask('resources/subscribe', params)).error?.message).toContain('would be needed');
  });

  it('is forgotten with the root, where it was to be told to the next process of the server', async () => {
    const { agent, heard, rig } = await connect({ mustReplace: true });
    await agent.open();
    for (const uri of [`file://${root}/file`, 'test://kept']) await agent.ask('resources/subscribe', { uri });
    await rig.processes[0]?.stop({ graceMs: 0, killAfterMs: 0 });
    const asked = async () => (await heard()).filter(({ method }) => method === 'resources/subscribe').length;
    await expect.poll(asked).toBe(2);
    await rig.become([]);
    await expect.poll(asked).toBe(1);
    expect(JSON.stringify(await heard())).not.toContain(root);
    expect(rig.guard.said.alarms).toEqual([]);
  });

  it('is no answer to the server with a path outside: the agent has declined', async () => {
    const { agent, rig } = await open();
    const content = { where: '/etc/passwd' };
    agent.onRequest = () => ({ action: 'accept', content });
    const asked = { method: 'elicitation/create', params: { message: 'Where?' } };
    const declined = await agent.call('ask', asked);
    expect(declined.result).toMatchObject({ content: [{ text: '{"action":"decline"}' }] });
    expect(rig.guard.said.alarms).toMatchObject([{ path: '/etc/passwd', by: 'agent' }]);
    content.where = join(root, 'file');
    const accepted = await agent.call('ask', asked);
    expect(JSON.stringify(accepted.result)).toContain('accept');
  });
});

describe('what a server asks of whoever is behind the agent', () => {
  it('raises an alarm of the server where it names a path outside, and goes on; inside none', async () => {
    const { agent, rig } = await open();
    const messages: unknown[] = [];
    agent.onRequest = ({ params }) => {
      messages.push(params);
      return { action: 'decline' };
    };
    for (const where of [join(root, 'file'), '/home/other/.ssh']) {
      const hidden = btoa(JSON.stringify({ message: `May I read file://${where} for you?` }));
      await agent.call('ask', { method: 'elicitation/create', hidden });
    }
    expect(messages).toMatchObject([{ message: expect.any(String) }, { message: expect.stringContaining('.ssh') }]);
    await expect.poll(() => rig.guard.said.alarms).toEqual([{ path: '/home/other/.ssh', access: 'ro', by: 'server' }]);
  });
});

describe('what an agent says of itself', () => {
  const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };

  it.each([
    [{ clientInfo: { name: 'raw', version: '1', title: '/etc/passwd' } }],
    [{ capabilities: { experimental: { 'a/b': { cwd: '/etc' } } } }],
    [{ workspaceFolders: [{ uri: 'file:///etc' }] }],
  ])('opens no server with a path outside: %j', async (odd) => {
    const { agent, heard } = await connect();
    const { error } = await agent.ask('initialize', { ...opening, ...odd });
    expect(error?.message).toContain('The root that would be needed is /');
    expect(await agent.ask('initialize', opening)).toMatchObject({ result: { serverInfo: { name: 'scripted' } } });
    expect(JSON.stringify(await heard())).not.toContain('/etc');
  });

  it('opens it without a member of _meta that names one, and with the roots of the session left out as ever', async () => {
    const { agent, heard } = await connect();
    const _meta = { 'a/b': '/etc/passwd', 'c/d': 1 };
    await agent.ask('initialize', { ...opening, capabilities: { roots: {}, elicitation: {} }, _meta, kept: root });
    const first = (await heard()).find(({ method }) => method === 'initialize');
    expect(first?.params).toMatchObject({ _meta: { 'c/d': 1 }, kept: root, clientInfo: opening.clientInfo });
    expect(JSON.stringify(first)).not.toContain('/etc');
  });

  it('is looked at in each request where it comes with each', async () => {
    const { agent, rig } = await connect({ args: [STATELESS] });
    const self = (clientInfo: object) => ({ [META.version]: STATELESS_VERSION, [META.clientInfo]: clientInfo });
    const odd = await agent.ask('tools/list', { _meta: self({ name: '/etc/passwd', version: '1' }) });
    expect(odd.error?.message).toContain('The root that would be needed is /etc');
    const plain = await agent.call('envelope', {}, self({ name: 'raw', version: '1' }));
    expect(JSON.stringify(plain.result)).toContain('raw');
    expect(rig.guard.said.alarms).toMatchObject([{ path: '/etc/passwd' }]);
  });
});

describe('a call with a path outside in _meta', () => {
  it('reaches the server without that member, and with every other byte', async () => {
    const { agent, heard } = await open();
    const meta = { 'a/first': 1.5, 'x/turn': { cwd: '/etc' }, 'claudecode/toolUseId': 'toolu_1' };
    expect((await agent.call('echo', { a: 1 }, meta)).result).toMatchObject({ content: [{ text: '{"a":1}' }] });
    const call = (await heard()).find(({ method }) => method === 'tools/call');
    const { 'x/turn': _, ...others } = meta;
    expect(call?.params).toEqual({ name: 'echo', arguments: { a: 1 }, _meta: others });
  });

  it('reaches it without any of many, and with its own progress', async () => {
    const { agent, heard } = await open();
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`a/${at}`, '/etc/passwd']));
    await agent.call('progress', {}, { ...many, 'b/kept': 1, progressToken: 'mine' });
    const call = (await heard()).find(({ method }) => method === 'tools/call');
    expect(call?.params?._meta).toEqual({ 'b/kept': 1, progressToken: expect.any(Number) });
    expect(agent.heard.filter(({ params }) => params?.progressToken === 'mine')).toHaveLength(3);
  });
});

describe('the name of a tool', () => {
  it('is recorded where the server listed it, and not where the agent made it up', async () => {
    const { agent, rig } = await open();
    await agent.ask('tools/list');
    await agent.call('echo');
    await agent.call('ghp_0123456789abcdefghijklmnopqrstuvwxyz');
    await agent.call('x'.repeat(1_000_000));
    const recorded = rig.guard.said.ended.map(({ call, outcome }) => [call.recorded.tool, outcome]);
    expect(recorded).toEqual([
      ['echo', 'completed'],
      ['other', 'failed'],
      ['other', 'refused'],
    ]);
  });
});
