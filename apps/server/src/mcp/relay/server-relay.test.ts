import { afterEach, describe, expect, it } from 'vitest';
import { CallRevocation } from '../call-revocation.ts';
import { type GatewayRig, type GatewayRigOptions, openGateway, scripted, socketOf } from '../gateway.rig.ts';
import { connectRaw, type WireMessage } from '../raw-agent.rig.ts';

const opened: AsyncDisposable[] = [];
const SOON = { interval: 5 };

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function open(options: GatewayRigOptions = {}, ...traits: string[]) {
  const rig = await openGateway({ args: scripted(...traits), limits: { mcpBackoffMs: 64 }, ...options });
  opened.push(rig);
  return rig;
}

async function connect(rig: GatewayRig) {
  const agent = await connectRaw(socketOf(rig));
  opened.push(agent);
  return agent;
}

async function openBoth(options: GatewayRigOptions = {}, capabilities: object = {}) {
  const rig = await open(options);
  const agent = await connect(rig);
  const hello = await agent.open(capabilities);
  return { rig, agent, hello };
}

const textOf = ({ result }: WireMessage) => (result?.content as { text: string }[] | undefined)?.[0]?.text;

describe('a relay between an agent and a server of one era', () => {
  it('keeps what it does not know, in both directions', async () => {
    const { agent, hello } = await openBoth();
    expect(hello.result).toMatchObject({
      protocolVersion: '2025-06-18',
      capabilities: { experimental: { 'x/y': { kept: true } } },
      serverInfo: { extra: 'kept' },
      instructions: 'be kind',
      unknown: { kept: true },
    });
    const params = { own: [1, { two: null }], _meta: { 'example.org/x': 'y' } };
    expect((await agent.ask('x/unknown', params)).result).toEqual({ got: params, big: 1 });
    expect((await agent.ask('tools/list', {})).result?._meta).toEqual({ kept: true });
    expect(await agent.ask('x/other')).toMatchObject({ error: { code: -32601 } });
  });

  it('gives requests ids and progress tokens of its own, and brings back those of the agent, text or number', async () => {
    const { agent } = await openBoth();
    const one = agent.ask('tools/call', { name: 'progress', _meta: { progressToken: 'p' } }, 'a');
    const two = agent.ask('tools/call', { name: 'progress', _meta: { progressToken: 7, own: true } }, 8);
    expect([(await one).id, (await two).id]).toEqual(['a', 8]);
    const tokens = agent.heard.map(({ params }) => params?.progressToken);
    expect(tokens.toSorted()).toEqual([7, 7, 7, 'p', 'p', 'p']);
  });

  it('cancels the call that the agent means, by the id that the server knows', async () => {
    const { rig, agent } = await openBoth();
    void agent.ask('tools/call', { name: 'hang' }, 'mine');
    agent.say({ method: 'notifications/cancelled', params: { requestId: 'mine', reason: 'tired' } });
    await expect.poll(() => rig.servers.stderrTail('files'), SOON).toMatch(/cancelled \d+/);
    agent.say({ method: 'notifications/cancelled', params: { requestId: 'other' } });
    expect(textOf(await agent.call('echo'))).toBe('{}');
  });

  it('passes on what a server asks of its agent, with ids of its own, and declines what the agent does not offer', async () => {
    const { agent } = await openBoth({}, { elicitation: {} });
    agent.onRequest = ({ method, params }) => ({ action: 'accept', content: { method, params } });
    const asked = { method: 'elicitation/create', params: { message: 'Sure?' } };
    expect(JSON.parse(textOf(await agent.call('ask', asked)) ?? '')).toEqual({ action: 'accept', content: asked });
    const sampling = await agent.call('ask', { method: 'sampling/createMessage', params: {} });
    expect(JSON.parse(textOf(sampling) ?? '')).toMatchObject({ code: -32601 });
    const { agent: mute } = await openBoth();
    expect(JSON.parse(textOf(await mute.call('ask', asked)) ?? '')).toEqual({ action: 'decline' });
    expect(JSON.parse(textOf(await mute.call('ask', { method: 'ping' })) ?? '')).toEqual({});
  });

  it('serves agents beside each other, each with its own answers', async () => {
    const { rig, agent } = await openBoth();
    const other = await connect(rig);
    await other.open();
    const [a, b] = await Promise.all([
      agent.ask('tools/call', { name: 'echo', arguments: { of: 'a' } }, 1),
      other.ask('tools/call', { name: 'echo', arguments: { of: 'b' } }, 1),
    ]);
    expect([textOf(a), textOf(b)]).toEqual(['{"of":"a"}', '{"of":"b"}']);
    expect(rig.processes).toHaveLength(1);
  });

  it.each([
    [false, { title: 'Echo' }],
    [true, { title: 'Echo', readOnlyHint: true }],
  ])('shows what a server claims of its tools only where it is trusted (%s)', async (trusted, annotations) => {
    const { rig, agent } = await openBoth({ trusted });
    const { result } = await agent.ask('tools/list');
    const tools = result?.tools as { name: string; annotations?: object }[];
    expect(tools.find(({ name }) => name === 'echo')?.annotations).toEqual(annotations);
    expect(tools.find(({ name }) => name === 'count')?.annotations).toEqual(
      trusted ? { readOnlyHint: true, openWorldHint: false } : undefined,
    );
    expect(rig.servers.servers()[0]).toMatchObject({
      trusted,
      tools: { total: 10, readOnly: 2, destructive: 7, openWorld: 9 },
      claimed: { name: 'scripted', version: '1.2.3' },
    });
    await agent.call('count');
    expect(rig.gated[0]).toMatchObject({
      claims: { readOnly: true, destructive: false, openWorld: false },
      inputSchema: { type: 'object' },
      client: { name: 'raw', version: '1' },
    });
  });

  it('answers what the gate refuses as a result with isError, and tells the gate how calls end', async () => {
    const ends: string[] = [];
    const { agent } = await openBoth({
      gate: {
        check: ({ method, params }) =>
          (params as { name?: string }).name === 'die' || method !== 'tools/call'
            ? { kind: 'refuse', text: 'ask for /x' }
            : { kind: 'forward', done: (end) => void ends.push(end) },
      },
    });
    expect((await agent.call('die')).result).toEqual({
      content: [{ type: 'text', text: 'ask for /x' }],
      isError: true,
    });
    expect(await agent.ask('resources/read', { uri: 'file:///x' })).toMatchObject({ error: { message: 'ask for /x' } });
    await agent.call('echo');
    await agent.call('unknown');
    void agent.ask('tools/call', { name: 'hang' }, 'h');
    agent.say({ method: 'notifications/cancelled', params: { requestId: 'h' } });
    await expect.poll(() => ends, SOON).toEqual(['completed', 'failed', 'cancelled']);
  });

  it('ends a call that the gate revokes, here and at the server', async () => {
    const revocation = new CallRevocation();
    let checked = 0;
    const check = () => {
      checked += 1;
      return { kind: 'forward', revocation, done: () => {} } as const;
    };
    const { rig, agent } = await openBoth({ gate: { check } });
    const hanging = agent.call('hang');
    await expect.poll(() => checked, SOON).toBe(1);
    revocation.revoke('the root /x was taken away');
    expect((await hanging).result).toMatchObject({ isError: true, content: [{ text: 'the root /x was taken away' }] });
    await expect.poll(() => rig.servers.stderrTail('files'), SOON).toContain('cancelled');
  });
});

