import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeAgentCommand } from '../fake-agent-command.ts';
import { JsonRpcFailure, type JsonRpcPeer } from '../json-rpc-peer.ts';
import { type StartedAgent, startAgent } from '../start-agent.ts';
import { floodIndex } from './flood.ts';
import { parsePacedText, wallClockMs } from './paced.ts';
import { type Step, script } from './script.ts';

const newSession = { cwd: '/', mcpServers: [] };

async function openSession(peer: JsonRpcPeer): Promise<string> {
  await peer.request('initialize', { protocolVersion: 1 });
  const { sessionId } = await peer.request<{ sessionId: string }>('session/new', newSession);
  return sessionId;
}

function prompt(peer: JsonRpcPeer, sessionId: string, ...steps: Step[]): Promise<Record<string, unknown>> {
  return peer.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: script(...steps) }] });
}

describe('the steps of a prompt', () => {
  let agent: StartedAgent;
  let peer: JsonRpcPeer;

  beforeAll(async () => {
    agent = startAgent({
      command: {
        ...fakeAgentCommand(['--string-ids', '--fork', '--list=1', '--close', '--delete']),
        env: { SEEN: 'yes' },
      },
    });
    peer = agent.peer;
    await peer.request('initialize', { protocolVersion: 1 });
  });
  afterAll(() => agent[Symbol.asyncDispose]());

  const session = async (): Promise<string> =>
    (await peer.request<{ sessionId: string }>('session/new', newSession)).sessionId;

  /** Takes the steps in a session of their own. */
  const take = async (...steps: Step[]) => {
    const sessionId = await session();
    const result = await prompt(peer, sessionId, ...steps);
    return { sessionId, result, texts: peer.agentTexts(sessionId), updates: peer.updates(sessionId) };
  };

  it('are an echo when the prompt is no script', async () => {
    const sessionId = await session();
    const text = 'plain \u2028 text';
    const result = await peer.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
    expect(result).toEqual({ stopReason: 'end_turn' });
    expect(peer.agentTexts(sessionId)).toEqual([text]);
  });

  it('are taken as often as told, each time with the number of the round', async () => {
    const { texts } = await take(
      { repeat: { rounds: 3, steps: [{ say: 'a$ROUND ' }, { say: 'b$ROUND' }] } },
      { say: '.' },
    );
    expect(texts).toEqual(['a1 ', 'b1', 'a2 ', 'b2', 'a3 ', 'b3', '.']);
  });

  it('are found in the last block that is a script, after whatever context', async () => {
    const sessionId = await session();
    const blocks = [script({ say: 'old' }), 'context', script({ say: 'new' })].map((text) => ({ type: 'text', text }));
    await peer.request('session/prompt', { sessionId, prompt: blocks });
    expect(peer.agentTexts(sessionId)).toEqual(['new']);
  });

  it('flood exactly, before the response', async () => {
    const spec = { count: 20_000, bytes: 64, label: 'f' };
    const { texts } = await take({ flood: spec });
    expect(texts.length).toBe(spec.count);
    expect(texts.findIndex((text, index) => floodIndex(spec, text) !== index)).toBe(-1);
  });

  it('pace updates and stamp them', async () => {
    const { texts } = await take({ paced: { perSecond: 200, seconds: 0.1, bytes: 64 } });
    const marks = texts.map(parsePacedText);
    expect(marks.map((mark) => mark?.index)).toEqual(Array.from({ length: 20 }, (_, index) => index));
    expect(Math.abs((marks[0]?.sentAtMs ?? 0) - wallClockMs())).toBeLessThan(10_000);
    expect(texts[0]).toHaveLength(64);
  });

  it('ask for permission and say the outcome', async () => {
    peer.onRequest('session/request_permission', () => ({ outcome: { outcome: 'selected', optionId: 'allow-once' } }));
    const { texts } = await take({ permission: { title: 'T' } }, { say: 'after' });
    expect(texts.map((text) => text)).toEqual(['{"outcome":{"outcome":"selected","optionId":"allow-once"}}', 'after']);
    const asked = await peer.waitFor((message) => message.method === 'session/request_permission');
    expect(asked.id).toMatch(/^fake-\d+$/);
  });

  it('end the turn cancelled when the permission is', async () => {
    peer.onRequest('session/request_permission', () => ({ outcome: { outcome: 'cancelled' } }));
    const { result, texts } = await take({ permission: {} }, { say: 'not reached' });
    expect(result).toEqual({ stopReason: 'cancelled' });
    expect(texts).toHaveLength(1);
  });

  it('withdraw a permission request by its id', async () => {
    peer.onRequest('session/request_permission', async (_, { id }) => {
      await peer.waitFor(
        (message) =>
          message.method === '$/cancel_request' && (message.params as { requestId: unknown }).requestId === id,
      );
      throw new JsonRpcFailure(-32800, 'Request cancelled');
    });
    const { texts } = await take({ permission: { cancelAfterMs: 20 } });
    expect(texts).toEqual(['{"error":{"code":-32800,"message":"Request cancelled"}}']);
  });

  it('use the client for files, terminals, questions and unknown methods', async () => {
    const calls: string[] = [];
    const answers: Record<string, unknown> = {
      'fs/read_text_file': { content: 'c' },
      'fs/write_text_file': {},
      'terminal/create': { terminalId: 't' },
      'terminal/wait_for_exit': { exitCode: 0, signal: null },
      'terminal/output': { output: 'out', truncated: false },
      'terminal/release': {},
      'elicitation/create': { action: 'decline' },
      '_vendor/odd': null,
    };
    for (const [method, answer] of Object.entries(answers)) {
      peer.onRequest(method, () => {
        calls.push(method);
        return answer;
      });
    }
    const { sessionId, texts } = await take(
      { fsRead: '/a' },
      { fsWrite: { path: '/a', content: 'c' } },
      { terminal: { command: 'ls', args: [] } },
      { elicit: { message: '?' } },
      { request: { method: '_vendor/odd', params: { of: '$SESSION' } } },
      { request: { method: '_vendor/none' } },
      { notify: { method: '_vendor/note', params: { of: '$SESSION' } } },
    );
    expect(calls).toEqual(Object.keys(answers));
    expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual([
      { content: 'c' },
      {},
      { output: 'out', truncated: false },
      { action: 'decline' },
      null,
      { error: { code: -32601, message: 'Method not found', data: { method: '_vendor/none' } } },
    ]);
    expect(peer.notifications('_vendor/note')).toEqual([{ of: sessionId }]);
  });

  it('wait for a cancel, and may speak once more', async () => {
    const sessionId = await session();
    const turn = prompt(peer, sessionId, { say: 'begun' }, { untilCancel: { say: 'stopping' } }, { say: 'never' });
    await peer.waitFor(
      (message) => JSON.stringify(message).includes('begun') && JSON.stringify(message).includes(sessionId),
    );
    peer.notify('session/cancel', { sessionId });
    expect(await turn).toEqual({ stopReason: 'cancelled' });
    expect(peer.agentTexts(sessionId)).toEqual(['begun', 'stopping']);
  });

  it('stop a flood at a cancel', async () => {
    const sessionId = await session();
    const turn = prompt(peer, sessionId, { flood: { count: 3_000_000, bytes: 64 } });
    await peer.waitFor((message) => JSON.stringify(message).includes(`${sessionId}","update":{"sessionUpdate":"agent`));
    peer.notify('session/cancel', { sessionId });
    expect(await turn).toEqual({ stopReason: 'cancelled' });
  });

  it('may refuse a cancel', async () => {
    const sessionId = await session();
    const turn = prompt(peer, sessionId, { refuseCancel: true }, { say: 'deaf' }, { sleep: 50 }, { say: 'done' });
    await peer.waitFor(
      (message) => JSON.stringify(message).includes('deaf') && JSON.stringify(message).includes(sessionId),
    );
    peer.notify('session/cancel', { sessionId });
    expect(await turn).toEqual({ stopReason: 'end_turn' });
    expect(peer.agentTexts(sessionId)).toEqual(['deaf', 'done']);
  });

  it('end with -32800 when the prompt itself is withdrawn', async () => {
    const sessionId = await session();
    const params = { sessionId, prompt: [{ type: 'text', text: script({ untilCancel: true }) }] };
    const turn = peer.request('session/prompt', params, { signal: AbortSignal.timeout(30) });
    await expect(turn).rejects.toMatchObject({ code: -32800 });
  });

  it('send unknown fields and variants, raw lines, garbage and big lines', async () => {
    const before = peer.log.length;
    const { sessionId, result, updates, texts } = await take(
      { usage: true },
      { raw: '{"jsonrpc":"2.0","method":"_raw","params":{"s":"$SESSION"}}' },
      { garbage: 100 },
      { bigLine: 200_000 },
      { update: { sessionUpdate: 'plan', entries: [] } },
    );
    expect(result).toMatchObject({ stopReason: 'end_turn', usage: { inputTokens: 11 } });
    expect(updates.map((update) => update.sessionUpdate)).toContain('fake_unknown_variant');
    expect(peer.notifications('_raw')).toEqual([{ s: sessionId }]);
    expect(texts.at(-1)).toHaveLength(200_000);
    const entries = peer.log.slice(before);
    expect(entries.some(({ message }) => message?.usage !== undefined)).toBe(true);
    expect(entries.some(({ message }) => message === undefined)).toBe(true);
  });

  it('call an MCP server of the session, and connect to it once', async () => {
    const server = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
    const entry = { name: 'everything', command: process.execPath, args: [server], env: [] };
    const { sessionId } = await peer.request<{ sessionId: string }>('session/new', { cwd: '/', mcpServers: [entry] });
    const echo = (message: string): Step => ({
      mcp: { server: 'everything', method: 'tools/call', params: { name: 'echo', arguments: { message } } },
    });
    await prompt(peer, sessionId, echo('one'), echo('two'), { mcp: { server: 'other', method: 'ping' } });
    const [one, two, other] = peer.agentTexts(sessionId).map((text) => JSON.parse(text));
    expect(one.content).toEqual([{ type: 'text', text: 'Echo: one' }]);
    expect(two.content).toEqual([{ type: 'text', text: 'Echo: two' }]);
    expect(other).toEqual({ error: { message: 'no server other' } });
  });

  it('change mode and title, and tell what was received', async () => {
    const { sessionId, texts, updates } = await take(
      { mode: 'plan' },
      { title: 'New title' },
      { envName: 'SEEN' },
      { envName: 'NOT_SET_AT_ALL' },
      { received: 'session' },
    );
    expect(updates[0]).toEqual({ sessionUpdate: 'current_mode_update', currentModeId: 'plan' });
    expect(updates[1]).toMatchObject({ sessionUpdate: 'session_info_update', title: 'New title' });
    expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual([
      { name: 'SEEN', set: true, value: 'yes' },
      { name: 'NOT_SET_AT_ALL', set: false },
      newSession,
    ]);
    const loaded = await peer.request('session/load', { sessionId, ...newSession });
    expect(loaded).toMatchObject({ modes: { currentModeId: 'plan' } });
  });

  it('stop or fail as told, and speak after the response', async () => {
    expect((await take({ stop: 'max_tokens' }, { say: 'never' })).result).toEqual({ stopReason: 'max_tokens' });
    await expect(take({ fail: { code: -32000, message: 'Log in' } })).rejects.toMatchObject({ code: -32000 });
    await expect(take({ nonsense: 1 } as unknown as Step)).rejects.toMatchObject({ code: -32603 });
    const { sessionId, texts } = await take({ late: { afterMs: 5, text: 'late' } });
    expect(texts).toEqual([]);
    await peer.waitFor(
      (message) => JSON.stringify(message).includes('"late"') && JSON.stringify(message).includes(sessionId),
    );
  });

  it('are refused while a turn of the session runs', async () => {
    const sessionId = await session();
    const turn = prompt(peer, sessionId, { untilCancel: true });
    await expect(prompt(peer, sessionId, { say: 'second' })).rejects.toMatchObject({ code: -32600 });
    peer.notify('session/cancel', { sessionId });
    await turn;
  });
});

