import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionNotification } from '@agentclientprotocol/sdk';
import { runCommandThenSay, saySlowly, sayText, writeFileThenSay } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LoggedEvent, readLog } from './control-calls.ts';
import { openRealAgentLab, type RealAgentLab } from './real-agent-lab.ts';
import type { RealAgentName } from './real-agents.ts';
import { agentText, CLIENT_TRANSPORTS, type ClientTransport, choose, type SdkClient } from './sdk-client.ts';

interface Case {
  readonly name: RealAgentName;
  readonly transport: ClientTransport;
  /** By which another client answers. */
  readonly other: ClientTransport;
}

const CASES: readonly Case[] = [
  { name: 'codex', transport: 'websocket', other: 'http' },
  { name: 'claude', transport: 'http', other: 'websocket' },
  { name: 'opencode', transport: 'stdio', other: 'http' },
  { name: 'claude-code', transport: 'websocket', other: 'stdio' },
];

/** Real agents behind Reeve, driven by the SDK's own client; e2e/real-agents.direct.test.ts has them without Reeve. */
describe.each(CASES)('the real agent $name through Reeve over $transport', ({ name, transport, other }) => {
  let lab: RealAgentLab;
  let client: SdkClient;
  let sessionId: string;

  beforeAll(async () => {
    lab = await openRealAgentLab(name);
    client = await lab.connect(transport, { capabilities: WITH_SEQ });
    ({ sessionId } = await client.agent.request('session/new', { cwd: lab.cwd, mcpServers: [] }));
  });
  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await lab?.[Symbol.asyncDispose]();
  });

  it('streams a text turn', async () => {
    lab.model.script(sayText('greet me', 'Hello from the scripted model.'));
    const { stopReason } = await ask(client, sessionId, 'Please greet me');
    expect(stopReason).toBe('end_turn');
    expect(agentText(client.updates, sessionId)).toContain('Hello from the scripted model.');
    expect(client.updates.length).toBeGreaterThan(2);
  });

  it('edits a file when another client than the prompter allows it', async () => {
    const path = join(lab.cwd, 'allowed.txt');
    lab.model.script(writeFileThenSay('write the file', { path, content: 'one\ntwo\n' }, 'It is written.'));
    await using colleague = await lab.connect(other, { onPermission: (request) => choose(request, 'allow_once') });
    await colleague.agent.request('session/load', { sessionId, cwd: lab.cwd, mcpServers: [] });
    const { stopReason } = await ask(client, sessionId, 'Please write the file');
    expect(stopReason).toBe('end_turn');
    expect(await readFile(path, 'utf8')).toContain('one\ntwo');
    expect(client.asked.length).toBeGreaterThan(0);
    expect(colleague.asked.length).toBe(client.asked.length);
    await until(() => agentText(colleague.updates, sessionId).includes('It is written.'));
  });

  it('does not run a command that is refused', async () => {
    const path = join(lab.cwd, 'refused.txt');
    lab.model.script(runCommandThenSay('run the command', `echo refused > ${path}`, 'It did not run.'));
    const before = client.asked.length;
    client.onPermission((request) => choose(request, 'reject_once'));
    await ask(client, sessionId, 'Please run the command');
    expect(client.asked.length).toBe(before + 1);
    await expect(readFile(path)).rejects.toThrow('ENOENT');
  });

  it('stops a turn that is cancelled half-way', async () => {
    lab.model.script(saySlowly('talk slowly', 'word '.repeat(400)));
    client.onUpdate((update) => {
      if (agentText([update]).includes('word')) void client.agent.notify('session/cancel', { sessionId });
    });
    const { stopReason } = await ask(client, sessionId, 'Please talk slowly');
    client.onUpdate(() => {});
    expect(stopReason).toBe('cancelled');
  });

  it('goes on without its client, who comes back and has missed nothing', async () => {
    lab.model.script(saySlowly('count for me', Array.from({ length: 40 }, (_, index) => `n${index} `).join('')));
    const before = client.updates.length;
    const left = Promise.withResolvers<void>();
    client.onUpdate(() => {
      if (agentText(client.updates.slice(before), sessionId).includes('n3 ')) left.resolve();
    });
    const lost = ask(client, sessionId, 'Please count for me').catch(() => undefined);
    await left.promise;
    await client.drop();
    await lost;
    const seen = client.updates.map(seqOf);
    const cursor = Math.max(...seen);

    client = await lab.connect(transport, { capabilities: WITH_SEQ });
    await client.agent.request('session/load', { sessionId, cwd: lab.cwd, mcpServers: [], ...after(cursor) });
    await until(() => agentText(client.updates, sessionId).includes('n39'));
    const log = await readLog(lab.reeve, sessionId);
    await until(() => client.updates.map(seqOf).at(-1) === updatesIn(log).at(-1)?.seq);
    const missed = client.updates.map(seqOf);
    expect(missed).toEqual(updatesIn(log).flatMap(({ seq }) => (seq > cursor ? [seq] : [])));
    expect(new Set([...seen, ...missed]).size).toBe(seen.length + missed.length);
    // A client is not told what it said itself.
    const spoken = updatesIn(log).filter(({ message }) => kindOf(message) === 'user_message_chunk');
    expect([...seen, ...missed]).toEqual(
      updatesIn(log)
        .filter((event) => !spoken.includes(event))
        .map(({ seq }) => seq),
    );
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
  });

  it('goes on after the server was killed, and remembers what was said', async () => {
    const before = updatesIn(await readLog(lab.reeve, sessionId));
    await client.drop();
    await lab.killAndRestart();
    client = await lab.connect(transport, { capabilities: WITH_SEQ });
    const { sessions } = await client.agent.request('session/list', { cwd: lab.cwd });
    expect(sessions.map((session) => session.sessionId)).toContain(sessionId);
    const loaded = await client.agent.request('session/load', { sessionId, cwd: lab.cwd, mcpServers: [] });
    expect(loaded._meta).toMatchObject({ 'sandboxagent.dev': { restored: 'resume' } });
    expect(client.updates.slice(0, before.length).map(seqOf)).toEqual(before.map(({ seq }) => seq));

    lab.model.script(sayText('what we said', 'We spoke of greetings.'));
    const { stopReason } = await ask(client, sessionId, 'Tell me what we said');
    expect(stopReason).toBe('end_turn');
    expect(agentText(client.updates, sessionId)).toContain('We spoke of greetings.');
    expect(told(lab, 'Tell me what we said')).toContain('Please greet me');
  });
});

