import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@reeve/protocol';
import { fakeAgentCommand, type JsonRpcPeer, script, startAgent } from '@reeve/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SessionRig, startRig } from './session.rig.ts';
import { load, newSession, prompt, resume, userTexts } from './session-calls.rig.ts';

let stateDir: string;

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'reeve-agent-state-'));
});
afterEach(() => rm(stateDir, { recursive: true, force: true }));

/** Sessions that the agent has from before, each with one turn; gives their ids. */
async function sessionsOfTheAgent(count: number, cwd: string): Promise<string[]> {
  await using agent = startAgent({ command: fakeAgentCommand([`--state-dir=${stateDir}`]) });
  await agent.peer.request('initialize', { protocolVersion: 1 });
  const ids: string[] = [];
  for (let made = 0; made < count; made++) {
    const { sessionId } = await agent.peer.request<{ sessionId: string }>('session/new', { cwd, mcpServers: [] });
    const text = script({ say: `said ${made}` }, { title: `Old ${made}` });
    await agent.peer.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
    ids.push(sessionId);
  }
  return ids;
}

interface Listed {
  readonly sessions: readonly (JsonObject & { readonly sessionId: string })[];
  readonly nextCursor?: string;
  readonly _meta?: JsonObject;
}

async function allPages(peer: JsonRpcPeer, params: JsonObject = {}, method = 'session/list'): Promise<Listed[]> {
  const pages: Listed[] = [];
  let cursor: string | undefined;
  do {
    const page = await peer.request<Listed>(method, { ...params, ...(cursor === undefined ? {} : { cursor }) });
    pages.push(page);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

const idsOf = (pages: readonly Listed[]): string[] =>
  pages.flatMap(({ sessions }) => sessions.map((it) => it.sessionId));

/** An agent that announces a list and answers for it `listAnswer`, or nothing. */
function oddAgent(listAnswer: string): string {
  return `
    const agentCapabilities = { sessionCapabilities: { list: {} } };
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      const answer = method === 'initialize' ? { result: { protocolVersion: 1, agentCapabilities } } : { ${listAnswer} };
      if (Object.keys(answer).length > 0) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });`;
}

function rigWith(...flags: string[]): Promise<SessionRig> {
  return startRig({ agents: { fake: [`--state-dir=${stateDir}`, ...flags] } });
}

describe('session/list', () => {
  it('goes on with the sessions that only the agent knows, page by page, each once', async () => {
    const old = await sessionsOfTheAgent(5, '/old');
    await using rig = await rigWith('--list=2');
    const peer = await rig.connect();
    const mine = await newSession(rig, peer);
    for (const method of ['session/list', '_sandboxagent/session/list']) {
      const pages = await allPages(peer, {}, method);
      expect(idsOf(pages).sort()).toEqual([mine, ...old].sort());
      expect(idsOf(pages)[0]).toBe(mine);
      const foreign = pages.flatMap(({ sessions }) => sessions).find(({ sessionId }) => sessionId === old[0]);
      expect(foreign).toMatchObject({
        cwd: '/old',
        title: 'Old 0',
        _meta: { 'sandboxagent.dev': { agent: 'fake', origin: 'agent' } },
      });
    }
    expect(idsOf(await allPages(peer, { cwd: '/old' })).sort()).toEqual([...old].sort());
    expect(idsOf(await allPages(peer, { cwd: '/nowhere' }))).toEqual([]);
    expect(rig.unforeseen).toEqual([]);
  });

  it('is this server’s own list with an agent that has none', async () => {
    await sessionsOfTheAgent(1, '/old');
    await using rig = await rigWith();
    const peer = await rig.connect();
    const mine = await newSession(rig, peer);
    expect(idsOf(await allPages(peer))).toEqual([mine]);
    expect(await peer.request<Listed>('session/list', { cwd: '/old' })).toEqual({ sessions: [] });
  });

  it('refuses a cursor that it did not make, and says what to do', async () => {
    await using rig = await rigWith('--list');
    const peer = await rig.connect();
    for (const cursor of ['bogus', 'agent.!', 'agent.Zg==', 7]) {
      await expect(peer.request('session/list', { cursor })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringMatching(/cursor: .*(without a cursor|a string or nothing)/),
      });
    }
  });

  it.each([
    ['is slow', 200, '', 'no answer within 200 ms (timeouts.agentListMs)'],
    ['fails', 60_000, "error: { code: 1, message: 'no list today' }", 'no list today'],
    ['gives no list', 60_000, 'result: { sessions: 7 }', 'the agent gave no list'],
  ])('says when the agent %s, and gives the rest all the same', async (_how, agentListMs, answer, error) => {
    const commands = { odd: { command: process.execPath, args: ['-e', oddAgent(answer)] } };
    await using rig = await startRig({ agents: { fake: [] }, commands, limits: { agentListMs } });
    const mine = await newSession(rig, await rig.connect());
    const peer = await rig.connect({ agent: 'odd' });
    const pages = await allPages(peer);
    expect(idsOf(pages)).toEqual([mine]);
    expect(pages.at(-1)?._meta).toEqual({ 'sandboxagent.dev': { agentList: { agent: 'odd', error } } });
    expect(rig.unforeseen).toEqual([]);
  });

  it('does not show what was deleted here again, though the agent cannot delete', async () => {
    await using rig = await rigWith('--list');
    const peer = await rig.connect();
    const mine = await newSession(rig, peer);
    expect(await peer.request('session/delete', { sessionId: mine })).toEqual({});
    expect(idsOf(await allPages(peer))).toEqual([]);
    await expect(load(rig, peer, mine)).rejects.toMatchObject({ code: -32002 });
  });
});

describe('session/delete', () => {
  it.each(['live', 'closed', 'never seen'])('reaches an agent that can delete when the session is %s', async (how) => {
    const [old] = await sessionsOfTheAgent(1, '/old');
    await using rig = await rigWith('--list', '--delete');
    const peer = await rig.connect();
    const sessionId = how === 'never seen' ? (old as string) : await newSession(rig, peer);
    if (how === 'closed') await peer.request('session/close', { sessionId });
    expect(await peer.request('session/delete', { sessionId })).toEqual({});
    expect(await peer.request('session/delete', { sessionId })).toEqual({});
    await using agent = startAgent({ command: fakeAgentCommand([`--state-dir=${stateDir}`, '--list']) });
    await agent.peer.request('initialize', { protocolVersion: 1 });
    const { sessions } = await agent.peer.request<Listed>('session/list', {});
    expect(sessions.map((it) => it.sessionId)).not.toContain(sessionId);
    expect(rig.warnings).toEqual([]);
  });
});

describe('a session that only the agent knows', () => {
  it.each([['--list'], []])('is taken over by load, with its history in our log (%s)', async (...flags) => {
    await using rig = await rigWith('--resume', ...flags);
    const [old] = (await sessionsOfTheAgent(1, rig.cwd)) as [string];
    const peer = await rig.connect();
    const result = await load(rig, peer, old);
    expect(result).toMatchObject({
      modes: { currentModeId: 'ask' },
      _meta: { 'sandboxagent.dev': { adopted: 'load', agent: 'fake', role: 'controller' } },
    });
    expect(peer.agentTexts()).toEqual(['said 0']);
    expect(userTexts(peer)).toHaveLength(1);
    expect(await prompt(peer, old, [{ say: 'now' }])).toMatchObject({ stopReason: 'end_turn' });

    const later = await rig.connect();
    await load(rig, later, old);
    expect(later.agentTexts()).toEqual(['said 0', 'now']);
    const { sessions } = await later.request<Listed>('session/list', {});
    expect(sessions).toMatchObject([
      { sessionId: old, title: 'Old 0', _meta: { 'sandboxagent.dev': { state: 'idle' } } },
    ]);
    expect(rig.unforeseen).toEqual([]);
  });

  it('is taken over by resume without a word of history', async () => {
    await using rig = await rigWith('--resume', '--list');
    const [old] = (await sessionsOfTheAgent(1, rig.cwd)) as [string];
    const peer = await rig.connect();
    expect(await resume(rig, peer, old)).toMatchObject({ _meta: { 'sandboxagent.dev': { adopted: 'resume' } } });
    expect(peer.updates()).toEqual([]);
    await prompt(peer, old, [{ say: 'now' }]);
    expect(peer.agentTexts()).toEqual(['now']);
  });

  it('is taken over by load when resume is asked of an agent without it: the log has the history, the client none', async () => {
    await using rig = await rigWith();
    const [old] = (await sessionsOfTheAgent(1, rig.cwd)) as [string];
    const peer = await rig.connect();
    expect(await resume(rig, peer, old)).toMatchObject({ _meta: { 'sandboxagent.dev': { adopted: 'load' } } });
    expect(peer.updates()).toEqual([]);
    const later = await rig.connect();
    await load(rig, later, old);
    expect(later.agentTexts()).toEqual(['said 0']);
  });

  it('is taken over once by those who come at the same time', async () => {
    await using rig = await rigWith('--list');
    const [old] = (await sessionsOfTheAgent(1, rig.cwd)) as [string];
    const peers = await Promise.all([rig.connect(), rig.connect(), rig.connect()]);
    await Promise.all(peers.map((peer) => load(rig, peer, old)));
    for (const peer of peers) expect(peer.agentTexts()).toEqual(['said 0']);
    expect(rig.directory.live(old as never)?.attachedCount).toBe(3);
  });

  it.each([['--list'], ['--no-load'], []])(
    'is unknown when the agent does not know it either (%s)',
    async (...flags) => {
      await using rig = await rigWith(...flags);
      const peer = await rig.connect();
      for (const open of [load, resume]) {
        await expect(open(rig, peer, 'nobody-knows')).rejects.toMatchObject({
          code: -32002,
          data: { sessionId: 'nobody-knows' },
        });
      }
      await expect(load(rig, peer, 'nobody-knows', { role: 'observer' })).rejects.toMatchObject({ code: -32002 });
      expect(idsOf(await allPages(peer))).toEqual([]);
      expect(rig.directory.liveCount).toBe(0);
      expect(rig.unforeseen).toEqual([]);
    },
  );
});
