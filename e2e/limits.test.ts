import { once } from 'node:events';
import { tmpdir } from 'node:os';
import {
  connectWebSocket,
  fakeAgentCommand,
  type JsonRpcPeer,
  type SpawnedReeve,
  type Step,
  script,
  startReeve,
} from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { callControl } from './control-calls.ts';

const cwd = tmpdir();
const ASK = 'session/request_permission';
const INITIALIZE = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 1 } });

const limits = {
  maxLineBytes: 64 * 1024,
  maxBodyBytes: 8192,
  maxFrameBytes: 32 * 1024,
  maxConnections: 4,
  maxSessionsLive: 2,
  maxQueuedPrompts: 1,
  stderrTailBytes: 1024,
  maxSubscribersPerSession: 2,
  maxPendingRequests: 1,
  maxAttachmentBytes: 1000,
  maxEarlyMessages: 3,
  maxRoots: 2,
};
const timeouts = { idleAgentMs: 400, agentStopGraceMs: 400, agentStopKillMs: 500 };

/** Each setting as it stands in the configuration file, at a whole server: what is beside the code shows the edge itself. */
describe('a limit of the configuration', () => {
  let reeve: SpawnedReeve;
  beforeAll(async () => {
    const agents = {
      fake: fakeAgentCommand(['--resume']),
      lingering: fakeAgentCommand(['--ignore-eof']),
      stubborn: fakeAgentCommand(['--ignore-eof', '--ignore-sigterm']),
      silent: fakeAgentCommand(['--hang-initialize']),
    };
    reeve = await startReeve({ config: { agents, defaultAgent: 'fake', limits, timeouts } });
  });
  afterAll(() => reeve?.[Symbol.asyncDispose]());

  it('maxConnections: one more is refused, over WebSocket and over HTTP', async () => {
    await using open = new AsyncDisposableStack();
    for (let index = 0; index < limits.maxConnections; index += 1) {
      const peer = open.use(await connect(reeve));
      await peer.request('initialize', { protocolVersion: 1 });
    }
    const refused = await closing(reeve);
    expect(refused).toEqual([1013, expect.stringContaining('limits.maxConnections')]);
    const response = await postAcp(reeve, INITIALIZE);
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining('limits.maxConnections')]);
  });

  it('maxBodyBytes: a body of it is taken, a longer one refused with 413', async () => {
    const taken = await eventually(() => postAcp(reeve, INITIALIZE.padEnd(limits.maxBodyBytes)), 200);
    const refused = await postAcp(reeve, INITIALIZE.padEnd(limits.maxBodyBytes + 1));
    expect([refused.status, await refused.text()]).toEqual([413, expect.stringContaining('limits.maxBodyBytes')]);
    await fetch(`${reeve.url}/acp`, { method: 'DELETE', headers: connectionOf(reeve, taken) });
  });

  it('maxFrameBytes: a frame of it is taken, a longer one closes with 1009', async () => {
    await using peer = await connect(reeve);
    peer.sendRaw(INITIALIZE.padEnd(limits.maxFrameBytes));
    await peer.waitFor(({ id, result }) => id === 1 && result !== undefined);
    const closed = await closing(reeve, (socket) => socket.send(INITIALIZE.padEnd(limits.maxFrameBytes + 1)));
    expect(closed).toEqual([1009, expect.stringContaining('limits.maxFrameBytes')]);
  });

  it('maxAttachmentBytes: content of it is taken, more is refused with its place', async () => {
    await using peer = await open(reeve);
    const sessionId = await newSession(peer);
    const send = (size: number): Promise<unknown> => {
      const image = { type: 'image', mimeType: 'image/png', data: Buffer.alloc(size).toString('base64') };
      return peer.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'look' }, image] });
    };
    await send(limits.maxAttachmentBytes);
    await expect(send(limits.maxAttachmentBytes + 1)).rejects.toMatchObject(says('limits.maxAttachmentBytes'));
    await peer.request('session/close', { sessionId });
  });

  it('maxEarlyMessages: one more before initialize is answered ends the connection', async () => {
    const early = { jsonrpc: '2.0', method: '_early', params: {} };
    const closed = await closing(
      reeve,
      (socket) => {
        socket.send(INITIALIZE);
        for (let index = 0; index <= limits.maxEarlyMessages; index += 1) socket.send(JSON.stringify(early));
      },
      'silent',
    );
    expect(closed[1]).toContain('limits.maxEarlyMessages');
  });

  it('maxSessionsLive: one more is refused, until one is closed', async () => {
    await using peer = await open(reeve);
    const sessions = [await newSession(peer), await newSession(peer)];
    await expect(newSession(peer)).rejects.toMatchObject(says('limits.maxSessionsLive'));
    for (const sessionId of sessions) await peer.request('session/close', { sessionId });
    await peer.request('session/close', { sessionId: await newSession(peer) });
  });

  it('maxRoots: as many directories are taken, one more is refused', async () => {
    await using peer = await open(reeve);
    const boundary = (count: number): object => {
      const roots = [cwd, '/usr', '/etc'].slice(0, count).map((path) => ({ path, access: 'ro' }));
      return { cwd, mcpServers: [], _meta: { 'sandboxagent.dev': { boundary: { roots } } } };
    };
    const { sessionId } = await peer.request<{ sessionId: string }>('session/new', boundary(limits.maxRoots));
    await expect(peer.request('session/new', boundary(limits.maxRoots + 1))).rejects.toMatchObject({
      code: -32602,
      data: { issues: [{ expected: expect.stringContaining('limits.maxRoots'), received: '3' }] },
    });
    await peer.request('session/close', { sessionId });
  });

  it('maxSubscribersPerSession: one more is refused', async () => {
    await using first = await open(reeve);
    await using second = await open(reeve);
    await using third = await open(reeve);
    const sessionId = await newSession(first);
    await second.request('session/resume', { sessionId, cwd });
    await expect(third.request('session/resume', { sessionId, cwd })).rejects.toMatchObject(
      says('limits.maxSubscribersPerSession'),
    );
    await first.request('session/close', { sessionId });
  });

  it('maxQueuedPrompts, maxPendingRequests: one more is refused', async () => {
    await using peer = await open(reeve);
    const sessionId = await newSession(peer);
    const params = { sessionId: '$SESSION', options: [] };
    peer.onRequest(ASK, () => new Promise(() => undefined));
    const asking = prompt(
      peer,
      sessionId,
      { raw: JSON.stringify({ jsonrpc: '2.0', id: 'first', method: ASK, params }) },
      { request: { method: ASK, params } },
      { untilCancel: true },
    );
    await peer.waitFor((message) => JSON.stringify(message).includes('limits.maxPendingRequests'));
    const queued = prompt(peer, sessionId, { say: 'queued' });
    await expect(prompt(peer, sessionId, { say: 'too many' })).rejects.toMatchObject(says('limits.maxQueuedPrompts'));
    peer.notify('session/cancel', { sessionId });
    expect([await asking, await queued]).toMatchObject([{ stopReason: 'cancelled' }, { stopReason: 'cancelled' }]);
    await peer.request('session/close', { sessionId });
  });

  it('maxLineBytes, stderrTailBytes: an agent’s longer line is dropped, its last words are cut to it', async () => {
    await using peer = await open(reeve);
    const sessionId = await newSession(peer);
    const [within, beyond] = [limits.maxLineBytes - 4096, limits.maxLineBytes + 1];
    await prompt(peer, sessionId, { bigLine: within }, { bigLine: beyond }, { say: 'alive' });
    expect(peer.agentTexts().map(({ length }) => length)).toEqual([within, 'alive'.length]);
    const stderr = `${'x'.repeat(2 * limits.stderrTailBytes)} last words`;
    const crash = await prompt(peer, sessionId, { crash: { code: 3, stderr } }).catch((error: unknown) => error);
    const told = (crash as { data: { stderr: string } }).data.stderr;
    expect(told).toContain('last words');
    expect(told.length).toBeGreaterThan(limits.stderrTailBytes - 10);
    expect(told.length).toBeLessThanOrEqual(limits.stderrTailBytes);
    await peer.request('session/close', { sessionId });
  });

  it('agentStopGraceMs, agentStopKillMs: an agent that stays is told by SIGTERM then, and killed after both', async () => {
    const closingTakes = async (agent: string): Promise<number> => {
      await using peer = await open(reeve, agent);
      const sessionId = await newSession(peer);
      const begun = performance.now();
      await peer.request('session/close', { sessionId });
      return performance.now() - begun;
    };
    const { agentStopGraceMs: grace, agentStopKillMs: kill } = timeouts;
    const lingering = await closingTakes('lingering');
    expect(lingering).toBeGreaterThanOrEqual(grace - 20);
    const stubborn = await closingTakes('stubborn');
    expect(stubborn).toBeGreaterThanOrEqual(grace + kill - 20);
  });

  it('idleAgentMs: the agent of a session without clients is given back then, not while somebody is there', async () => {
    const peer = await open(reeve);
    const sessionId = await newSession(peer);
    const state = async (): Promise<unknown> =>
      ((await callControl(reeve, `/sessions/${sessionId}`)) as { state: unknown }).state;
    await new Promise((resolve) => setTimeout(resolve, 2 * timeouts.idleAgentMs));
    expect(await state()).toBe('idle');
    peer.close();
    await expect.poll(state, { interval: 20 }).toBe('dormant');
  });
});