describe('what should not happen', () => {
  it('a gate that breaks lets nothing through, and nothing else breaks', async () => {
    const check = () => {
      throw new Error('secret');
    };
    const { agent } = await openBoth({ gate: { check } });
    const { result } = await agent.call('echo');
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result)).not.toContain('secret');
    expect((await agent.ask('tools/list')).result?.tools).toHaveLength(10);
  });

  it('a server that asks for its roots without end gets one answer for many', async () => {
    let exposed = 0;
    const expose = async () => {
      exposed += 1;
      return { revision: 1, roots: [], network: 'none', undecided: 0 } as const;
    };
    const { agent } = await openBoth({ guard: { expose } });
    await Promise.all(Array.from({ length: 50 }, () => agent.call('roots')));
    expect(exposed).toBeLessThan(10);
  });
});

describe('a server that ends', () => {
  it('is started again, and the agent goes on with it: calls cut off have failed, others wait', async () => {
    const { rig, agent } = await openBoth();
    const cut = agent.call('die');
    const waiting = agent.ask('tools/list');
    expect(textOf(await cut)).toMatch(/ended before it answered.*code 3/);
    expect((await waiting).result?.tools).toHaveLength(10);
    expect(textOf(await agent.call('echo', { still: 'here' }))).toBe('{"still":"here"}');
    expect(rig.servers.servers()[0]).toMatchObject({ state: 'running', restarts: 1 });
    await expect
      .poll(() => agent.heard.map(({ method }) => method), SOON)
      .toContain('notifications/tools/list_changed');
  });

  it('is sent again what cannot do harm twice, once, and only when it is trusted', async () => {
    const { rig, agent } = await openBoth({ trusted: true });
    await expect.poll(() => rig.servers.servers()[0]?.tools?.total, SOON).toBe(10);
    expect(textOf(await agent.call('diehard'))).toMatch(/ended before it answered/);
    await expect.poll(() => rig.processes.length, SOON).toBe(3);
    const { rig: untrusted, agent: other } = await openBoth();
    await expect.poll(() => untrusted.servers.servers()[0]?.tools?.total, SOON).toBe(10);
    await other.call('diehard');
    await other.call('echo');
    expect(untrusted.processes).toHaveLength(2);
  });

  it('is subscribed to again', async () => {
    const { rig, agent } = await openBoth();
    await agent.ask('resources/subscribe', { uri: 'file:///srv/a' });
    await agent.call('die');
    await expect
      .poll(() => rig.servers.stderrTail('files'), SOON)
      .toBe('subscribed file:///srv/a\nsubscribed file:///srv/a\n');
  });

  it('that has failed is started again when a person says so', async () => {
    const rig = await open({ limits: { mcpRestarts: 0, mcpBackoffMs: 10_000 } });
    const agent = await connect(rig);
    await agent.open();
    await agent.call('die');
    await rig.reach('failed');
    expect(textOf(await agent.call('echo'))).toContain('has failed');
    expect(rig.servers.retry('nobody')).toBe(false);
    expect(rig.servers.retry('files')).toBe(true);
    await rig.reach('running');
    expect(textOf(await agent.call('echo'))).toBe('{}');
  });

  it('that was refused says why and what to do, and is asked about again when a person says so', async () => {
    let asked = 0;
    const admit = async () => {
      asked += 1;
      return asked === 1
        ? ({ kind: 'refused', reason: 'Policy forbids it.', next: 'Ask an administrator.' } as const)
        : ({ kind: 'admitted', trusted: false } as const);
    };
    const rig = await open({ guard: { admit } });
    const agent = await connect(rig);
    expect((await agent.open()).result).toMatchObject({ serverInfo: { name: 'files' } });
    expect(rig.servers.servers()[0]).toMatchObject({
      state: 'refused',
      lastError: 'Policy forbids it. Ask an administrator.',
    });
    expect((await agent.ask('tools/list')).result).toEqual({ tools: [] });
    expect(textOf(await agent.call('echo'))).toMatch(/not admitted: Policy forbids it. Ask an administrator/);
    expect(rig.processes).toHaveLength(0);
    rig.servers.retry('files');
    await expect
      .poll(() => agent.heard.map(({ method }) => method), SOON)
      .toContain('notifications/tools/list_changed');
  });
});

