import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type JsonObject, type ReviewParams, type SessionId } from '@reeve/protocol';
import { fakeAgentCommand, type JsonRpcPeer } from '@reeve/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSessionDriver } from '../http/session-driver.ts';
import { eventually, type SessionRig, startRig } from './session.rig.ts';
import { newSession, prompt } from './session-calls.rig.ts';

const SECRET = 'secret-of-a-server-5f1';
const FILES = { name: 'files', command: 'files-server', args: ['/x'], env: [{ name: 'KEY', value: SECRET }] };
const REMOTE = {
  type: 'sse',
  name: 'remote',
  url: 'https://mcp.example.org/x',
  headers: [{ name: 'Authorization', value: SECRET }],
};

let rig: SessionRig;
let peer: JsonRpcPeer;
beforeEach(async () => {
  rig = await startRig({ agents: { fake: ['--resume', '--fork'] } });
  peer = await rig.connect();
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
});

async function open(mcpServers: readonly object[], method = 'session/new', more: object = {}): Promise<JsonObject> {
  return peer.request(method, { cwd: rig.cwd, mcpServers, ...more });
}

/** What the agent was given when it opened the session. */
async function given(sessionId: unknown): Promise<unknown> {
  await prompt(peer, String(sessionId), [{ received: 'session' }]);
  return (JSON.parse(peer.agentTexts(String(sessionId)).at(-1) ?? 'null') as JsonObject).mcpServers;
}

function ours(result: JsonObject): JsonObject {
  const meta = isObject(result._meta) ? result._meta['sandboxagent.dev'] : undefined;
  return isObject(meta) ? meta : {};
}

async function logOf(sessionId: unknown): Promise<string> {
  const page = await peer.request('_sandboxagent/session/events', { sessionId, limit: 1000 });
  return JSON.stringify(page);
}

