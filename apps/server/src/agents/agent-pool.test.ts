import { tmpdir } from 'node:os';
import { createProcessHolder, type ProcessHolder } from '@reeve/sandbox';
import { fakeAgentCommand } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LaunchLimits } from './agent-launch.ts';
import { AgentPool } from './agent-pool.ts';
import { type AgentEntry, createAgentRegistry } from './agent-registry.ts';
import { UNCONFINED, unconfinedSandbox } from './unconfined.rig.ts';

const profile = { clientCapabilities: {}, clientInfo: { name: 'test', version: '1' } };
const env = { PATH: process.env.PATH ?? '' };

function fake(...flags: string[]): AgentEntry {
  const { command, args } = fakeAgentCommand(flags);
  return { name: 'fake', command, args, env, sandbox: UNCONFINED };
}

function script(code: string): AgentEntry {
  return { name: 'script', command: process.execPath, args: ['-e', code], env, sandbox: UNCONFINED };
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('the agent pool', () => {
  let holder: ProcessHolder;
  beforeAll(() => {
    holder = createProcessHolder({ sandbox: 'none' });
  });
  afterAll(async () => {
    await holder[Symbol.asyncDispose]();
  });

  function poolOf(entry: AgentEntry, limits: Partial<LaunchLimits> = {}): AgentPool {
    return new AgentPool(createAgentRegistry([entry], undefined), {
      holder,
      sandbox: unconfinedSandbox(),
      limits: {
        maxLineBytes: 2 ** 20,
        stderrTailBytes: 2 ** 16,
        initializeMs: 5000,
        stopGraceMs: 100,
        stopKillMs: 100,
        ...limits,
      },
      offersServices: false,
      onNoise: () => {},
    });
  }

  it.each<[string, AgentEntry, Partial<LaunchLimits>, object]>([
    [
      'whose command is not there',
      { ...fake(), command: '/no/such/agent' },
      {},
      { name: 'agent_start_failed', message: /\/no\/such\/agent/ },
    ],
    [
      'that leaves early',
      fake('--exit-early=7'),
      {},
      { name: 'agent_start_failed', data: { exitCode: 7, stderr: expect.stringContaining('leaving early') } },
    ],
    [
      'that never answers',
      fake('--hang-initialize'),
      { initializeMs: 150 },
      { name: 'agent_timeout', message: /150 ms/ },
    ],
    [
      'that speaks another version',
      script(
        `process.stdin.once('data', () => console.log('{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2}}'))`,
      ),
      {},
      { name: 'agent_start_failed', message: /does not speak version 1/ },
    ],
    [
      'that answers with nonsense',
      script(`process.stdin.once('data', () => console.log('{"jsonrpc":"2.0","id":0,"result":null}'))`),
      {},
      { name: 'agent_start_failed' },
    ],
    [
      'that refuses',
      script(
        `process.stdin.once('data', () => console.log('{"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":"no key"}}'))`,
      ),
      {},
      { name: 'agent_start_failed', message: /no key/ },
    ],
  ])('says what is wrong with an agent %s, and leaves nothing running', async (_what, entry, limits, expected) => {
    await using pool = poolOf(entry, limits);
    const { message, ...rest } = expected as { message?: RegExp };
    const failure = (await pool.launch(entry, profile, { cwd: tmpdir() }).catch((error: unknown) => error)) as Error;
    expect(failure).toMatchObject(rest);
    if (message) expect(failure.message).toMatch(message);
    await expect(pool.initialize(entry, profile)).rejects.toMatchObject(rest);
  });

  it('skips a banner, and remembers what the agent answered for clients of the same kind', async () => {
    const entry = fake('--banner');
    await using pool = poolOf(entry);
    const first = await pool.initialize(entry, profile);
    expect(first).toMatchObject({ protocolVersion: 1, agentInfo: { name: 'fake-agent' } });
    expect(await pool.initialize(entry, profile)).toBe(first);
    expect(await pool.initialize(entry, { clientCapabilities: { terminal: true } })).not.toBe(first);
  });

  it('ends an agent that ignores the end of its input and SIGTERM, and its grandchildren', async () => {
    const entry = fake('--ignore-eof', '--ignore-sigterm', '--grandchild=setsid');
    const pool = poolOf(entry);
    const { connection } = await pool.borrow(entry, profile);
    await expect.poll(() => connection.process.stderrTail(), { interval: 5 }).toMatch(/grandchild pid=\d+/);
    const grandchild = Number(/grandchild pid=(\d+)/.exec(connection.process.stderrTail())?.[1]);
    expect(alive(grandchild)).toBe(true);
    await pool[Symbol.asyncDispose]();
    expect(connection.exit ?? (await connection.process.exited)).toEqual({ code: null, signal: 'SIGKILL' });
    expect(alive(connection.process.pid)).toBe(false);
    expect(alive(grandchild)).toBe(false);
    await expect(pool.launch(entry, profile, { cwd: tmpdir() })).rejects.toMatchObject({ name: 'shutting_down' });
  });

  it('shares the process that serves no session, and starts another when it died', async () => {
    const entry = fake();
    await using pool = poolOf(entry);
    const [one, two] = await Promise.all([pool.borrow(entry, profile), pool.borrow(entry, profile)]);
    expect(two).toBe(one);
    await one.connection.process.stop({ graceMs: 0 });
    await expect.poll(() => one.connection.exit, { interval: 5 }).toBeDefined();
    const three = await pool.borrow(entry, profile);
    expect(three.connection.process.pid).not.toBe(one.connection.process.pid);
    expect(await three.connection.call('authenticate', { methodId: 'x' })).toMatchObject({ kind: 'result' });
  });

  it('refuses what an agent asks before there is a session', async () => {
    const asks = `process.stdin.on('data', (d) => { const m = JSON.parse(String(d)); if (m.method === 'initialize')
      console.log('{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}\\n{"jsonrpc":"2.0","id":"q","method":"elicitation/create"}');
      else process.stderr.write('told ' + JSON.stringify(m)); })`;
    const entry = script(asks);
    await using pool = poolOf(entry);
    const { connection } = await pool.borrow(entry, profile);
    await expect.poll(() => connection.process.stderrTail(), { interval: 5 }).toMatch(/told .*"id":"q".*-32601/);
  });

  it('names what it has when it lacks the agent that is wanted', async () => {
    await using pool = poolOf(fake());
    expect(pool.entry(undefined).name).toBe('fake');
    expect(() => pool.entry('other')).toThrow(/unknown agent "other": known agents: fake/);
    const empty = new AgentPool(createAgentRegistry([], undefined), {} as never);
    expect(() => empty.entry(undefined)).toThrow(/add one under "agents"/);
  });
});
