import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ModelEndpoint, type SpawnedReeve, sayText, startModelEndpoint, startReeve } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownFolders } from './real-agent-lab.ts';
import { type RealAgentName, realAgent } from './real-agents.ts';
import { agentText, connectSdkClient, type SdkClient } from './sdk-client.ts';

/** Who makes a fork remember: three can fork in a process of its own while the parent lives, codex not at all. */
const CASES: readonly { readonly name: RealAgentName; readonly forked: 'agent' | 'transcript' }[] = [
  { name: 'codex', forked: 'transcript' },
  { name: 'claude', forked: 'agent' },
  { name: 'opencode', forked: 'agent' },
  { name: 'claude-code', forked: 'agent' },
];

describe.each(CASES)('sessions of the real agent $name', ({ name, forked }) => {
  const resources = new AsyncDisposableStack();
  let model: ModelEndpoint;
  let cwd: string;
  let first: Lab;
  let sessionId: string;

  interface Lab {
    readonly reeve: SpawnedReeve;
    readonly client: SdkClient;
  }

  /** A server that knows no session, before the same agent with the same home. */
  let open: (dataDir: string) => Promise<Lab>;

  beforeAll(async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'reeve-lifecycle-')));
    resources.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const home = join(folder, 'home');
    cwd = join(folder, 'work');
    await mkdir(home);
    await mkdir(cwd);
    model = resources.use(await startModelEndpoint());
    const plain = await realAgent(name, { modelUrl: model.url, home });
    const agents = { [name]: { ...plain, env: { ...plain.env, ...ownFolders(home) } } };
    open = async (dataDir) => {
      const reeve = resources.use(
        await startReeve({ config: { agents, defaultAgent: name }, dataDir: join(folder, dataDir) }),
      );
      return { reeve, client: resources.use(await connectSdkClient(reeve, { transport: 'websocket' })) };
    };
    first = await open('first');
    ({ sessionId } = await first.client.agent.request('session/new', { cwd, mcpServers: [] }));
    model.script(sayText('greet me', 'Hello from before.'));
    await ask(first.client, sessionId, 'Please greet me');
  });
  afterAll(() => resources.disposeAsync());

  it('are forked while the parent lives, and both go on', async () => {
    const { client } = first;
    expect(client.initialized.agentCapabilities?.sessionCapabilities).toMatchObject({ fork: {} });
    const fork = await client.agent.request<{ sessionId: string; _meta: object }>('session/fork', {
      sessionId,
      cwd,
      mcpServers: [],
    } as object);
    expect(fork._meta).toMatchObject({ 'sandboxagent.dev': { forked, parent: { sessionId } } });
    expect(fork.sessionId).not.toBe(sessionId);
    model.script(sayText('what we said', 'The fork remembers.'), sayText('go on', 'The parent goes on.'));
    await ask(client, fork.sessionId, 'Tell me what we said');
    expect(agentText(client.updates, fork.sessionId)).toContain('The fork remembers.');
    expect(told('Tell me what we said')).toContain('Hello from before.');
    await ask(client, sessionId, 'Please go on');
    expect(told('Please go on')).not.toContain('Tell me what we said');

    const from = client.updates.length;
    await client.agent.request('session/load', { sessionId: fork.sessionId, cwd, mcpServers: [] });
    expect(agentText(client.updates.slice(from), fork.sessionId)).toMatch(/Hello from before\..*The fork remembers\./s);
  });

  it('that another program has are listed, taken over with their history, and go on', async () => {
    await first.client[Symbol.asyncDispose]();
    await first.reeve[Symbol.asyncDispose]();
    const { client } = await open('second');
    const foreign = (await allListed(client)).find((listed) => listed.sessionId === sessionId);
    expect(foreign?._meta).toMatchObject({ 'sandboxagent.dev': { agent: name, origin: 'agent' } });

    const loaded = await client.agent.request('session/load', { sessionId, cwd, mcpServers: [] });
    expect(loaded._meta).toMatchObject({ 'sandboxagent.dev': { adopted: 'load' } });
    expect(agentText(client.updates, sessionId)).toContain('Hello from before.');
    model.script(sayText('once more', 'Here I am.'));
    await ask(client, sessionId, 'Please say it once more');
    expect(told('Please say it once more')).toContain('Please greet me');
    const again = (await allListed(client)).filter((listed) => listed.sessionId === sessionId);
    expect(again).toHaveLength(1);
    expect(again[0]?._meta).toMatchObject({ 'sandboxagent.dev': { state: 'idle' } });
    await expect(
      client.agent.request('session/load', { sessionId: 'nobody-knows-it', cwd, mcpServers: [] }),
    ).rejects.toMatchObject({ code: -32002 });
  });

  it('that another program has are taken over by resume without a word of history', async () => {
    const { client } = await open('third');
    const resumed = await client.agent.request('session/resume', { sessionId, cwd, mcpServers: [] });
    expect(resumed._meta).toMatchObject({ 'sandboxagent.dev': { adopted: 'resume' } });
    expect(agentText(client.updates, sessionId)).toBe('');
    model.script(sayText('one last time', 'The last words.'));
    await ask(client, sessionId, 'Please say it one last time');
    expect(told('Please say it one last time')).toContain('Please greet me');
  });

  /** Everything that the model was told in the turn of that prompt. */
  function told(prompt: string): string {
    const request = model.requests.findLast(({ userText, isSide }) => userText.includes(prompt) && !isSide);
    return (request?.conversation ?? []).map(({ text }) => text).join('\n');
  }
});

interface Listed {
  readonly sessionId: string;
  readonly _meta?: object | null;
}

async function allListed(client: SdkClient): Promise<Listed[]> {
  const all: Listed[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await client.agent.request('session/list', cursor ? { cursor } : {});
    all.push(...page.sessions);
    cursor = page.nextCursor;
  } while (cursor);
  return all;
}

function ask(client: SdkClient, sessionId: string, text: string): Promise<{ stopReason: string }> {
  return client.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
}