describe.each<RealAgentName>(['codex', 'claude'])('the real agent %s, when it offers no resume', (name) => {
  it('is restored by load after the server was killed, and remembers what was said', async () => {
    await using lab = await openRealAgentLab(name, { hideResume: true });
    const client = await lab.connect('websocket');
    const { sessionId } = await client.agent.request('session/new', { cwd: lab.cwd, mcpServers: [] });
    lab.model.script(sayText('greet me', 'Hello again.'));
    await ask(client, sessionId, 'Please greet me');
    await lab.killAndRestart();
    await using later = await lab.connect('websocket');
    const loaded = await later.agent.request('session/load', { sessionId, cwd: lab.cwd, mcpServers: [] });
    expect(loaded._meta).toMatchObject({ 'sandboxagent.dev': { restored: 'load' } });
    expect(agentText(later.updates, sessionId)).toContain('Hello again.');
    await ask(later, sessionId, 'Tell me what we said');
    expect(told(lab, 'Tell me what we said')).toContain('Please greet me');
    expect(agentText(later.updates, sessionId)).not.toMatch(/Hello again.*Hello again/s);
  });
});

describe('claude-code, whose -32602 names no mend', () => {
  let lab: RealAgentLab;

  beforeAll(async () => {
    lab = await openRealAgentLab('claude-code');
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  it.each(CLIENT_TRANSPORTS)('is refused without mcpServers over %s, and told the mend', async (transport) => {
    await using client = await lab.connect(transport);
    const refused: unknown = await client.agent
      .request<unknown>('session/new', { cwd: lab.cwd } as object)
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: -32602,
      data: { issues: [{ path: 'mcpServers', received: 'missing', fix: expect.stringContaining('[]') }] },
    });
    const { sessionId } = await client.agent.request('session/new', { cwd: lab.cwd, mcpServers: [] });
    expect(sessionId).not.toBe('');
  });

  it("passes the agent's own -32602 on with its data", async () => {
    await using client = await lab.connect('websocket');
    const { sessionId } = await client.agent.request('session/new', { cwd: lab.cwd, mcpServers: [] });
    const refused: unknown = await client.agent
      .request<unknown>('session/set_mode', { sessionId } as object)
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: -32602, data: { modeId: { _errors: [expect.any(String)] } } });
  });
});

const WITH_SEQ = { _meta: { 'sandboxagent.dev': { seq: true } } };

function after(seq: number): { _meta: Record<string, unknown> } {
  return { _meta: { 'sandboxagent.dev': { after: seq } } };
}

function ask(client: SdkClient, sessionId: string, text: string): Promise<{ stopReason: string }> {
  return client.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
}

function seqOf({ _meta }: SessionNotification): number {
  const ours = _meta?.['sandboxagent.dev'] as { seq?: number } | undefined;
  return ours?.seq ?? 0;
}

/** What the client is notified of by `session/update`; agents have notifications of their own beside it. */
function updatesIn(log: readonly LoggedEvent[]): LoggedEvent[] {
  return log.filter(
    ({ kind, message }) => kind === 'update' && (message as { method?: unknown }).method === 'session/update',
  );
}

function kindOf(message: unknown): unknown {
  return (message as { params?: { update?: { sessionUpdate?: unknown } } }).params?.update?.sessionUpdate;
}

/** Everything that the model was told in the turn of that prompt. */
function told({ model }: RealAgentLab, prompt: string): string {
  const request = model.requests.findLast(({ userText, isSide }) => userText.includes(prompt) && !isSide);
  return (request?.conversation ?? []).map(({ text }) => text).join('\n');
}

async function until(holds: () => boolean, timeoutMs = 60_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
