import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { splitLines } from '@reeve/testkit';

/** An MCP client at its least, in the older era: what it costs itself is the same whatever lies between. */
export interface McpCaller extends AsyncDisposable {
  /** One call of `echo`; rejects when the answer is none or an error. */
  echo(): Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly result?: { readonly isError?: boolean; readonly content?: readonly { readonly text?: string }[] };
  readonly error?: unknown;
}

type Exchange = (method: string, params: object) => Promise<Message>;

const OPENING = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'reeve-bench', version: '1.0.0' },
};
const TEXT = 'x'.repeat(100);

/** Starts a command as agents start their servers. */
export async function startMcpCaller(command: string, args: readonly string[]): Promise<McpCaller> {
  // In a session of its own, like whatever an agent starts: Linux shares the cores among sessions (sched(7), autogroup).
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  const ended = once(child, 'close');
  const waiting = new Map<number, (message: Message) => void>();
  let nextId = 1;
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  child.stdout.on(
    'data',
    splitLines((line) => {
      const message = JSON.parse(line.toString('utf8')) as Message;
      waiting.get(message.id ?? 0)?.(message);
    }),
  );
  const exchange: Exchange = async (method, params) => {
    const id = nextId++;
    const { promise, resolve } = Promise.withResolvers<Message>();
    waiting.set(id, resolve);
    send({ id, method, params });
    const answer = await promise;
    waiting.delete(id);
    return answer;
  };
  await exchange('initialize', OPENING);
  send({ method: 'notifications/initialized', params: {} });
  return {
    echo: () => echo(exchange),
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      child.kill();
      await ended;
    },
  };
}

/** Streamable HTTP over one connection that is kept. */
export async function openHttpMcpCaller(url: string, headers: Readonly<Record<string, string>>): Promise<McpCaller> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let nextId = 1;
  const post = (message: object): Promise<string> =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ jsonrpc: '2.0', ...message });
      const own = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'content-length': Buffer.byteLength(body),
      };
      const sent = request(url, { method: 'POST', agent, headers: { ...own, ...headers } }, (response) =>
        readAll(response).then(resolve, reject),
      );
      sent.on('error', reject);
      sent.end(body);
    });
  const exchange: Exchange = async (method, params) => {
    const id = nextId++;
    const messages = messagesOf(await post({ id, method, params }));
    const answer = messages.find((message) => message.id === id);
    if (answer === undefined) throw new Error(`${method} was not answered`);
    return answer;
  };
  await exchange('initialize', OPENING);
  await post({ method: 'notifications/initialized', params: {} });
  return {
    echo: () => echo(exchange),
    async [Symbol.asyncDispose]() {
      agent.destroy();
    },
  };
}

async function echo(exchange: Exchange): Promise<void> {
  const { result } = await exchange('tools/call', { name: 'echo', arguments: { message: TEXT } });
  const text = result?.content?.[0]?.text;
  if (result?.isError === true || !text?.endsWith(TEXT)) throw new Error(`echo was answered with ${text ?? 'nothing'}`);
}

async function readAll(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  if ((response.statusCode ?? 500) >= 300) throw new Error(`HTTP ${response.statusCode}: ${text.slice(0, 200)}`);
  return text;
}

/** Of a body that is JSON or a stream of events. */
function messagesOf(body: string): readonly Message[] {
  if (body.startsWith('{')) return [JSON.parse(body) as Message];
  return body
    .split('\n')
    .filter((line) => line.startsWith('data:') && line.length > 6)
    .map((line) => JSON.parse(line.slice(5)) as Message);
}
