import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  connectWebSocket,
  fakeAgentCommand,
  type JsonRpcPeer,
  type SpawnedReeve,
  type Step,
  script,
  startReeve,
} from '@reeve/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callControl, readLog } from './control-calls.ts';

/** protocol.md's order of restoring: resume, else load, else a new agent session that is told the transcript. */
describe('a session whose server was killed', () => {
  let folder: string;
  let cwd: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reeve-restore-'));
    cwd = folder;
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const start = (...flags: string[]): Promise<SpawnedReeve> =>
    startReeve({
      config: { agents: { fake: fakeAgentCommand(flags) }, defaultAgent: 'fake' },
      dataDir: join(folder, 'data'),
    });
  const restored = (result: unknown): unknown =>
    (result as { _meta: { 'sandboxagent.dev': { restored?: string } } })._meta['sandboxagent.dev'].restored;

  it.each([
    ['resume', ['--resume']],
    ['load', []],
  ])('is restored by %s, with its replay told once', async (rung, flags) => {
    await using reeve = await start(`--state-dir=${join(folder, 'agent')}`, ...flags);
    const { peer, sessionId } = await open(reeve);
    await prompt(peer, sessionId, { say: 'before' }, { title: 'A title' });
    await reeve.kill('SIGKILL');
    await using next = await reeve.restart();
    const later = await connect(next);
    const loaded = await later.request('session/load', { sessionId, cwd, mcpServers: [] });
    expect(restored(loaded)).toBe(rung);
    expect(later.agentTexts(sessionId)).toEqual(['before']);
    await prompt(later, sessionId, { say: 'after' });
    expect(later.agentTexts(sessionId)).toEqual(['before', 'after']);
    const log = await readLog(next, sessionId);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
    expect(JSON.stringify(log).split('"before"').length - 1).toBe(1);
  });

  it('is restored by telling what was said, when the agent can neither resume nor load', async () => {
    await using reeve = await start('--no-load');
    const { peer, sessionId } = await open(reeve);
    await prompt(peer, sessionId, { say: 'the answer is 42' });
    await reeve.kill('SIGKILL');
    await using next = await reeve.restart();
    const later = await connect(next);
    const resumed = await later.request('session/resume', { sessionId, cwd });
    expect(restored(resumed)).toBe('transcript');
    await prompt(later, sessionId, { received: 'prompt' });
    const [said = ''] = later.agentTexts(sessionId);
    expect(said).toContain('Assistant: the answer is 42');
    // The agent's own id is another now; the client's is not.
    expect((JSON.parse(said) as { sessionId: string }).sessionId).not.toBe(sessionId);
    await prompt(later, sessionId, { received: 'prompt' });
    expect(later.agentTexts(sessionId)[1]).not.toContain('the answer is 42');
  });

  it('is restored once, for all who come at the same time', async () => {
    await using reeve = await start(`--state-dir=${join(folder, 'agent')}`);
    const { peer, sessionId } = await open(reeve);
    await prompt(peer, sessionId, { flood: { count: 500, bytes: 16 } });
    await reeve.kill('SIGKILL');
    await using next = await reeve.restart();
    const clients = await Promise.all(Array.from({ length: 8 }, () => connect(next)));
    const params = { sessionId, cwd, mcpServers: [] };
    await Promise.all(clients.map((client) => client.request('session/load', params)));
    expect(clients.map((client) => client.agentTexts(sessionId).length)).toEqual(clients.map(() => 500));
    await Promise.all(clients.map((client, index) => prompt(client, sessionId, { say: `from ${index}` })));
    const said = clients.map((_, index) => `from ${index}`);
    for (const client of clients) {
      await expect.poll(() => client.agentTexts(sessionId).slice(500).toSorted()).toEqual(said);
    }
    const notes = (await readLog(next, sessionId)).map(({ message }) => (message as { type?: unknown }).type);
    expect(notes.filter((type) => type === 'agent_restored').length).toBe(1);
  });

  it('is listed before anybody has loaded it, and its log can be read', async () => {
    await using reeve = await start();
    const { peer, sessionId } = await open(reeve);
    await prompt(peer, sessionId, { say: 'kept' });
    await reeve.kill('SIGKILL');
    await using next = await reeve.restart();
    const later = await connect(next);
    const { sessions } = await later.request<{ sessions: { sessionId: string }[] }>('session/list', {});
    expect(sessions.map((session) => session.sessionId)).toEqual([sessionId]);
    expect(JSON.stringify(await readLog(next, sessionId))).toContain('"kept"');
  });

  it('voids what its agent had asked: an old answer never reaches the new process', async () => {
    await using reeve = await start(`--state-dir=${join(folder, 'agent')}`, '--resume');
    const { peer, sessionId } = await open(reeve);
    peer.onRequest('session/request_permission', () => new Promise(() => {}));
    prompt(peer, sessionId, { permission: { title: 'old' } }).catch(() => undefined);
    const asked = await peer.waitFor((message) => message.method === 'session/request_permission');
    const requestId = requestIdOf(asked.params);
    await reeve.kill('SIGKILL');
    await using next = await reeve.restart();
    const later = await connect(next);
    await later.request('session/resume', { sessionId, cwd });
    later.onRequest('session/request_permission', () => new Promise(() => {}));
    const turn = prompt(later, sessionId, { permission: { title: 'new' } });
    await later.waitFor((message) => message.method === 'session/request_permission');
    const answer = (id: string) =>
      callControl(next, `/requests/${id}/answer`, { method: 'POST', body: JSON.stringify({ reply: 'once' }) });
    await expect(answer(requestId)).rejects.toThrow('409');
    const { requests } = (await callControl(next, '/requests')) as { requests: { id: string }[] };
    expect(requests.length).toBe(1);
    await answer(requests[0]?.id ?? '');
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
  });

  it('tells a prompt that was running when the server died, and never runs its key twice', async () => {
    await using reeve = await start(`--state-dir=${join(folder, 'agent')}`, '--resume');
    const { peer, sessionId } = await open(reeve);
    const _meta = { 'sandboxagent.dev': { idempotencyKey: 'once only' } };
    const text = script({ say: 'begun' }, { untilCancel: true });
    peer.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }], _meta }).catch(() => undefined);
    await peer.waitFor((message) => message.method === 'session/update');
    await reeve.kill('SIGKILL');
    await using next = await reeve.restart();
    const later = await connect(next);
    await later.request('session/resume', { sessionId, cwd });
    const again = later.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }], _meta });
    await expect(again).rejects.toThrow(/not known/);
    expect(await prompt(later, sessionId, { say: 'new' })).toMatchObject({ stopReason: 'end_turn' });
  });

  async function open(reeve: SpawnedReeve): Promise<{ peer: JsonRpcPeer; sessionId: string }> {
    const peer = await connect(reeve);
    const { sessionId } = await peer.request<{ sessionId: string }>('session/new', { cwd, mcpServers: [] });
    return { peer, sessionId };
  }
});

async function connect(reeve: SpawnedReeve): Promise<JsonRpcPeer> {
  const peer = await connectWebSocket(`${reeve.url}/acp`, { token: reeve.token });
  await peer.request('initialize', { protocolVersion: 1 });
  return peer;
}

function prompt(peer: JsonRpcPeer, sessionId: string, ...steps: Step[]): Promise<Record<string, unknown>> {
  return peer.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: script(...steps) }] });
}

function requestIdOf(params: unknown): string {
  return (params as { _meta: { 'sandboxagent.dev': { requestId: string } } })._meta['sandboxagent.dev'].requestId;
}