describe('the MCP servers of a session', () => {
  it('are without those of the configuration that are switched off for it, in forks and after a restore too', async () => {
    const server = (name: string) =>
      ({ name, origin: 'configuration', transport: { kind: 'stdio', command: name, args: [], env: {} } }) as const;
    rig.governance.configured = [server('notes'), server('wiki')];
    const _meta = { 'sandboxagent.dev': { mcpServersOff: ['notes', 'no such'] } };
    const { sessionId } = await open([FILES], 'session/new', { _meta });
    await open([FILES], 'session/fork', { sessionId });
    await peer.request('session/close', { sessionId });
    await open([FILES], 'session/load', { sessionId });
    const names = rig.governance.opened.map(({ declared }) => declared.map(({ name }) => name));
    expect(names).toEqual([
      ['files', 'wiki'],
      ['files', 'wiki'],
      ['files', 'wiki'],
    ]);
    const set = { sessionId, metadata: { mcpServersOff: [] } };
    await expect(peer.request('_sandboxagent/session/set_metadata', set)).rejects.toMatchObject({ code: -32602 });
  });

  it('are reached by the agent through endpoints of Reeve alone, whatever it announces, and keep their secrets', async () => {
    const created = await open([FILES, REMOTE]);
    expect(await given(created.sessionId)).toEqual([
      { name: 'files', command: '/endpoint', args: ['files'], env: [] },
      { name: 'remote', command: '/endpoint', args: ['remote'], env: [] },
    ]);
    expect(rig.governance.opened[0]?.declared).toEqual([
      {
        name: 'files',
        origin: 'client',
        transport: { kind: 'stdio', command: 'files-server', args: ['/x'], env: { KEY: SECRET } },
      },
      {
        name: 'remote',
        origin: 'client',
        transport: { kind: 'sse', url: 'https://mcp.example.org/x', headers: { Authorization: SECRET } },
      },
    ]);
    expect(await logOf(created.sessionId)).not.toContain(SECRET);
    expect(JSON.stringify([created, rig.facts, rig.noise, rig.warnings])).not.toContain(SECRET);
  });

  it('are told with what they may have, in results, in lists and when they change', async () => {
    const { sessionId, ...created } = await open([FILES]);
    const told = { name: 'files', origin: 'client', governed: true, fingerprint: 'sha256:files', revision: 1 };
    expect(ours(created).mcpServers).toMatchObject([{ ...told, state: 'running', roots: [{ access: 'rw' }] }]);
    rig.governance.opened[0]?.tell('files', 'failed');
    const { sessions } = await peer.request<{ sessions: JsonObject[] }>('session/list', {});
    expect(ours(sessions[0] as JsonObject).mcpServers).toMatchObject([{ ...told, state: 'failed' }]);
    await eventually(() => logOf(sessionId)).toMatch(/"type":"mcp_server","server":"files","state":"failed"/);
  });

  it('come from the configuration too, unless the client has one of that name', async () => {
    const transport = { kind: 'stdio', command: 'other', args: [], env: {} } as const;
    rig.governance.configured = [
      { name: 'files', origin: 'configuration', transport },
      { name: 'more', origin: 'configuration', transport },
    ];
    const { sessionId } = await open([FILES]);
    expect(await given(sessionId)).toMatchObject([{ name: 'files' }, { name: 'more' }]);
    expect(rig.governance.opened[0]?.declared).toMatchObject([{ origin: 'client' }, { origin: 'configuration' }]);
    const fork = await open([], 'session/fork', { sessionId });
    expect(await given(fork.sessionId)).toMatchObject([{ name: 'files' }, { name: 'more' }]);
  });

  it('that the client itself serves are left to the agent, and told as ungoverned', async () => {
    await using wide = await startRig({
      agents: {},
      commands: { wide: { command: process.execPath, args: ['-e', SERVES_ACP] } },
    });
    const client = await wide.connect();
    const own = { type: 'acp', name: 'own', serverId: 's' };
    const created = await client.request<JsonObject>('session/new', { cwd: wide.cwd, mcpServers: [own, FILES] });
    expect(created.given).toEqual([{ name: 'files', command: '/endpoint', args: ['files'], env: [] }, own]);
    expect(ours(created).mcpServers).toMatchObject([
      { name: 'files', governed: true },
      { name: 'own', governed: false, from: 'client', state: 'unknown' },
    ]);
  });

  it('are reached over HTTP by an agent that takes no command', async () => {
    await using picky = await startRig({ rules: { mcpEndpoint: 'http' } });
    const client = await picky.connect();
    const { sessionId } = await client.request<{ sessionId: string }>('session/new', {
      cwd: picky.cwd,
      mcpServers: [FILES],
    });
    await prompt(client, sessionId, [{ received: 'session' }]);
    const [said = 'null'] = client.agentTexts(sessionId);
    expect((JSON.parse(said) as JsonObject).mcpServers).toMatchObject([{ type: 'http', name: 'files' }]);
  });

  it('that begin later are known to an agent that lists tools only once: it is started again', async () => {
    await using once = await startRig({ rules: { mcpRelists: false } });
    const client = await once.connect();
    once.governance.waiting.add('remote');
    const { sessionId } = await client.request<{ sessionId: string }>('session/new', {
      cwd: once.cwd,
      mcpServers: [FILES, REMOTE],
    });
    const started = () => once.facts.filter(({ kind }) => kind === 'agent.started').length;
    once.governance.opened[0]?.tell('files', 'restarting');
    once.governance.opened[0]?.tell('files', 'running');
    await prompt(client, sessionId, 'hello');
    expect(started()).toBe(1);
    once.governance.opened[0]?.tell('remote', 'running');
    await prompt(client, sessionId, 'hello again');
    await prompt(client, sessionId, 'and again');
    expect(started()).toBe(2);
  });

  it('that were gone when a process began are made known to that one too', async () => {
    await using once = await startRig({ rules: { mcpRelists: false } });
    const client = await once.connect();
    const { sessionId } = await client.request<{ sessionId: string }>('session/new', {
      cwd: once.cwd,
      mcpServers: [FILES, REMOTE],
    });
    const started = () => once.facts.filter(({ kind }) => kind === 'agent.started').length;
    once.governance.opened[0]?.tell('files', 'restarting');
    once.governance.opened[0]?.tell('remote', 'refused');
    await prompt(client, sessionId, [{ crash: { code: 3 } }]).catch(() => undefined);
    await prompt(client, sessionId, 'hello');
    expect(started()).toBe(2);
    once.governance.opened[0]?.tell('files', 'running');
    await prompt(client, sessionId, 'its files are the ones that it knew');
    expect(started()).toBe(2);
    once.governance.opened[0]?.tell('remote', 'running');
    await prompt(client, sessionId, 'now it lists those of the other one');
    expect(started()).toBe(3);
  });

  it('that the agent would start by itself are told as ungoverned, with where they come from', async () => {
    const path = join(rig.cwd, '.mcp.json');
    await writeFile(path, JSON.stringify({ mcpServers: { stray: { command: 'x' } } }));
    expect(ours(await open([])).mcpServers).toEqual([
      { name: 'stray', origin: 'agent', governed: false, state: 'unknown', from: path },
    ]);
  });

  it('are told once where a file of the project names one of theirs, with that file', async () => {
    const path = join(rig.cwd, '.mcp.json');
    await writeFile(path, JSON.stringify({ mcpServers: { files: { command: 'other' }, stray: { command: 'x' } } }));
    expect(ours(await open([FILES])).mcpServers).toEqual([
      expect.objectContaining({ name: 'files', origin: 'client', governed: true, alsoIn: [path] }),
      { name: 'stray', origin: 'agent', governed: false, state: 'unknown', from: path },
    ]);
  });

  it('outlive the agent process, and end with the session', async () => {
    const { sessionId } = await open([FILES]);
    await prompt(peer, String(sessionId), 'hello');
    await prompt(peer, String(sessionId), [{ crash: { code: 3 } }]).catch(() => undefined);
    expect(await given(sessionId)).toMatchObject([{ name: 'files' }]);
    expect(rig.governance.opened).toHaveLength(1);
    expect(rig.governance.guards[0]?.bound).toBe(sessionId);
    await peer.request('session/close', { sessionId });
    expect(rig.governance.opened[0]?.disposed).toBe(true);
    expect(rig.governance.guards[0]?.disposed).toBe(true);
    expect(rig.governance.forgotten).toEqual([]);
    await rig.directory.remove(sessionId);
    expect(rig.governance.forgotten).toEqual([sessionId]);
  });

  it('are replaced when a client loads a session without a process with others', async () => {
    const { sessionId } = await open([FILES]);
    await peer.request('session/close', { sessionId });
    await open([REMOTE], 'session/load', { sessionId });
    expect(await given(sessionId)).toMatchObject([{ name: 'remote' }]);
    expect(rig.governance.opened.map(({ disposed }) => disposed)).toEqual([true, false]);
  });

  it('stay where somebody prompts who says nothing of servers, though the process is gone', async () => {
    const { sessionId } = await open([FILES]);
    await prompt(peer, String(sessionId), [{ crash: { code: 3 } }]).catch(() => undefined);
    const driver = createSessionDriver(rig.directory, rig.agents);
    await (await driver.prompt(String(sessionId), { prompt: 'hello' }, 'api')).finished;
    expect(rig.governance.opened.map(({ disposed }) => disposed)).toEqual([false]);
    expect(await given(sessionId)).toMatchObject([{ name: 'files' }]);
  });

  it('let go of calls that wait for a person when the turn is cancelled', async () => {
    const { sessionId } = await open([FILES]);
    const running = prompt(peer, String(sessionId), [{ untilCancel: true }]);
    await eventually(() => rig.directory.live(sessionId as SessionId)?.state).toBe('running');
    peer.notify('session/cancel', { sessionId });
    await running;
    expect(rig.governance.opened[0]?.dropped).toEqual(['the turn was cancelled']);
  });

  it('leave nothing open when the agent opens no session', async () => {
    await using broken = await startRig({ agents: { broken: ['--exit-early=3'] } });
    const client = await broken.connect().catch(() => undefined);
    await client?.request('session/new', { cwd: broken.cwd, mcpServers: [FILES] }).catch(() => undefined);
    expect(broken.governance.opened.every(({ disposed }) => disposed)).toBe(true);
    expect(broken.governance.guards.every(({ disposed }) => disposed)).toBe(true);
  });
});

