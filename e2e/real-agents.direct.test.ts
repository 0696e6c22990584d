import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
  type ClientConnection,
  client,
  ndJsonStream,
  type PermissionOptionKind,
  PROTOCOL_VERSION,
  type PromptRequest,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import {
  type ModelEndpoint,
  runCommandThenSay,
  saySlowly,
  sayText,
  splitLines,
  startModelEndpoint,
  writeFileThenSay,
} from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REAL_AGENT_NAMES, type RealAgentName, realAgent } from './real-agents.ts';

/** Real agents, nothing between them and the client: what the tests through Reeve are measured against. */
describe.each(REAL_AGENT_NAMES)('the real agent %s', (name) => {
  let lab: Lab;
  let agent: ConnectedAgent;

  beforeAll(async () => {
    lab = await openLab(name);
    agent = await connect(lab);
  });

  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await lab?.[Symbol.asyncDispose]();
  });

  it('streams the text of the scripted model', async () => {
    lab.model.script(sayText('greet me', 'Hello from the scripted model.'));
    const { stopReason, updates } = await agent.prompt('Please greet me');
    expect(stopReason).toBe('end_turn');
    expect(textOf(updates)).toContain('Hello from the scripted model.');
    expect(updates.filter(isText).length).toBeGreaterThan(2);
    expect(lab.model.requests.some((request) => request.userText === 'Please greet me' && !request.isSide)).toBe(true);
  });

  it('asks before it writes a file, and writes it when allowed', async () => {
    const path = join(lab.cwd, 'new.txt');
    lab.model.script(writeFileThenSay('write the file', { path, content: 'one\ntwo\n' }, 'It is written.'));
    const { stopReason, updates } = await agent.prompt('Please write the file');
    expect(stopReason).toBe('end_turn');
    expect(agent.asked.at(-1)?.options.map(({ kind }) => kind)).toContain('reject_once');
    expect(await readFile(path, 'utf8')).toContain('one\ntwo');
    expect(updates.some((update) => update.sessionUpdate === 'tool_call' && update.kind === 'edit')).toBe(true);
    expect(textOf(updates)).toContain('It is written.');
  });

  it('asks before it runs a command, and does not run it when refused', async () => {
    const path = join(lab.cwd, 'refused.txt');
    lab.model.script(runCommandThenSay('run the command', `echo refused > ${path}`, 'It did not run.'));
    const before = agent.asked.length;
    await agent.prompt('Please run the command', 'reject_once');
    expect(agent.asked.length).toBe(before + 1);
    await expect(readFile(path)).rejects.toThrow('ENOENT');
  });

  it('stops a turn that is cancelled half-way', async () => {
    lab.model.script(saySlowly('talk slowly', 'word '.repeat(400)));
    const { stopReason } = await agent.prompt('Please talk slowly', 'allow_once', (update) => {
      if (isText(update) && update.content.text.includes('word')) agent.cancel();
    });
    expect(stopReason).toBe('cancelled');
  });
});

describe('session/new without mcpServers', () => {
  it('is refused by claude-code with -32602, as the schema says', async () => {
    await using lab = await openLab('claude-code');
    const { command, args, env } = await realAgent('claude-code', { modelUrl: lab.model.url, home: lab.home });
    await using child = ownedChild(spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'], detached: true }));
    const { promise: answer, resolve } = Promise.withResolvers<unknown>();
    child.process.stdout.on(
      'data',
      splitLines((line) => {
        const message = JSON.parse(line.toString());
        if (message.id === 2) resolve(message);
      }),
    );
    child.process.stdin.write(
      `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n` +
        `{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":${JSON.stringify(lab.cwd)}}}\n`,
    );
    expect(await answer).toEqual({
      jsonrpc: '2.0',
      id: 2,
      error: {
        code: -32602,
        message: 'Invalid params',
        data: { _errors: [], mcpServers: { _errors: ['Invalid input: expected array, received undefined'] } },
      },
    });
  });
});

interface Lab extends AsyncDisposable {
  readonly name: RealAgentName;
  readonly model: ModelEndpoint;
  readonly home: string;
  readonly cwd: string;
}

async function openLab(name: RealAgentName): Promise<Lab> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'reeve-agent-')));
  const home = await mkdtemp(join(folder, 'home-'));
  const cwd = await mkdtemp(join(folder, 'cwd-'));
  const model = await startModelEndpoint();
  return {
    name,
    model,
    home,
    cwd,
    [Symbol.asyncDispose]: async () => {
      await model[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

interface ConnectedAgent extends AsyncDisposable {
  readonly asked: readonly RequestPermissionRequest[];
  prompt(
    text: string,
    answer?: PermissionOptionKind,
    onUpdate?: (update: SessionUpdate) => void,
  ): Promise<{ stopReason: string; updates: readonly SessionUpdate[] }>;
  cancel(): void;
}

/** Starts the agent and one session in the lab's directory. */
async function connect(lab: Lab): Promise<ConnectedAgent> {
  const { command, args, env } = await realAgent(lab.name, { modelUrl: lab.model.url, home: lab.home });
  const child = ownedChild(spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'], detached: true }));
  const asked: RequestPermissionRequest[] = [];
  let answer: PermissionOptionKind = 'allow_once';
  let onUpdate = (_update: SessionUpdate): void => {};
  const connection: ClientConnection = client({ name: 'direct-test' })
    .onRequest('session/request_permission', ({ params }) => {
      asked.push(params);
      const option = params.options.find(({ kind }) => kind === answer);
      return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } };
    })
    .onNotification('session/update', ({ params }) => onUpdate(params.update))
    .connect(ndJsonStream(Writable.toWeb(child.process.stdin), Readable.toWeb(child.process.stdout)));
  await connection.agent.request('initialize', { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
  const { sessionId } = await connection.agent.request('session/new', { cwd: lab.cwd, mcpServers: [] });
  return {
    asked,
    prompt: async (text, nextAnswer = 'allow_once', listen = () => {}) => {
      const updates: SessionUpdate[] = [];
      answer = nextAnswer;
      onUpdate = (update) => {
        updates.push(update);
        listen(update);
      };
      const request: PromptRequest = { sessionId, prompt: [{ type: 'text', text }] };
      const { stopReason } = await connection.agent.request('session/prompt', request);
      return { stopReason, updates };
    },
    cancel: () => void connection.agent.notify('session/cancel', { sessionId }),
    [Symbol.asyncDispose]: async () => {
      connection.close();
      await child[Symbol.asyncDispose]();
    },
  };
}

type AgentChild = ChildProcessByStdio<Writable, Readable, null>;

/** Disposing ends the child and what it started: it must be the leader of its own process group. */
function ownedChild(process_: AgentChild): AsyncDisposable & { readonly process: AgentChild } {
  const exited = once(process_, 'exit');
  return {
    process: process_,
    [Symbol.asyncDispose]: async () => {
      if (process_.pid !== undefined && process_.exitCode === null) process.kill(-process_.pid, 'SIGKILL');
      await exited;
    },
  };
}

function isText(
  update: SessionUpdate,
): update is Extract<SessionUpdate, { sessionUpdate: 'agent_message_chunk' }> & { content: { text: string } } {
  return update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text';
}

function textOf(updates: readonly SessionUpdate[]): string {
  return updates
    .filter(isText)
    .map(({ content }) => content.text)
    .join('');
}