describe('the end of an agent process', () => {
  it('can be a crash with an exit code and last words, or a signal', async () => {
    await using coded = startAgent();
    const first = prompt(coded.peer, await openSession(coded.peer), { crash: { code: 3, stderr: 'last words' } });
    await expect(first).rejects.toThrow('closed before the answer');
    expect(await coded.ended).toEqual({ code: 3, signal: null });
    expect(coded.stderr()).toContain('last words');

    await using killed = startAgent();
    const second = prompt(killed.peer, await openSession(killed.peer), { crash: { signal: 'SIGKILL' } });
    await expect(second).rejects.toThrow('closed before the answer');
    expect(await killed.ended).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('does not lose sessions that have a state directory', async () => {
    const stateDir = await mkdtemp(join(tmpdir(), 'fake-agent-'));
    const command = fakeAgentCommand([`--state-dir=${stateDir}`, '--resume', '--list']);
    try {
      await using first = startAgent({ command });
      const sessionId = await openSession(first.peer);
      await prompt(first.peer, sessionId, { say: 'one' }, { flood: { count: 50, bytes: 8 } }, { mode: 'code' });
      first.peer.close();
      expect(await first.ended).toEqual({ code: 0, signal: null });

      await using second = startAgent({ command });
      await second.peer.request('initialize', { protocolVersion: 1 });
      const result = await second.peer.request('session/load', { sessionId, ...newSession });
      expect(result).toMatchObject({ modes: { currentModeId: 'code' } });
      expect(second.peer.updates(sessionId)).toEqual(
        first.peer.updates(sessionId).toSpliced(0, 0, {
          sessionUpdate: 'user_message_chunk',
          content: expect.objectContaining({ type: 'text' }) as object,
        }),
      );
      const { sessions } = await second.peer.request<{ sessions: object[] }>('session/list', {});
      expect(sessions).toMatchObject([{ sessionId, cwd: '/' }]);

      await using third = startAgent({ command });
      await third.peer.request('session/resume', { sessionId, cwd: '/' });
      expect(third.peer.updates(sessionId)).toEqual([]);
      await prompt(third.peer, sessionId, { say: 'two' });
      expect(third.peer.agentTexts(sessionId)).toEqual(['two']);
    } finally {
      await rm(stateDir, { recursive: true, force: true });
    }
  });
});