describe('a time-out of the configuration', () => {
  it('initializeMs: an agent that does not answer is ended, and the error names the setting', async () => {
    const agents = { silent: fakeAgentCommand(['--hang-initialize']) };
    await using reeve = await startReeve({ config: { agents, timeouts: { initializeMs: 300 } } });
    await using peer = await connect(reeve);
    await expect(peer.request('initialize', { protocolVersion: 1 })).rejects.toMatchObject(
      says('timeouts.initializeMs'),
    );
  });

  it('sessionNewMs, heartbeatMs, vanishedMs, httpConnectionIdleMs: who is silent for longer is not waited for', async () => {
    const silent = `process.stdin.on('data', (chunk) => {
      const { id, method } = JSON.parse(String(chunk).split('\\n')[0]);
      if (method === 'initialize') console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: 1 } }));
    });`;
    const agents = { silent: { command: process.execPath, args: ['-e', silent] } };
    const short = { sessionNewMs: 300, heartbeatMs: 50, vanishedMs: 4000, httpConnectionIdleMs: 1000 };
    await using reeve = await startReeve({ config: { agents, timeouts: short } });

    await using peer = await open(reeve);
    await expect(newSession(peer)).rejects.toMatchObject(says('timeouts.sessionNewMs'));

    const begun = performance.now();
    const socket = new WebSocket(acpUrl(reeve), { autoPong: false });
    const closed = once(socket, 'close');
    await once(socket, 'ping');
    const [code] = (await closed) as [number];
    expect(code).toBe(1006);
    expect(performance.now() - begun).toBeGreaterThan(short.vanishedMs - 2 * short.heartbeatMs);
    await peer.request('session/list', {});

    const headers = connectionOf(reeve, await postAcp(reeve, INITIALIZE));
    const stream = new AbortController();
    const wish = { headers: { ...headers, accept: 'text/event-stream' }, signal: stream.signal };
    // A response that nobody holds is collected, and its stream is cancelled with it.
    const response = await fetch(`${reeve.url}/acp`, wish);
    expect(response.status).toBe(200);
    const read = response.text().catch(() => 'cut off');
    await new Promise((resolve) => setTimeout(resolve, 2 * short.httpConnectionIdleMs));
    const notify = '{"jsonrpc":"2.0","method":"_vendor/x","params":{}}';
    expect((await postAcp(reeve, notify, headers)).status).toBe(202);
    stream.abort();
    expect(await read).toBe('cut off');
    await new Promise((resolve) => setTimeout(resolve, 3 * short.httpConnectionIdleMs));
    const late = await postAcp(reeve, notify, headers);
    expect([late.status, await late.text()]).toEqual([404, expect.stringContaining('timeouts.httpConnectionIdleMs')]);
  });

  it('shutdownMs: the server ends then, whatever still runs, and says so', async () => {
    const agents = { stubborn: fakeAgentCommand(['--ignore-eof', '--ignore-sigterm']) };
    const long = { agentStopGraceMs: 60_000, shutdownMs: 500 };
    await using reeve = await startReeve({ config: { agents, timeouts: long } });
    await using peer = await open(reeve);
    await newSession(peer);
    const begun = performance.now();
    await reeve.kill('SIGTERM');
    expect(performance.now() - begun).toBeGreaterThan(long.shutdownMs - 20);
    expect(await reeve.ended).toEqual({ code: 1, signal: null });
    expect(reeve.stderr()).toContain('timeouts.shutdownMs');
  });
});

