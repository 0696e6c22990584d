import { createInterface } from 'node:readline';

/*
 * A small MCP server of the older era that a test starts as a process: `node scripted-server.rig.ts TRAIT…`. It has the tools `echo`,
 * `die`, `hang`, `flood`, `roots`, `ask`, `log` and `count`, answers `x/heard` with every message that came, and has these traits:
 * deaf (answers nothing), mute-stdin (reads nothing after its opening), stillborn (ends at once), frail (ends at any first word but
 * `initialize`), loud (long stderr), wide (one line of 2 MB at the start), slow (answers its opening after 400 ms), mortal (ends soon
 * after its opening), bold (of the stateless era, and asks of its client what that does not offer).
 */
const traits = new Set(process.argv.slice(2));
let asked = 0;
let calls = 0;
const heard: unknown[] = [];
const waiting = new Map<unknown, (message: Message) => void>();

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: Record<string, unknown>;
    readonly _meta?: Record<string, unknown>;
    readonly uri?: string;
    readonly requestId?: unknown;
    readonly inputResponses?: unknown;
  };
  readonly result?: unknown;
  readonly error?: unknown;
}

function say(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function ask(method: string, params: unknown): Promise<Message> {
  asked += 1;
  const id = `s${asked}`;
  say({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

const text = (of: unknown) => ({ content: [{ type: 'text', text: typeof of === 'string' ? of : JSON.stringify(of) }] });

const TOOLS = [
  { name: 'echo', annotations: { title: 'Echo', readOnlyHint: true } },
  { name: 'count', annotations: { readOnlyHint: true, openWorldHint: false } },
  { name: 'die', annotations: { destructiveHint: false } },
  { name: 'diehard', annotations: { idempotentHint: true } },
  ...['hang', 'flood', 'roots', 'ask', 'log', 'progress'].map((name) => ({ name })),
].map((tool) => ({ ...tool, inputSchema: { type: 'object' } }));

async function call({ params }: Message): Promise<unknown> {
  const given = params?.arguments ?? {};
  switch (params?.name) {
    case 'echo':
      return text(given);
    case 'count':
      calls += 1;
      return text(`${process.pid} ${calls}`);
    case 'die':
    case 'diehard':
      process.exit(3);
      break;
    case 'hang':
      await new Promise(() => {});
      break;
    case 'flood':
      for (let index = 0; index < Number(given.times); index += 1) {
        say({ method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(1000) } });
      }
      return text('flooded');
    case 'roots':
      return text((await ask('roots/list', undefined)).result);
    case 'ask': {
      // What no gate is to read in the arguments of the call.
      const hidden = given.hidden === undefined ? given.params : JSON.parse(atob(String(given.hidden)));
      const { result, error } = await ask(String(given.method), hidden);
      return text(result ?? error);
    }
    case 'log':
      process.stderr.write(String(given.line));
      return text('logged');
    case 'progress':
      for (const progress of [1, 2, 3]) {
        say({
          method: 'notifications/progress',
          params: { progressToken: params._meta?.progressToken, progress, total: 3 },
        });
      }
      // Clients deal with what comes together in an order of their own.
      await new Promise((resolve) => setTimeout(resolve, 30));
      return text('done');
  }
  return { ...text('no such tool'), isError: true };
}

/** What a server of MCP 2026-07-28 says that does not look at what its client can do. */
function sayBoldly({ id, method, params }: Message): void {
  if (id === undefined) return;
  const own = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
  if (method === 'initialize') return say({ id, error: { code: -32022, message: 'Unsupported protocol version' } });
  if (method === 'server/discover') {
    return say({ id, result: { ...own, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } } });
  }
  if (method !== 'tools/call') return say({ id, error: { code: -32601, message: 'Method not found' } });
  const { inputResponses } = params ?? {};
  if (inputResponses !== undefined) return say({ id, result: { ...own, ...text(inputResponses) } });
  say({ id, result: { resultType: 'input_required', inputRequests: { q: params?.arguments } } });
}

function mute(): void {
  process.stdin.pause();
  // A process that reads nothing has nothing left to do, and would end.
  setInterval(() => {}, 60_000);
}

async function answer(message: Message): Promise<void> {
  const { id, method } = message;
  if (method !== 'x/heard') heard.push(message);
  if (traits.has('bold')) return sayBoldly(message);
  if (method === undefined) {
    waiting.get(id)?.(message);
    return;
  }
  if (id === undefined) {
    if (method === 'notifications/cancelled') process.stderr.write(`cancelled ${String(message.params?.requestId)}\n`);
    return;
  }
  switch (method) {
    case 'initialize':
      if (traits.has('slow')) await new Promise((resolve) => setTimeout(resolve, 400));
      if (traits.has('mortal')) setTimeout(() => process.exit(4), 20);
      if (traits.has('mute-stdin')) setTimeout(mute, 200);
      return say({
        id,
        result: {
          protocolVersion: '2025-06-18',
          capabilities: {
            tools: {},
            resources: { subscribe: true },
            logging: {},
            experimental: { 'x/y': { kept: true } },
          },
          serverInfo: { name: 'scripted', version: '1.2.3', extra: 'kept' },
          instructions: 'be kind',
          unknown: { kept: true },
        },
      });
    case 'tools/list':
      return say({ id, result: { tools: TOOLS, _meta: { kept: true } } });
    case 'tools/call':
      return say({ id, result: await call(message) });
    case 'resources/subscribe':
      process.stderr.write(`subscribed ${message.params?.uri}\n`);
      return say({ id, result: {} });
    case 'x/heard':
      return say({ id, result: { heard } });
    case 'x/unknown':
      return say({ id, result: { got: message.params, big: 1 } });
    default:
      if (traits.has('frail')) process.exit(5);
      return say({ id, error: { code: -32601, message: 'Method not found' } });
  }
}

if (traits.has('stillborn')) process.exit(2);
if (traits.has('loud')) process.stderr.write('x'.repeat(5000));
if (traits.has('wide')) process.stdout.write(`${'y'.repeat(2_000_000)}\n`);
if (!traits.has('deaf')) {
  createInterface({ input: process.stdin }).on('line', (line) => void answer(JSON.parse(line) as Message));
} else process.stdin.resume();