/** Announces `mcpCapabilities.acp`, and answers `session/new` with the servers that it was given. */
const SERVES_ACP = `process.stdin.on('data', (d) => { for (const line of String(d).trim().split('\\n')) { const m = JSON.parse(line);
  const result = m.method === 'initialize' ? { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { acp: true } } }
    : { sessionId: 's', given: m.params.mcpServers };
  if (m.id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id: m.id, result })); } })`;

it('wait for an answer as long as the environment of the agent lets it wait', async () => {
  const command = fakeAgentCommand();
  const env = { PATH: process.env.PATH ?? '', MCP_TOOL_TIMEOUT: '90000' };
  await using timed = await startRig({ commands: { plain: command, timed: { ...command, env } } });
  for (const [agent, ms] of [
    ['plain', undefined],
    ['timed', 90_000],
  ] as const) {
    await using client = await timed.connect({ agent });
    await client.request('session/new', { cwd: timed.cwd, mcpServers: [FILES] });
    expect(timed.governance.opened.at(-1)?.toolTimeoutMs).toBe(ms);
  }
});

describe('a review of a session', () => {
  const review: ReviewParams = {
    review: 'server',
    approval: 'user',
    server: {
      name: 'files',
      fingerprint: 'sha256:0',
      origin: 'client',
      transport: 'stdio',
      command: 'files-server',
      args: ['/x'],
      local: true,
      sandboxed: true,
      changed: false,
    },
    scopes: ['session', 'project', 'always'],
  };

  function ask(sessionId: string, params = review): Promise<JsonObject> {
    return new Promise((resolve) =>
      rig.broker.openReview(sessionId as SessionId, params, {
        onAnswer: async () => {},
        onSettled: (_request, state) => resolve({ ...state }),
      }),
    );
  }

  it('is a permission to every controller, and the first answer counts', async () => {
    const sessionId = await newSession(rig, peer);
    const asked: JsonObject[] = [];
    peer.onRequest('session/request_permission', (params) => {
      asked.push(params as JsonObject);
      return { outcome: { outcome: 'selected', optionId: 'allow_always' } };
    });
    expect(await ask(sessionId)).toMatchObject({
      kind: 'answered',
      by: 'test 1',
      result: { decision: 'approve', scope: 'project' },
    });
    expect(asked).toMatchObject([
      {
        sessionId,
        toolCall: { title: 'Start the MCP server "files"' },
        options: [{ kind: 'allow_once' }, { kind: 'allow_always' }, { kind: 'reject_once' }],
        _meta: { 'sandboxagent.dev': { review } },
      },
    ]);
    expect(JSON.stringify(asked)).toContain('files-server');
    expect(await logOf(sessionId)).toMatch(/review_asked.*review_settled/);
  });

  it('outlives turns, and is asked of a controller that comes later', async () => {
    const sessionId = await newSession(rig, peer);
    const answer = ask(sessionId);
    const running = prompt(peer, sessionId, [{ untilCancel: true }]);
    await eventually(() => rig.directory.live(sessionId as SessionId)?.state).not.toBe('idle');
    peer.notify('session/cancel', { sessionId });
    await running;
    expect(rig.broker.pendingOf(sessionId as SessionId)).toHaveLength(1);
    const later = await rig.connect({ name: 'later' });
    later.onRequest('session/request_permission', () => ({
      outcome: { outcome: 'selected', optionId: 'reject_once' },
    }));
    await later.request('session/load', { sessionId, cwd: rig.cwd, mcpServers: [] });
    expect(await answer).toMatchObject({ by: 'later 1', result: { decision: 'deny' } });
  });

  it('that an administrator must answer is offered to no client of ACP, and keeps the session from being let go', async () => {
    const sessionId = await newSession(rig, peer);
    const asked: unknown[] = [];
    peer.onRequest('session/request_permission', (params) => {
      asked.push(params);
      return { outcome: { outcome: 'selected', optionId: 'allow_once' } };
    });
    const answer = ask(sessionId, { ...review, approval: 'administrator' });
    const [waiting] = rig.broker.pendingOf(sessionId as SessionId);
    const by = { label: 'admin', administrator: true };
    await rig.broker.answer(waiting?.id as never, { decision: 'approve', scope: 'session' }, by);
    expect(await answer).toMatchObject({ by: 'admin', result: { decision: 'approve' } });
    expect(asked).toEqual([]);
  });
});
