import { META_KEY } from '@reeve/protocol';
import type { JsonRpcPeer } from '@reeve/testkit';
import { describe, expect, it } from 'vitest';
import { type SessionRig, startRig } from './session.rig.ts';
import { load, newSession, prompt } from './session-calls.rig.ts';

/** An agent that announces `session/resume` and does `how` when that comes. Its new sessions are numbered by process, and it says what it is prompted. */
function poorAtResume(how: string): { readonly command: string; readonly args: readonly string[] } {
  const code = `process.stdin.on('data', (d) => { for (const line of String(d).trim().split('\\n')) { const m = JSON.parse(line);
    const tell = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
    if (m.method === 'session/resume') { ${how} }
    if (m.method === 'session/prompt') {
      const content = { type: 'text', text: process.pid + ' ' + JSON.stringify(m.params.prompt) };
      tell({ method: 'session/update', params: { sessionId: m.params.sessionId, update: { sessionUpdate: 'agent_message_chunk', content } } });
      tell({ id: m.id, result: { stopReason: 'end_turn' } });
      return;
    }
    if (m.id === undefined) return;
    const agentCapabilities = { sessionCapabilities: { resume: {} } };
    tell({ id: m.id, result: m.method === 'initialize' ? { protocolVersion: 1, agentCapabilities } : { sessionId: 'of-' + process.pid } });
  } })`;
  return { command: process.execPath, args: ['-e', code] };
}

const ours = (result: object): object => (result as { _meta: Record<string, object> })._meta[META_KEY] ?? {};

async function notesOf(peer: JsonRpcPeer, sessionId: string): Promise<object[]> {
  const page = await peer.request<{ events: { kind: string; message: object }[] }>('_sandboxagent/session/events', {
    sessionId,
    limit: 1000,
  });
  return page.events.filter(({ kind }) => kind === 'note').map(({ message }) => message);
}

async function closed(rig: SessionRig, text?: string): Promise<{ peer: JsonRpcPeer; sessionId: string }> {
  const peer = await rig.connect();
  const sessionId = await newSession(rig, peer);
  if (text !== undefined) await prompt(peer, sessionId, text);
  await peer.request('session/close', { sessionId });
  return { peer, sessionId };
}

describe('a session that is restored', () => {
  it.each([
    ['is silent', 300, 'return;', /session\/resume .* 300 ms \(timeouts.restoreMs\)/],
    ['dies', 60_000, 'process.exit(3);', /exit/],
  ])('goes the next way in another process when the agent %s at the first', async (_what, restoreMs, how, why) => {
    const commands = { poor: poorAtResume(how) };
    await using rig = await startRig({ agents: {}, commands, limits: { restoreMs } });
    const { peer, sessionId } = await closed(rig, 'the word is heron');
    expect(ours(await load(rig, peer, sessionId))).toMatchObject({ restored: 'transcript' });
    const restored = (await notesOf(peer, sessionId)).find((note) => 'failures' in note);
    expect(restored).toMatchObject({
      by: 'transcript',
      failures: [{ rung: 'resume', error: expect.stringMatching(why) }],
    });
    await prompt(peer, sessionId, 'which word?');
    const said = peer.agentTexts(sessionId).at(-1) ?? '';
    expect(said).toContain('heron');
    expect(said).toContain('which word?');
    expect(rig.unforeseen).toEqual([]);
  });

  it('asks no agent to resume what nobody has begun', async () => {
    const commands = { poor: poorAtResume('return;') };
    await using rig = await startRig({ agents: {}, commands, limits: { restoreMs: 60_000 } });
    const { peer, sessionId } = await closed(rig);
    expect(ours(await load(rig, peer, sessionId))).toMatchObject({ restored: 'transcript' });
    expect((await notesOf(peer, sessionId)).find((note) => 'failures' in note)).toMatchObject({ failures: [] });
    await prompt(peer, sessionId, 'first words');
    expect(peer.agentTexts(sessionId).at(-1)).toMatch(/\[{"type":"text","text":"first words"}\]$/);
  });
});
