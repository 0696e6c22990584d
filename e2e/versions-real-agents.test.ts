import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommandThenSay, saySlowly, sayText, writeFileThenSay } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callControl, readLog } from './control-calls.ts';
import { openRealAgentLab, type RealAgentLab } from './real-agent-lab.ts';
import { connectSdkClientV2, messagesOf, type SdkClientV2, statesOf } from './sdk-client-v2.ts';

const PATIENT = { timeout: 60_000, interval: 20 };

/** Claude speaks both versions; opencode speaks v1. */
describe.each(['websocket', 'http'] as const)('the real agent claude in ACP v2 over %s', (transport) => {
  let lab: RealAgentLab;
  let client: SdkClientV2;
  let sessionId: string;

  beforeAll(async () => {
    lab = await openRealAgentLab('claude');
    client = await connectSdkClientV2(lab.reeve, {
      transport,
      onPermission: ({ options }) => {
        const option = options.find(({ kind }) => kind === 'allow_once');
        return { outcome: { outcome: 'selected', optionId: option?.optionId ?? 'none' } };
      },
    });
    ({ sessionId } = await client.agent.request('session/new', { cwd: lab.cwd }));
  });
  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await lab?.[Symbol.asyncDispose]();
  });

  async function send(text: string): Promise<string> {
    const { messageId } = await client.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
    return messageId;
  }

  it('streams a text turn', async () => {
    expect(client.initialized).toMatchObject({ protocolVersion: 2, info: { name: expect.stringContaining('claude') } });
    lab.model.script(sayText('greet me', 'Hello from the scripted model.'));
    const messageId = await send('Please greet me');
    await expect.poll(() => statesOf(client.updates).at(-1), PATIENT).toBe('idle end_turn');
    expect(messagesOf(client.updates)).toContain('Hello from the scripted model.');
    expect(client.updates).toContainEqual(expect.objectContaining({ messageId }));
  });

  it('does what it was allowed to', async () => {
    const path = join(lab.cwd, 'allowed.txt');
    lab.model.script(writeFileThenSay('write the file', { path, content: 'one\n' }, 'It is written.'));
    await send('Please write the file');
    await expect.poll(() => messagesOf(client.updates), PATIENT).toContain('It is written.');
    await expect.poll(() => statesOf(client.updates).at(-1), PATIENT).toBe('idle end_turn');
    expect(await readFile(path, 'utf8')).toContain('one');
    expect(client.asked.at(-1)).toMatchObject({ title: expect.any(String), subject: { type: expect.any(String) } });
  });

  it('stops when it is cancelled', async () => {
    lab.model.script(saySlowly('talk slowly', 'word '.repeat(400)));
    await send('Please talk slowly');
    await expect.poll(() => messagesOf(client.updates), PATIENT).toContain('word');
    await client.agent.notify('session/cancel', { sessionId });
    await expect.poll(() => statesOf(client.updates).at(-1), PATIENT).toBe('idle cancelled');
  });

  it('is driven over HTTP too, to the end of its work', async () => {
    const path = join(lab.cwd, 'by-http.txt');
    lab.model.script(runCommandThenSay('run the command', `echo yes > ${path}`, 'It ran.'));
    const turn = await callControl(lab.reeve, `/sessions/${encodeURIComponent(sessionId)}/prompt`, {
      method: 'POST',
      body: JSON.stringify({ prompt: 'Please run the command' }),
    });
    expect(turn).toMatchObject({ stopReason: 'end_turn', text: expect.stringContaining('It ran.') });
    expect(await readFile(path, 'utf8')).toBe('yes\n');
  });

  it('goes on after the server was killed, with the history from the log, and remembers what was said', async () => {
    const said = messagesOf(client.updates);
    await client[Symbol.asyncDispose]();
    await lab.killAndRestart();
    client = await connectSdkClientV2(lab.reeve, { transport });
    const resumed = await client.agent.request('session/resume', {
      sessionId,
      cwd: lab.cwd,
      replayFrom: { type: 'start' },
    });
    expect(resumed._meta).toMatchObject({ 'sandboxagent.dev': { restored: 'resume', state: 'idle' } });
    expect(messagesOf(client.updates)).toBe(said);
    await expect.poll(() => statesOf(client.updates)).toEqual([expect.stringMatching(/^idle/)]);
    lab.model.script(sayText('what we said', 'We spoke of greetings.'));
    await send('Tell me what we said');
    await expect.poll(() => messagesOf(client.updates), PATIENT).toContain('We spoke of greetings.');
    const request = lab.model.requests.findLast((it) => it.userText.includes('what we said') && !it.isSide);
    expect(JSON.stringify(request?.conversation)).toContain('Please greet me');
    const log = await readLog(lab.reeve, sessionId);
    expect(log.filter(({ message }) => (message as { type?: unknown }).type === 'agent_started')).toMatchObject([
      { message: { protocolVersion: 2 } },
      { message: { protocolVersion: 2 } },
    ]);
  });
});

it('the real agent opencode speaks v1: a client of v2 is refused with the error of the protocol', async () => {
  await using lab = await openRealAgentLab('opencode');
  await expect(connectSdkClientV2(lab.reeve, { transport: 'websocket' })).rejects.toMatchObject({
    code: -32022,
    data: { requested: 2, supported: [1] },
  });
});
