import { describe, expect, it } from 'vitest';
import { fakeAgentCommand } from '../fake-agent-command.ts';
import { type StartedAgent, startAgent } from '../start-agent.ts';
import { parseFlags } from './flags.ts';

const newSession = { cwd: '/', mcpServers: [] };

function start(...flags: string[]): StartedAgent {
  return startAgent({ command: fakeAgentCommand(flags) });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('the flags of the fake agent', () => {
  it('give load and modes when there are none, and nothing that was not asked for', async () => {
    await using agent = start();
    const result = await agent.peer.request('initialize', { protocolVersion: 65_535 });
    expect(result).toMatchObject({
      protocolVersion: 1,
      agentCapabilities: { loadSession: true, sessionCapabilities: {} },
    });
    expect(await agent.peer.request('session/new', newSession)).toEqual({
      sessionId: expect.any(String) as string,
      modes: expect.objectContaining({ currentModeId: 'ask' }) as object,
    });
    for (const method of ['session/list', 'session/resume', 'session/fork', 'session/set_model', 'toString']) {
      await expect(agent.peer.request(method, {})).rejects.toMatchObject({ code: -32601, data: { method } });
    }
  });

  it('refuse what they do not know', () => {
    expect(() => parseFlags(['--lode'])).toThrow('unknown flag --lode');
    expect(() => parseFlags(['--exit-early=soon'])).toThrow('whole number');
  });

  it('do not soften the refusal of a session without mcpServers', async () => {
    await using agent = start();
    await expect(agent.peer.request('session/new', { cwd: '/' })).rejects.toMatchObject({
      code: -32602,
      message: 'Invalid params',
      data: { _errors: [], mcpServers: { _errors: ['Invalid input: expected array, received undefined'] } },
    });
    await expect(agent.peer.request('session/load', { sessionId: 'x', ...newSession })).rejects.toMatchObject({
      code: -32002,
      data: { sessionId: 'x' },
    });
  });

  it('offer settings, paging, forks, closing and deleting', async () => {
    const flags = '--config-options --models --list=2 --fork --close --delete --add-dirs --resume --no-modes';
    await using agent = start(...flags.split(' '));
    const { peer } = agent;
    expect(await peer.request('initialize', {})).toMatchObject({
      agentCapabilities: {
        sessionCapabilities: { list: {}, fork: {}, close: {}, delete: {}, resume: {}, additionalDirectories: {} },
      },
    });
    const params = { ...newSession, additionalDirectories: ['/tmp'] };
    const created = await peer.request<{ sessionId: string }>('session/new', params);
    const { sessionId } = created;
    expect(created).toMatchObject({
      models: { currentModelId: 'fake-small' },
      configOptions: [{ id: 'model' }, {}, {}],
    });
    expect(created).not.toHaveProperty('modes');

    await peer.request('session/set_model', { sessionId, modelId: 'fake-large' });
    const option = { sessionId, configId: 'thinking', value: 'high' };
    expect(await peer.request('session/set_config_option', option)).toMatchObject({
      configOptions: [{}, { id: 'thinking', currentValue: 'high' }, {}],
    });
    await expect(peer.request('session/set_config_option', { ...option, value: 'no' })).rejects.toMatchObject({
      code: -32602,
    });
    await peer.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'hello' }] });
    const fork = await peer.request<{ sessionId: string }>('session/fork', { sessionId, ...newSession });
    expect(fork).toMatchObject({ models: { currentModelId: 'fake-large' } });
    await peer.request('session/load', { ...newSession, sessionId: fork.sessionId });
    expect(peer.agentTexts(fork.sessionId)).toEqual(['hello']);

    await peer.request('session/new', { ...newSession, cwd: '/tmp' });
    const page = await peer.request<{ sessions: object[]; nextCursor: string }>('session/list', {});
    expect(page.sessions).toHaveLength(2);
    expect(page.sessions[0]).toMatchObject({ sessionId, additionalDirectories: ['/tmp'] });
    const rest = await peer.request('session/list', { cursor: page.nextCursor });
    expect(rest).toEqual({ sessions: [expect.objectContaining({ cwd: '/tmp' })] });

    expect(await peer.request('session/close', { sessionId })).toEqual({});
    expect(await peer.request('session/delete', { sessionId: 'never was' })).toEqual({});
    await peer.request('session/delete', { sessionId });
    await expect(peer.request('session/resume', { sessionId, cwd: '/' })).rejects.toMatchObject({ code: -32002 });
  });

  it('demand a log-in', async () => {
    await using agent = start('--require-auth', '--session-id=fixed');
    const { peer } = agent;
    expect(await peer.request('initialize', {})).toMatchObject({ authMethods: [{ id: 'fake-login' }] });
    await expect(peer.request('session/new', newSession)).rejects.toMatchObject({ code: -32000 });
    await peer.request('authenticate', { methodId: 'fake-login' });
    expect(await peer.request('session/new', newSession)).toMatchObject({ sessionId: 'fixed' });
    await peer.request('logout', {});
    await expect(peer.request('session/new', newSession)).rejects.toMatchObject({ code: -32000 });
  });

  it('print a banner that is no JSON, and noise', async () => {
    await using agent = start('--banner', '--stderr-noise=100000');
    await agent.peer.request('initialize', {});
    expect(agent.peer.log.filter(({ direction, message }) => direction === 'in' && message === undefined)).toHaveLength(
      4,
    );
    await expect.poll(() => agent.stderr().length).toBe(100_000);
  });

  it('leave before the first word, or never answer it', async () => {
    await using early = start('--exit-early=7');
    expect(await early.ended).toEqual({ code: 7, signal: null });
    await using hanging = start('--hang-initialize');
    const answer = hanging.peer.request('initialize', {}).catch((error: Error) => error.message);
    await hanging.peer.request('session/new', newSession);
    hanging.kill('SIGKILL');
    expect(await answer).toContain('closed before the answer');
  });

  it('outlive the end of stdin and SIGTERM', async () => {
    await using agent = start('--ignore-eof', '--ignore-sigterm');
    await agent.peer.request('initialize', {});
    agent.peer.close();
    agent.kill('SIGTERM');
    await expect.poll(() => agent.stderr()).toContain('SIGTERM ignored');
    expect(isAlive(agent.pid)).toBe(true);
    agent.kill('SIGKILL');
    expect(await agent.ended).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it.each(['--grandchild', '--grandchild=setsid', '--grandchild=hold'])(
    'leave a grandchild behind: %s',
    async (flag) => {
      await using agent = start(flag);
      await expect.poll(() => agent.stderr()).toMatch(/grandchild pid=\d+/);
      const pid = Number(/pid=(\d+)/.exec(agent.stderr())?.[1]);
      agent.kill('SIGKILL');
      await agent.ended;
      expect(isAlive(pid)).toBe(true);
      process.kill(pid, 'SIGKILL');
    },
  );
});