const says = (setting: string) => ({ message: expect.stringContaining(setting) });

function connect(reeve: SpawnedReeve, agent = ''): Promise<JsonRpcPeer> {
  return connectWebSocket(`${reeve.url}/acp${agent && `?agent=${agent}`}`, { token: reeve.token });
}

/** A connection that is initialized, as soon as the server has room for it. */
async function open(reeve: SpawnedReeve, agent?: string): Promise<JsonRpcPeer> {
  for (;;) {
    const peer = await connect(reeve, agent);
    try {
      await peer.request('initialize', { protocolVersion: 1 });
      return peer;
    } catch (error) {
      if (!String(error).includes('closed before the answer')) throw error;
    }
  }
}

async function newSession(peer: JsonRpcPeer): Promise<string> {
  return (await peer.request<{ sessionId: string }>('session/new', { cwd, mcpServers: [] })).sessionId;
}

function prompt(peer: JsonRpcPeer, sessionId: string, ...steps: Step[]): Promise<Record<string, unknown>> {
  return peer.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: script(...steps) }] });
}

function acpUrl({ url, token }: SpawnedReeve, agent?: string): string {
  const named = agent === undefined ? '' : `agent=${agent}&`;
  return `${url.replace('http', 'ws')}/acp?${named}access_token=${token}`;
}

