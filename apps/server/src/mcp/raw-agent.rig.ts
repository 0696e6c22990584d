import { connect, type Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { createLineSplitter } from '@reeve/sandbox';

/** What came over the wire, as it was. */
export interface WireMessage {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface RawAgent extends AsyncDisposable {
  /** Every message that came and was no answer to `ask`. */
  readonly heard: WireMessage[];
  say(message: object): void;
  ask(method: string, params?: unknown, id?: string | number): Promise<WireMessage>;
  /** Calls a tool. */
  call(name: string, given?: object, meta?: object): Promise<WireMessage>;
  /** `initialize` and `notifications/initialized`. */
  open(capabilities?: object, version?: string): Promise<WireMessage>;
  /** Answers requests of the server with the result that this gives. */
  onRequest: ((message: WireMessage) => unknown) | undefined;
}

/** An agent that speaks MCP on the socket of an endpoint without any SDK. */
export async function connectRaw(path: string): Promise<RawAgent & { readonly socket: Socket }> {
  const socket = connect(path);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => {});
  return Object.assign(speakRaw(socket, socket), { socket });
}

/** The same over any two streams; dispose ends them. */
export function speakRaw(input: Readable, output: Writable): RawAgent {
  const waiting = new Map<unknown, (message: WireMessage) => void>();
  let last = 100;
  const agent: RawAgent = {
    heard: [],
    onRequest: undefined,
    say: (message) => void output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    ask(method, params, id = ++last) {
      const answered = new Promise<WireMessage>((resolve) => waiting.set(id, resolve));
      agent.say({ id, method, params });
      return answered;
    },
    call: (name, given = {}, meta) =>
      agent.ask('tools/call', { name, arguments: given, ...(meta === undefined ? {} : { _meta: meta }) }),
    async open(capabilities = {}, protocolVersion = '2025-11-25') {
      const clientInfo = { name: 'raw', version: '1' };
      const reply = await agent.ask('initialize', { protocolVersion, capabilities, clientInfo });
      agent.say({ method: 'notifications/initialized' });
      return reply;
    },
    async [Symbol.asyncDispose]() {
      input.destroy();
      output.destroy();
    },
  };
  // Not readline: it would split at U+2028 too.
  const onLine = (line: Buffer): void => {
    const message = JSON.parse(line.toString()) as WireMessage;
    const resolve = message.method === undefined ? waiting.get(message.id) : undefined;
    if (resolve) {
      waiting.delete(message.id);
      return resolve(message);
    }
    agent.heard.push(message);
    if (message.method !== undefined && message.id !== undefined && agent.onRequest) {
      agent.say({ id: message.id, result: agent.onRequest(message) });
    }
  };
  const splitter = createLineSplitter({ maxLineBytes: 64 * 1024 * 1024, onLine, onOversize: () => {} });
  input.on('data', (chunk: Buffer) => splitter.push(chunk));
  return agent;
}
