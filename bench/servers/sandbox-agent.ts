import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fakeAgentCommand, script } from '@reeve/testkit';
import { FloodCheck } from '../clients/flood-check.ts';
import { SseClient } from '../clients/sse-client.ts';
import type { FloodTarget } from '../flood-target.ts';
import { sandboxAgentProgram } from './sandbox-agent-program.ts';

export const SANDBOX_AGENT = 'sandbox-agent 0.4.2';

/** After the prompt's answer, a stream that was silent for this long has nothing more. */
const SILENCE_MS = 400;

export interface SpawnedSandboxAgent extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** From its start to its first healthy answer. */
  readonly startMs: number;
}

/** A server in its own process whose agent `mock` is the fake agent. */
export async function spawnSandboxAgent(): Promise<SpawnedSandboxAgent> {
  const program = await sandboxAgentProgram();
  const home = await mkdtemp(join(tmpdir(), 'reeve-bench-'));
  const agents = join(home, 'data', 'sandbox-agent', 'bin', 'agent_processes');
  await mkdir(agents, { recursive: true });
  const { command, args } = fakeAgentCommand();
  const words = [command, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  await writeFile(join(agents, 'mock-acp'), `#!/bin/sh\nexec ${words}\n`, { mode: 0o755 });

  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(program, ['server', '--no-token', '--no-telemetry', '--port', String(port)], {
    env: { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: join(home, 'data') },
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  const deadline = startedAt + 10_000;
  while (!(await isHealthy(url))) {
    if (performance.now() > deadline) throw new Error('sandbox-agent was not healthy within 10 s');
    await delay(1);
  }
  return {
    url,
    pid: child.pid ?? -1,
    startMs: performance.now() - startedAt,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 2000);
      await ended;
      clearTimeout(timer);
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** One ACP agent process behind sandbox-agent: requests by POST, updates on its event stream. */
export interface SandboxAgentSession extends Disposable {
  readonly sessionId: string;
  request(method: string, params: unknown): Promise<Record<string, unknown>>;
  /** Where its event stream is. */
  readonly url: string;
}

export async function openSandboxAgentSession(server: SpawnedSandboxAgent, id: string): Promise<SandboxAgentSession> {
  const url = `${server.url}/v1/acp/${id}`;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let nextId = 1;
  const request = async (method: string, params: unknown, query = ''): Promise<Record<string, unknown>> => {
    const answer = await post(`${url}${query}`, agent, { jsonrpc: '2.0', id: nextId++, method, params });
    const { result, error } = JSON.parse(answer) as { result?: Record<string, unknown>; error?: unknown };
    if (result === undefined) throw new Error(`sandbox-agent, ${method}: ${JSON.stringify(error ?? answer)}`);
    return result;
  };
  await request('initialize', { protocolVersion: 1, clientCapabilities: {} }, '?agent=mock');
  const { sessionId } = await request('session/new', { cwd: tmpdir(), mcpServers: [] });
  return { sessionId: sessionId as string, url, request, [Symbol.dispose]: () => agent.destroy() };
}

export async function openSandboxAgentRelay(): Promise<FloodTarget> {
  const server = await spawnSandboxAgent();
  const session = await openSandboxAgentSession(server, 'flood');
  const stream = await SseClient.open(session.url);
  return {
    name: SANDBOX_AGENT,
    serverPid: server.pid,
    async flood(spec) {
      const check = new FloodCheck(spec);
      stream.check(check);
      const startedAt = performance.now();
      const prompt = [{ type: 'text', text: script({ flood: spec }) }];
      await session.request('session/prompt', { sessionId: session.sessionId, prompt });
      for (let seen = -1; !check.complete && check.received > seen; ) {
        seen = check.received;
        await delay(SILENCE_MS);
      }
      const tally = check.tally();
      return { tookMs: tally.lastAtMs - startedAt, tally };
    },
    async [Symbol.asyncDispose]() {
      stream[Symbol.dispose]();
      session[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

function post(url: string, agent: Agent, message: object): Promise<string> {
  const body = Buffer.from(JSON.stringify(message));
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const headers = { 'content-type': 'application/json', accept: 'application/json', 'content-length': body.length };
  const request = httpRequest(url, { method: 'POST', agent, headers }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    response.once('end', () => resolve(text));
  });
  request.once('error', reject);
  request.end(body);
  return promise;
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/v1/health`);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
