import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, type SessionRig, startRig } from './session.rig.ts';
import { load, newSession, prompt, resume } from './session-calls.rig.ts';
import { readSessionPage } from './session-page.ts';

const ENDED = '_sandboxagent/session/ended';

/** Opens a session once, and never takes it back. */
const DEAF_AT_RESTORE = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    const agentCapabilities = { loadSession: true };
    if (method === 'session/load') return;
    const result = method === 'initialize' ? { protocolVersion: 1, agentCapabilities } : { sessionId: 'once' };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });`;

async function notes(rig: SessionRig, sessionId: string): Promise<readonly Record<string, unknown>[]> {
  const peer = await rig.connect();
  const { events } = await peer.request<{ events: { kind: string; message: Record<string, unknown> }[] }>(
    '_sandboxagent/session/events',
    { sessionId, limit: 1000 },
  );
  return events.filter(({ kind }) => kind === 'note').map(({ message }) => message);
}

describe('the end of a session', () => {
  let rig: SessionRig;

  beforeAll(async () => {
    rig = await startRig({
      agents: { full: ['--resume', '--ignore-eof', '--ignore-sigterm'] },
      launch: { stopGraceMs: 5000, stopKillMs: 5000 },
    });
  });
  afterAll(async () => {
    expect(rig.unforeseen).toEqual([]);
    expect(rig.warnings).toEqual([]);
    for (const { sessions } of [await readSessionPage(rig.store.sessions, {})]) {
      for (const { sessionId } of sessions) await rig.directory.terminate(sessionId, 'test');
    }
    await rig[Symbol.asyncDispose]();
  });

  it('can be now: terminate cancels the turn, kills the tree without grace, and tells everybody; again is no error', async () => {
    const peer = await rig.connect({ name: 'killer' });
    const colleague = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await load(rig, colleague, sessionId);
    const turn = prompt(peer, sessionId, [{ refuseCancel: true }, { say: 'busy' }, { sleep: 60_000 }]);
    const waiting = prompt(peer, sessionId, 'later');
    await eventually(() => peer.agentTexts()).toEqual(['busy']);
    const begun = performance.now();
    expect(await peer.request('_sandboxagent/session/terminate', { sessionId })).toEqual({});
    expect(performance.now() - begun).toBeLessThan(4000);
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    expect(await waiting).toMatchObject({ stopReason: 'cancelled' });
    const told = { sessionId, reason: 'terminated', terminatedBy: 'killer 1' };
    for (const client of [peer, colleague]) await eventually(() => client.notifications(ENDED)).toEqual([told]);
    expect(await peer.request('_sandboxagent/session/terminate', { sessionId })).toEqual({});

    const { sessions } = await peer.request<{ sessions: { sessionId: string }[] }>('session/list', {});
    expect(sessions.map((session) => session.sessionId)).toContain(sessionId);
    expect(await load(rig, colleague, sessionId)).toMatchObject({
      _meta: { 'sandboxagent.dev': { restored: 'transcript' } },
    });
    expect(await notes(rig, sessionId)).toContainEqual({ type: 'session_ended', reason: 'terminated', by: 'killer 1' });
  });

  it('does not wait for an agent that is taking the session back', async () => {
    const commands = { deaf: { command: process.execPath, args: ['-e', DEAF_AT_RESTORE] } };
    await using own = await startRig({ agents: {}, commands, limits: { sessionNewMs: 60_000 } });
    const peer = await own.connect();
    const sessionId = await newSession(own, peer);
    await peer.request('session/close', { sessionId });
    const loading = expect(load(own, peer, sessionId)).rejects.toMatchObject({ code: 47004 });
    await eventually(() => own.directory.liveCount).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const begun = performance.now();
    expect(await peer.request('_sandboxagent/session/terminate', { sessionId })).toEqual({});
    await loading;
    expect(performance.now() - begun).toBeLessThan(20_000);
    expect(own.unforeseen).toEqual([]);
  });

  it('is no affair of an observer, who may leave', async () => {
    const peer = await rig.connect();
    const observer = await rig.connect();
    const sessionId = await newSession(rig, peer, { requestedSessionId: 'watched' });
    await load(rig, observer, sessionId, { role: 'observer' });
    for (const method of ['_sandboxagent/session/terminate', 'session/close', 'session/delete']) {
      for (const name of [sessionId, 'watched']) {
        await expect(observer.request(method, { sessionId: name })).rejects.toMatchObject({ code: 47005 });
      }
    }
    expect(await prompt(peer, sessionId, [{ say: 'still here' }])).toMatchObject({ stopReason: 'end_turn' });
    expect(await observer.request('_sandboxagent/session/detach', { sessionId })).toEqual({});
    await peer.request('session/delete', { sessionId });
  });

  it('by terminate is refused for a session that there is not', async () => {
    const peer = await rig.connect();
    for (const sessionId of ['no-such-session', undefined, 7]) {
      await expect(peer.request('_sandboxagent/session/terminate', { sessionId })).rejects.toMatchObject({
        code: -32002,
      });
    }
  });
});

describe('a session that ends under its clients', () => {
  it.each([
    ['session/close', 'closed'],
    ['session/delete', 'deleted'],
  ])('by %s tells every attached client; doing it again is no error', async (method, reason) => {
    await using rig = await startRig();
    const peer = await rig.connect({ name: 'one' });
    const colleague = await rig.connect({ name: 'two' });
    const sessionId = await newSession(rig, peer);
    await load(rig, colleague, sessionId, { role: 'observer' });
    expect(await peer.request(method, { sessionId })).toEqual({});
    await eventually(() => colleague.notifications(ENDED)).toEqual([
      { sessionId, reason, terminatedBy: 'one 1', exitCode: 0 },
    ]);
    expect(await peer.request(method, { sessionId })).toEqual({});
    expect(colleague.notifications(ENDED)).toHaveLength(1);
    expect(rig.warnings).toEqual([]);
  });

  it('by the end of the server tells them too', async () => {
    await using rig = await startRig();
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await rig.directory.shutdown();
    await eventually(() => peer.notifications(ENDED)).toMatchObject([
      { sessionId, reason: 'shutdown', terminatedBy: 'reeve' },
    ]);
  });

  it('is unknown to close, and unknown to delete without error', async () => {
    await using rig = await startRig();
    const peer = await rig.connect();
    await expect(peer.request('session/close', { sessionId: 'nope' })).rejects.toMatchObject({ code: -32002 });
    expect(await peer.request('session/delete', { sessionId: 'nope' })).toEqual({});
  });

  it('is left twice without error, and not left where there is none', async () => {
    await using rig = await startRig();
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    for (let time = 0; time < 2; time++) {
      expect(await peer.request('_sandboxagent/session/detach', { sessionId })).toEqual({});
    }
    await expect(peer.request('_sandboxagent/session/detach', { sessionId: 'nope' })).rejects.toMatchObject({
      code: -32002,
    });
    await expect(peer.request('session/prompt', { prompt: [] })).rejects.toMatchObject({ code: -32002 });
  });
});

describe('a turn that is cancelled', () => {
  it('is answered after timeouts.cancelMs though the agent goes on; what that still says is relayed', async () => {
    await using rig = await startRig({ agents: { full: ['--resume'] }, limits: { cancelMs: 100 } });
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const turn = prompt(peer, sessionId, [{ refuseCancel: true }, { say: 'busy' }, { sleep: 1500 }, { say: 'late' }]);
    await eventually(() => peer.agentTexts()).toEqual(['busy']);
    peer.notify('session/cancel', { sessionId });
    expect(await turn).toEqual({ stopReason: 'cancelled', _meta: { 'sandboxagent.dev': { overdue: true } } });
    expect(peer.agentTexts()).toEqual(['busy']);
    await eventually(() => peer.agentTexts()).toEqual(['busy', 'late']);
    // The agent has ended its turn by then: it keeps its process.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await prompt(peer, sessionId, 'next')).toMatchObject({ stopReason: 'end_turn' });
    expect((await notes(rig, sessionId)).filter(({ type }) => type === 'agent_started')).toHaveLength(1);
    expect(rig.unforeseen).toEqual([]);
  });

  it('and that the agent never ends costs the agent its process when the next prompt comes', async () => {
    await using rig = await startRig({ agents: { full: ['--resume'] }, limits: { cancelMs: 50 } });
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const turn = prompt(peer, sessionId, [{ refuseCancel: true }, { say: 'busy' }, { sleep: 60_000 }]);
    await eventually(() => peer.agentTexts()).toEqual(['busy']);
    peer.notify('session/cancel', { sessionId });
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    expect(await prompt(peer, sessionId, [{ say: 'again' }])).toMatchObject({ stopReason: 'end_turn' });
    expect(peer.agentTexts()).toEqual(['busy', 'again']);
    expect((await notes(rig, sessionId)).map(({ type }) => type)).toEqual([
      'agent_started',
      'agent_replaced',
      'agent_restored',
      'agent_started',
    ]);
    expect(rig.unforeseen).toEqual([]);
  });

  it('waits for the agent as long as it takes when timeouts.cancelMs is 0', async () => {
    await using rig = await startRig({ limits: { cancelMs: 0 } });
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const turn = prompt(peer, sessionId, [{ refuseCancel: true }, { say: 'busy' }, { sleep: 300 }, { say: 'done' }]);
    await eventually(() => peer.agentTexts()).toEqual(['busy']);
    peer.notify('session/cancel', { sessionId });
    expect(await turn).toEqual({ stopReason: 'end_turn' });
    expect(peer.agentTexts()).toEqual(['busy', 'done']);
  });

  it('by one who joined it ends for that one only, while another waits for it', async () => {
    await using rig = await startRig();
    const first = await rig.connect();
    const second = await rig.connect();
    const sessionId = await newSession(rig, first);
    await load(rig, second, sessionId);
    const steps = [{ say: 'busy' }, { untilCancel: { say: 'cancelled' } }] as const;
    const turn = prompt(first, sessionId, steps, { idempotencyKey: 'k' });
    await eventually(() => first.agentTexts()).toEqual(['busy']);
    const joined = prompt(second, sessionId, steps, { idempotencyKey: 'k' });
    const refused = expect(joined).rejects.toMatchObject({ code: -32800 });
    const requestId = second.log.findLast(({ message }) => message?.method === 'session/prompt')?.message?.id;
    await second.request('_sandboxagent/session/events', { sessionId });
    second.notify('$/cancel_request', { requestId });
    await refused;
    expect(first.agentTexts()).toEqual(['busy']);
    first.notify('session/cancel', { sessionId });
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
  });

  it('by one who joined it ends, when the one who began it has gone', async () => {
    await using rig = await startRig();
    const first = await rig.connect();
    const second = await rig.connect();
    const sessionId = await newSession(rig, first);
    const steps = [{ say: 'busy' }, { untilCancel: true }] as const;
    prompt(first, sessionId, steps, { idempotencyKey: 'k' }).catch(() => {});
    await eventually(() => first.agentTexts()).toEqual(['busy']);
    first.close();
    await resume(rig, second, sessionId);
    await eventually(() => rig.directory.live(sessionId as never)?.attachedCount).toBe(1);
    const joined = prompt(second, sessionId, steps, { idempotencyKey: 'k' });
    const requestId = second.log.findLast(({ message }) => message?.method === 'session/prompt')?.message?.id;
    await second.request('_sandboxagent/session/events', { sessionId });
    second.notify('$/cancel_request', { requestId });
    expect(await joined).toMatchObject({ stopReason: 'cancelled' });
  });
});