/** With which code and words the server closes a connection that does this. */
async function closing(
  reeve: SpawnedReeve,
  act?: (socket: WebSocket) => void,
  agent?: string,
): Promise<[number, string]> {
  const socket = new WebSocket(acpUrl(reeve, agent));
  const closed = once(socket, 'close');
  await once(socket, 'open');
  act?.(socket);
  const [code, reason] = (await closed) as [number, Buffer];
  return [code, String(reason)];
}

function postAcp({ url, token }: SpawnedReeve, body: string, headers: Record<string, string> = {}): Promise<Response> {
  const authorization = `Bearer ${token}`;
  return fetch(`${url}/acp`, {
    method: 'POST',
    body,
    headers: { authorization, 'content-type': 'application/json', ...headers },
  });
}

function connectionOf({ token }: SpawnedReeve, initialized: Response): Record<string, string> {
  const id = initialized.headers.get('acp-connection-id') ?? '';
  return { authorization: `Bearer ${token}`, 'acp-connection-id': id };
}

/** The first answer with this status. */
async function eventually(ask: () => Promise<Response>, status: number): Promise<Response> {
  for (let tries = 0; tries < 1000; tries += 1) {
    const response = await ask();
    if (response.status === status) return response;
    await response.arrayBuffer();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`never answered with ${status}`);
}
