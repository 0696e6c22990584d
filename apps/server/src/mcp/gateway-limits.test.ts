import { afterEach, describe, expect, it } from 'vitest';
import { type GatewayRigOptions, openGateway, scripted, socketOf } from './gateway.rig.ts';
import { connectRaw, type WireMessage } from './raw-agent.rig.ts';

const opened: AsyncDisposable[] = [];
const SOON = { interval: 5 };

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function open(options: GatewayRigOptions, ...traits: string[]) {
  const rig = await openGateway({ args: scripted(...traits), ...options });
  opened.push(rig);
  return rig;
}

async function connect(rig: Parameters<typeof socketOf>[0]) {
  const agent = await connectRaw(socketOf(rig));
  opened.push(agent);
  return agent;
}

const textOf = ({ result }: WireMessage) => (result?.content as { text: string }[] | undefined)?.[0]?.text;

describe('a limit of the MCP gateway', () => {
  it('mcpMessageBytes: a message of it passes, a longer one is refused, from the server it is dropped', async () => {
    const limits = { mcpMessageBytes: 4096 };
    const rig = await open({ limits }, 'wide');
    const agent = await connect(rig);
    await agent.open();
    const line = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { filler: '' } });
    const filler = 'x'.repeat(limits.mcpMessageBytes - line.length);
    expect(await agent.ask('ping', { filler }, 1)).toMatchObject({ result: {} });
    agent.say({ id: 1, method: 'ping', params: { filler: `${filler}y` } });
    await expect.poll(() => agent.heard.at(-1)?.error?.message, SOON).toContain('limits.mcpMessageBytes');
    expect(textOf(await agent.call('echo', { still: 'here' }))).toBe('{"still":"here"}');
  });

  it('mcpQueueBytes: a server that leaves more unread is sent no more calls', async () => {
    const rig = await open({ limits: { mcpQueueBytes: 10_000 } }, 'mute-stdin');
    const agent = await connect(rig);
    await agent.open();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    // What the pipe takes is the system's; one large call fills it.
    void agent.call('hang', { filler: 'x'.repeat(400_000) });
    expect(textOf(await agent.call('echo'))).toContain('limits.mcpQueueBytes');
  });

  it('mcpQueueBytes: a server whose agent does not read waits, and nothing is lost', async () => {
    const rig = await open({ limits: { mcpQueueBytes: 20_000 } });
    const agent = await connect(rig);
    await agent.open();
    agent.socket.pause();
    const done = agent.call('flood', { times: 5000 });
    await new Promise((resolve) => setTimeout(resolve, 300));
    agent.socket.resume();
    expect(textOf(await done)).toBe('flooded');
    expect(agent.heard.filter(({ method }) => method === 'notifications/message')).toHaveLength(5000);
  });

  it('mcpQueueBytes: an agent that does not read its answers is not listened to, until it reads', async () => {
    const rig = await open({ limits: { mcpQueueBytes: 20_000 } });
    const agent = await connect(rig);
    await agent.open();
    agent.socket.pause();
    const pings = Array.from({ length: 30_000 }, () => agent.ask('ping', { filler: 'x'.repeat(30) }));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(agent.socket.writableLength).toBeGreaterThan(100_000);
    agent.socket.resume();
    await Promise.all(pings);
  });

  it('mcpCalls: as many run, one more is refused', async () => {
    const rig = await open({ limits: { mcpCalls: 3 } });
    const agent = await connect(rig);
    await agent.open();
    for (let index = 0; index < 3; index += 1) void agent.call('hang');
    expect(textOf(await agent.call('echo'))).toContain('limits.mcpCalls');
    agent.say({ method: 'notifications/cancelled', params: { requestId: 102 } });
    expect(textOf(await agent.call('echo'))).toBe('{}');
  });

  it('mcpConnections: as many agents connect, one more is turned away', async () => {
    const rig = await open({ limits: { mcpConnections: 2 } });
    const [first] = [await connect(rig), await connect(rig)];
    const third = await connect(rig);
    await new Promise((resolve) => third.socket.once('close', resolve));
    expect(await first?.open()).toMatchObject({ result: { serverInfo: { name: 'scripted' } } });
  });

  it('mcpStderrTailBytes: what a server printed last is kept up to it, over its restarts', async () => {
    const rig = await open({ limits: { mcpStderrTailBytes: 1000 } }, 'loud');
    const agent = await connect(rig);
    await agent.open();
    await agent.call('log', { line: 'last words\n' });
    await agent.call('die');
    await rig.reach('running');
    expect(await agent.call('echo')).toMatchObject({ result: {} });
    const tail = rig.servers.stderrTail('files') ?? '';
    expect(Buffer.byteLength(tail)).toBe(1000);
    await agent.call('log', { line: 'new words' });
    await expect.poll(() => rig.servers.stderrTail('files'), SOON).toMatch(/new words$/);
    expect(rig.servers.stderrTail('other')).toBeUndefined();
  });

  it('mcpRestarts: a server that ends as often right after its start has failed, and says so', async () => {
    const rig = await open({ limits: { mcpRestarts: 2, mcpBackoffMs: 64 } }, 'stillborn');
    const agent = await connect(rig);
    void agent.open();
    expect(await rig.reach('failed')).toMatchObject({ restarts: 2, lastError: expect.stringContaining('code 2') });
    expect(rig.processes).toHaveLength(3);
    expect(textOf(await agent.call('echo'))).toMatch(/has failed: .* code 2.* "reeve servers show files"/);
  });

  it('mcpBackoffMs: the pauses between starts double up to it, and a server that ran as long is started at once', async () => {
    const rig = await open({ limits: { mcpRestarts: 4, mcpBackoffMs: 320 } }, 'stillborn');
    const agent = await connect(rig);
    void agent.open();
    const began = performance.now();
    await rig.reach('failed');
    // 10 + 20 + 40 + 80, and what five starts take.
    expect(performance.now() - began).toBeGreaterThan(150);
    expect(rig.processes).toHaveLength(5);
  });

  it('mcpAdmitMs: an agent waits so long for its server, and then opens with empty lists', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const admit = async () => {
      await promise;
      return { kind: 'admitted', trusted: false } as const;
    };
    const rig = await open({ limits: { mcpAdmitMs: 50 }, guard: { admit } });
    const agent = await connect(rig);
    expect(await agent.open()).toMatchObject({
      result: { serverInfo: { name: 'files' }, capabilities: { tools: { listChanged: true } } },
    });
    expect(await agent.ask('tools/list')).toMatchObject({ result: { tools: [] } });
    expect(textOf(await agent.call('echo'))).toContain('waits for a person');
    resolve();
    await expect
      .poll(() => agent.heard.map(({ method }) => method), SOON)
      .toContain('notifications/tools/list_changed');
    expect((await agent.ask('tools/list')).result?.tools).toHaveLength(10);
  });

  it('mcpStartMs: a server that does not answer its opening so long is ended and started again', async () => {
    const rig = await open({ limits: { mcpStartMs: 400, mcpProbeMs: 50, mcpAdmitMs: 50, mcpRestarts: 1 } }, 'deaf');
    const agent = await connect(rig);
    await agent.open();
    expect(await rig.reach('failed')).toMatchObject({ lastError: expect.stringContaining('timeouts.mcpStartMs') });
    expect(rig.processes).toHaveLength(2);
  });

  it('mcpProbeMs: a server that is silent so long is asked in the words of the other era, and may still answer the first', async () => {
    const rig = await open({ limits: { mcpProbeMs: 50 } }, 'slow');
    const agent = await connect(rig);
    expect(await agent.open()).toMatchObject({ result: { serverInfo: { name: 'scripted' } } });
    expect(rig.servers.servers()[0]).toMatchObject({ era: 'initialize', restarts: 0 });
  });

  it('mcpRootsMs: a server that asks for its roots gets what is approved when the time is up', async () => {
    const scope = {
      revision: 7,
      roots: [{ path: '/srv/a', access: 'rw' as const }],
      network: 'none' as const,
      undecided: 1,
    };
    const expose = async (_by: string, patience: AbortSignal) => {
      await new Promise((resolve) => patience.addEventListener('abort', resolve, { once: true }));
      return scope;
    };
    const rig = await open({ limits: { mcpRootsMs: 80 }, guard: { expose } });
    const agent = await connect(rig);
    await agent.open();
    const began = performance.now();
    expect(textOf(await agent.call('roots'))).toBe('{"roots":[{"uri":"file:///srv/a"}]}');
    expect(performance.now() - began).toBeGreaterThan(70);
    await expect.poll(() => rig.rootsTold, SOON).toEqual([7]);
  });

  it('mcpCallMs: a call about which the server is silent so long has failed, and the server is told', async () => {
    const rig = await open({ limits: { mcpCallMs: 1500 } });
    const agent = await connect(rig);
    await agent.open();
    expect(textOf(await agent.call('hang'))).toContain('timeouts.mcpCallMs');
    await expect.poll(() => rig.servers.stderrTail('files'), SOON).toContain('cancelled');
    expect(textOf(await agent.call('echo'))).toBe('{}');
  });
});
