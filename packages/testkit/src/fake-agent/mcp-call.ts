import { spawn } from 'node:child_process';
import { splitLines } from '../split-lines.ts';
import type { StepArguments } from './script.ts';
import type { Turn } from './turn.ts';

interface McpConnection {
  /** The result, or `{error}`. */
  call(method: string, params: unknown): Promise<unknown>;
}

interface StdioEntry {
  readonly name: string;
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

/** By session and name of the server: an agent connects once. They end with the agent, whose children they are. */
const connections = new Map<string, Promise<McpConnection>>();

/** One request to a stdio MCP server of the session, in the older protocol; says its result, or `{"error":{…}}`. */
export async function callMcp({ server, method, params = {} }: StepArguments['mcp'], turn: Turn): Promise<void> {
  const { mcpServers = [] } = turn.received.session as { readonly mcpServers?: readonly StdioEntry[] };
  const entry = mcpServers.find(({ name }) => name === server);
  if (entry === undefined) return turn.say(JSON.stringify({ error: { message: `no server ${server}` } }));
  const key = `${turn.sessionId} ${server}`;
  const opened = connections.get(key) ?? connect(entry);
  connections.set(key, opened);
  await turn.say(JSON.stringify(await (await opened).call(method, params)));
}

async function connect({ command, args = [], env = [] }: StdioEntry): Promise<McpConnection> {
  const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  const child = spawn(command, args, { env: { ...process.env, ...given }, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, (answer: unknown) => void>();
  let nextId = 0;
  const end = (why: string): void => {
    for (const resolve of waiting.values()) resolve({ error: { message: why } });
    waiting.clear();
  };
  child.on('error', (error) => end(String(error)));
  child.on('close', () => end('the server has ended'));
  child.stdin.on('error', () => {});
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const read = splitLines((line) => {
    const { id, method, result, error } = JSON.parse(line.toString()) as Record<string, unknown>;
    if (method === undefined) {
      waiting.get(id as number)?.(error === undefined ? result : { error });
      waiting.delete(id as number);
    } else if (id !== undefined) {
      send(method === 'ping' ? { id, result: {} } : { id, error: { code: -32601, message: 'no such method' } });
    }
  });
  child.stdout.on('data', read);
  const call = (method: string, params: unknown): Promise<unknown> =>
    new Promise((resolve) => {
      nextId += 1;
      waiting.set(nextId, resolve);
      send({ id: nextId, method, params });
    });
  const clientInfo = { name: 'fake-agent', version: '1' };
  await call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  send({ method: 'notifications/initialized' });
  return { call };
}