describe('a change of the scope', () => {
  it('is told to a server that keeps its roots, which asks for them again', async () => {
    const { rig, agent } = await openBoth();
    await agent.call('roots');
    await rig.become([{ path: '/srv/b', access: 'ro' }]);
    expect(textOf(await agent.call('roots'))).toBe('{"roots":[{"uri":"file:///srv/b"}]}');
    await expect.poll(() => rig.rootsTold, SOON).toEqual([1, 2]);
    expect(rig.processes).toHaveLength(1);
  });

  it('that leaves no roots is told as an empty list', async () => {
    const { rig, agent } = await openBoth({ roots: [{ path: '/srv/a', access: 'rw' }] });
    await rig.become([]);
    expect(textOf(await agent.call('roots'))).toBe('{"roots":[]}');
  });

  it('that needs another process is through when that runs, and the agent notices nothing but a wait', async () => {
    const { rig, agent } = await openBoth({ mustReplace: true });
    const first = textOf(await agent.call('count'))?.split(' ')[0];
    const changed = rig.become([{ path: '/srv/b', access: 'ro' }]);
    const during = agent.call('count');
    const { after } = await changed;
    expect(after.revision).toBe(2);
    expect(rig.processes).toHaveLength(2);
    await expect(rig.processes[0]?.exited).resolves.toBeDefined();
    const answer = textOf(await during) ?? '';
    const next = textOf(await agent.call('count'))?.split(' ')[0];
    expect(next).not.toBe(first);
    // Either it was done before the change, or it waited for the new process or was cut off by the change.
    expect(answer).toMatch(new RegExp(`^${next} |^${first} |ended before it answered`));
    expect(rig.servers.servers()[0]).toMatchObject({ state: 'running', lastError: undefined });
  });

  it('before any agent is there replaces the process, and the agent finds the new one', async () => {
    const rig = await open({ mustReplace: true });
    await expect.poll(() => rig.processes.length, SOON).toBe(1);
    await rig.become([{ path: '/srv/b', access: 'ro' }]);
    await rig.become([{ path: '/srv/c', access: 'ro' }]);
    expect(rig.processes).toHaveLength(3);
    const agent = await connect(rig);
    expect((await agent.open()).result).toMatchObject({ serverInfo: { name: 'scripted' } });
    expect(textOf(await agent.call('count'))).toMatch(new RegExp(`^${rig.processes[2]?.pid} `));
  });

  it('of a server that does not run is through at once', async () => {
    const rig = await open({ mustReplace: true, limits: { mcpRestarts: 0, mcpBackoffMs: 64 } }, 'stillborn');
    const agent = await connect(rig);
    void agent.open();
    await rig.reach('failed');
    await rig.become([]);
    expect(rig.processes).toHaveLength(1);
  });
});

describe('a server that floods', () => {
  it('costs what it costs itself: calls of another go on', async () => {
    const flooding = await openBoth();
    const calm = await openBoth();
    const flood = flooding.agent.call('flood', { times: 5_000 });
    const took: number[] = [];
    for (let index = 0; index < 50; index += 1) {
      const began = performance.now();
      await calm.agent.call('echo');
      took.push(performance.now() - began);
    }
    expect(took.toSorted((a, b) => a - b)[25]).toBeLessThan(50);
    expect(textOf(await flood)).toBe('flooded');
    expect(flooding.agent.heard).toHaveLength(5_000);
  });
});

describe('the end of a session', () => {
  it('ends its servers and connections, and leaves no socket behind', async () => {
    const { rig, agent } = await openBoth();
    const closed = new Promise((resolve) => agent.socket.once('close', resolve));
    await rig.servers[Symbol.asyncDispose]();
    await closed;
    expect(rig.servers.servers()[0]).toMatchObject({ state: 'stopped' });
    await expect(rig.processes[0]?.exited).resolves.toBeDefined();
    await expect(connectRaw(socketOf(rig))).rejects.toThrow(/ENOENT/);
    await rig.servers[Symbol.asyncDispose]();
  });
});
