import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommandThenSay, writeFileThenSay } from '@reeve/testkit';
import { describe, expect, it } from 'vitest';
import { type LoggedEvent, readLog } from './control-calls.ts';
import { openRealAgentLab, type RealAgentLab } from './real-agent-lab.ts';
import { choose, type SdkClient } from './sdk-client.ts';

interface Message {
  readonly id: unknown;
  readonly method?: string;
  readonly result?: unknown;
}

/** Which client methods the agent called, and who answered with a result. */
function served(events: readonly LoggedEvent[]): (readonly [string, string | undefined])[] {
  const messages = events.map(({ source, kind, message }) => ({ source, kind, message: message as Message }));
  return messages.flatMap(({ source, kind, message: { id, method = '' } }) => {
    if (source !== 'agent' || kind !== 'request' || !/^(fs|terminal)\//.test(method)) return [];
    const answer = messages.find(
      ({ kind, message }) => kind === 'response' && message.id === id && 'result' in message,
    );
    return [[method, answer?.source] as const];
  });
}

async function newSession(lab: RealAgentLab, client: SdkClient): Promise<string> {
  client.onPermission((request) => choose(request, 'allow_once'));
  return (await client.agent.request('session/new', { cwd: lab.cwd, mcpServers: [] })).sessionId;
}

function ask(client: SdkClient, sessionId: string, text: string): Promise<{ stopReason: string }> {
  return client.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
}

/** Real agents whose client serves no files and terminals. */
describe('an agent that asks for files and terminals', () => {
  it('though nobody offered them, opencode, has its file written', async () => {
    await using lab = await openRealAgentLab('opencode');
    await using client = await lab.connect('websocket', { capabilities: {} });
    const sessionId = await newSession(lab, client);
    const path = join(lab.cwd, 'by-opencode.txt');
    lab.model.script(writeFileThenSay('write the file', { path, content: 'one\ntwo\n' }, 'It is written.'));
    expect(await ask(client, sessionId, 'Please write the file')).toMatchObject({ stopReason: 'end_turn' });
    expect(await readFile(path, 'utf8')).toBe('one\ntwo\n');
    // The agent does not wait for what it is answered.
    await expect
      .poll(async () => served(await readLog(lab.reeve, sessionId)))
      .toEqual([['fs/write_text_file', 'reeve']]);
  });

  it('because Reeve offers them, claude-code, writes and runs commands by them', async () => {
    await using lab = await openRealAgentLab('claude-code', { settings: { agentServices: 'offer' } });
    await using client = await lab.connect('websocket', { capabilities: {} });
    const sessionId = await newSession(lab, client);
    const path = join(lab.cwd, 'by-claude.txt');
    lab.model.script(
      writeFileThenSay('write the file', { path, content: 'one\ntwo\n' }, 'It is written.'),
      runCommandThenSay('run the command', `echo ran > ${join(lab.cwd, 'ran.txt')}`, 'It ran.'),
    );
    expect(await ask(client, sessionId, 'Please write the file')).toMatchObject({ stopReason: 'end_turn' });
    expect(await readFile(path, 'utf8')).toBe('one\ntwo\n');
    expect(await ask(client, sessionId, 'Please run the command')).toMatchObject({ stopReason: 'end_turn' });
    expect(await readFile(join(lab.cwd, 'ran.txt'), 'utf8')).toBe('ran\n');
    expect(served(await readLog(lab.reeve, sessionId))).toEqual([
      ['fs/write_text_file', 'reeve'],
      ['terminal/create', 'reeve'],
      ['terminal/wait_for_exit', 'reeve'],
      ['terminal/output', 'reeve'],
      ['terminal/release', 'reeve'],
    ]);
  });
});
