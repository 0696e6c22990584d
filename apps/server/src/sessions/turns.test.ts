import { tmpdir } from 'node:os';
import type { JsonObject } from '@reeve/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMemoryStore } from '../store/memory/memory-store.ts';
import { eventually, type SessionRig, startRig } from './session.rig.ts';
import { answerIndex, load, newSession, prompt, rawOf, resume, userTexts } from './session-calls.rig.ts';

const ours = (result: JsonObject): unknown => (result._meta as JsonObject | undefined)?.['sandboxagent.dev'];

describe('a turn', () => {
  let rig: SessionRig;

  beforeAll(async () => {
    rig = await startRig({ agents: { full: ['--resume'] }, limits: { maxQueuedPrompts: 2 } });
  });
  afterAll(async () => {
    expect(rig.unforeseen).toEqual([]);
    expect(rig.warnings).toEqual([]);
    await rig[Symbol.asyncDispose]();
  });

  it('waits for those before it, and says behind how many', async () => {
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const order: number[] = [];
    const turns = [0, 1, 2].map((n) =>
      prompt(peer, sessionId, [{ sleep: 200 }, { say: `turn ${n}` }]).then((result) => {
        order.push(n);
        return result;
      }),
    );
    const results = await Promise.all(turns);
    expect(order).toEqual([0, 1, 2]);
    expect(peer.agentTexts()).toEqual(['turn 0', 'turn 1', 'turn 2']);
    expect(results.map(ours)).toEqual([undefined, { queuedBehind: 1 }, { queuedBehind: 2 }]);
  });

  it('is refused at once when the client does not want to wait, or too many wait', async () => {
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const running = prompt(peer, sessionId, [{ untilCancel: true }]);
    await expect(prompt(peer, sessionId, 'x', { whenBusy: 'refuse' })).rejects.toMatchObject({ code: 47006 });
    await expect(prompt(peer, sessionId, 'x', { whenBusy: 'perhaps' })).rejects.toMatchObject({ code: -32602 });
    const waiting = [prompt(peer, sessionId, 'a'), prompt(peer, sessionId, 'b')];
    await expect(prompt(peer, sessionId, 'c')).rejects.toMatchObject({
      code: 47007,
      message: expect.stringContaining('limits.maxQueuedPrompts'),
    });
    peer.notify('session/cancel', { sessionId });
    for (const turn of [running, ...waiting]) expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    expect(peer.agentTexts()).toEqual([]);
    expect(await prompt(peer, sessionId, 'd', { whenBusy: 'refuse' })).toMatchObject({ stopReason: 'end_turn' });
  });

  it('is cancelled by $/cancel_request with the id that the client gave it, alone', async () => {
    const peer = await rig.connect({ idPrefix: 'mine-' });
    const sessionId = await newSession(rig, peer);
    const [first, second] = [new AbortController(), new AbortController()];
    const text = (say: string) => [{ type: 'text', text: say }];
    const running = peer.request(
      'session/prompt',
      { sessionId, prompt: text('{"do":[{"untilCancel":true}]}') },
      { signal: first.signal },
    );
    const queued = peer.request('session/prompt', { sessionId, prompt: text('x') }, { signal: second.signal });
    const last = prompt(peer, sessionId, 'last');
    second.abort();
    expect(await queued).toMatchObject({ stopReason: 'cancelled' });
    first.abort();
    expect(await running).toMatchObject({ stopReason: 'cancelled' });
    expect(await last).toMatchObject({ stopReason: 'end_turn' });
    expect(peer.agentTexts()).toEqual(['last']);
  });

  it('runs once per idempotency key: those who ask meanwhile and later get the first result', async () => {
    const peer = await rig.connect();
    const other = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await load(rig, other, sessionId);
    const steps = [{ sleep: 50 }, { say: 'once' }, { stop: 'max_tokens' }];
    const results = await Promise.all([
      prompt(peer, sessionId, steps, { idempotencyKey: 'k' }),
      prompt(peer, sessionId, steps, { idempotencyKey: 'k' }),
      prompt(other, sessionId, steps, { idempotencyKey: 'k' }),
    ]);
    for (const result of results) expect(result.stopReason).toBe('max_tokens');
    expect(await prompt(other, sessionId, steps, { idempotencyKey: 'k' })).toEqual(results[0]);
    expect(peer.agentTexts()).toEqual(['once']);
    await expect(prompt(peer, sessionId, 'x', { idempotencyKey: 5 })).rejects.toMatchObject({ code: -32602 });
  });

  it('is found again by its key though turns behind it ended first', async () => {
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const stop = new AbortController();
    const running = prompt(peer, sessionId, [{ sleep: 500 }, { stop: 'refusal' }], { idempotencyKey: 'first' });
    const params = { sessionId, prompt: [{ type: 'text', text: 'x' }] };
    const queued = peer.request('session/prompt', params, { signal: stop.signal });
    stop.abort();
    expect(await queued).toMatchObject({ stopReason: 'cancelled' });
    await running;
    expect(await prompt(peer, sessionId, 'x', { idempotencyKey: 'first' })).toMatchObject({ stopReason: 'refusal' });
  });

  it('with a key keeps its place before one without, and can be cancelled at once', async () => {
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await Promise.all([prompt(peer, sessionId, 'keyed', { idempotencyKey: 'o' }), prompt(peer, sessionId, 'plain')]);
    expect(peer.agentTexts()).toEqual(['keyed', 'plain']);
    const cancelled = prompt(peer, sessionId, [{ untilCancel: true }], { idempotencyKey: 'p' });
    peer.notify('session/cancel', { sessionId });
    expect(await cancelled).toMatchObject({ stopReason: 'cancelled' });
  });

  it('outlives its client; who comes back has missed nothing, and gets the result by the key', async () => {
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    prompt(peer, sessionId, [{ say: 'before' }, { sleep: 1500 }, { say: 'after' }], { idempotencyKey: 'z' }).catch(
      () => {},
    );
    await peer.waitFor(({ params }) => JSON.stringify(params ?? null).includes('before'));
    peer.close();
    const back = await rig.connect();
    await resume(rig, back, sessionId);
    expect(await prompt(back, sessionId, 'never said', { idempotencyKey: 'z' })).toMatchObject({
      stopReason: 'end_turn',
    });
    expect(back.agentTexts()).toEqual(['after']);
    const late = await rig.connect();
    await load(rig, late, sessionId);
    expect(late.agentTexts()).toEqual(['before', 'after']);
  });

  it('ends after all its updates for everybody who is attached', async () => {
    const peer = await rig.connect();
    const watcher = await rig.connect({ wishes: { turnEnded: true } });
    const sessionId = await newSession(rig, peer);
    await load(rig, watcher, sessionId, { role: 'observer' });
    await prompt(peer, sessionId, [{ flood: { count: 2000, bytes: 64 } }]);
    const end = await watcher.waitFor(({ method }) => method === '_sandboxagent/session/turn_ended');
    expect(end.params).toMatchObject({ sessionId, stopReason: 'end_turn' });
    for (const client of [peer, watcher]) expect(client.agentTexts()).toHaveLength(2000);
    const lastUpdate = watcher.log.findLastIndex(({ message }) => message?.method === 'session/update');
    expect(lastUpdate).toBeLessThan(watcher.log.findIndex(({ raw }) => raw.includes('turn_ended')));
    expect(peer.log.findLastIndex(({ message }) => message?.method === 'session/update')).toBeLessThan(
      answerIndex(peer, 'session/prompt'),
    );
    expect(rawOf(peer, '_sandboxagent/session/turn_ended')).toEqual([]);
  });

  it('is told to the others with what the user said; the prompter reads that only in a later load', async () => {
    const peer = await rig.connect();
    const watcher = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await load(rig, watcher, sessionId);
    await prompt(peer, sessionId, 'hello');
    await eventually(() => userTexts(watcher)).toEqual(['hello']);
    expect(userTexts(peer)).toEqual([]);
    await load(rig, peer, sessionId);
    expect(userTexts(peer)).toEqual(['hello']);
  });

  it('goes on when its client loads the session anew in the middle, and is answered', async () => {
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const turn = prompt(peer, sessionId, [{ flood: { count: 300, bytes: 32 } }, { sleep: 60 }, { say: 'end' }]);
    await load(rig, peer, sessionId);
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
    expect(userTexts(peer)).toHaveLength(1);
    const quick = prompt(peer, sessionId, 'quick');
    await Promise.all([load(rig, peer, sessionId), resume(rig, peer, sessionId), quick]);
    expect(await quick).toMatchObject({ stopReason: 'end_turn' });
  });

  it('is answered when its client detaches, and goes on for the others', async () => {
    const peer = await rig.connect();
    const watcher = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await load(rig, watcher, sessionId);
    const turn = prompt(peer, sessionId, [{ sleep: 500 }, { say: 'went on' }]);
    turn.catch(() => {});
    expect(await peer.request('_sandboxagent/session/detach', { sessionId })).toEqual({});
    await expect(turn).rejects.toMatchObject({ code: -32800 });
    await watcher.waitFor(({ params }) => JSON.stringify(params ?? null).includes('went on'));
    expect(peer.agentTexts()).toEqual([]);
    await expect(prompt(peer, sessionId, 'x')).rejects.toMatchObject({ code: -32002 });
  });

  it('delivers updates that come after its response', async () => {
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, [{ late: { afterMs: 20, text: 'late' } }]);
    await peer.waitFor(({ params }) => JSON.stringify(params ?? null).includes('late'), {
      from: answerIndex(peer, 'session/prompt'),
    });
  });

  it('passes on the error of the agent as it is', async () => {
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const error = { code: -31_999, message: 'Mine', data: { deep: [null] } };
    await expect(prompt(peer, sessionId, [{ fail: error }])).rejects.toMatchObject(error);
  });
});

describe('a turn whose agent crashes', () => {
  it('is answered at once with exit code, signal and stderr', async () => {
    await using rig = await startRig();
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await expect(
      prompt(peer, sessionId, [{ say: 'x' }, { crash: { code: 3, stderr: 'my last words' } }]),
    ).rejects.toMatchObject({
      code: 47002,
      data: { exitCode: 3, signal: null, stderr: expect.stringContaining('my last words') },
    });
    expect(peer.agentTexts()).toEqual(['x']);
    await expect(prompt(peer, sessionId, [{ crash: { signal: 'SIGKILL' } }])).rejects.toMatchObject({
      code: 47002,
      data: { exitCode: null, signal: 'SIGKILL' },
    });
    expect(rig.unforeseen).toEqual([]);
  });

  it('does not take those behind it along: the agent is restored for them', async () => {
    await using rig = await startRig();
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const crashing = prompt(peer, sessionId, [{ sleep: 30 }, { crash: { code: 1 } }]);
    const waiting = prompt(peer, sessionId, 'still here');
    await expect(crashing).rejects.toMatchObject({ code: 47002 });
    expect(await waiting).toMatchObject({ stopReason: 'end_turn' });
    expect(peer.agentTexts().join()).toContain('still here');
  });

  it('is not waited for without end when the agent does not take its session back', async () => {
    const code = `process.stdin.on('data', (d) => { for (const line of String(d).trim().split('\\n')) { const m = JSON.parse(line);
      if (m.method === 'session/prompt') process.exit(9);
      if (m.method === 'session/load') return;
      if (m.method === 'session/new') {
        if (require('node:fs').existsSync('made')) return;
        require('node:fs').writeFileSync('made', '');
      }
      const result = m.method === 'initialize' ? { protocolVersion: 1, agentCapabilities: { loadSession: true } } : { sessionId: 'x' };
      console.log(JSON.stringify({ jsonrpc: '2.0', id: m.id, result })); } })`;
    const commands = { stuck: { command: process.execPath, args: ['-e', code] } };
    await using rig = await startRig({ agents: {}, commands, limits: { sessionNewMs: 1000 } });
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await expect(prompt(peer, sessionId, 'x')).rejects.toMatchObject({ code: 47002, data: { exitCode: 9 } });
    await expect(prompt(peer, sessionId, 'x')).rejects.toMatchObject({
      code: 47003,
      message: expect.stringContaining('timeouts.sessionNewMs'),
    });
    expect(rig.unforeseen).toEqual([]);
  });

  it.each([
    ['resume', ['--resume', '--config-options']],
    ['load', ['--config-options']],
    ['transcript', ['--no-load', '--config-options']],
  ])('is followed by a restore through %s, with mode and options as they were chosen', async (rung, flags) => {
    await using rig = await startRig({
      agents: { fake: [...flags, ...(rung === 'transcript' ? [] : ['--state-dir=state'])] },
    });
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, [{ say: 'the word is heron' }]);
    await peer.request('session/set_mode', { sessionId, modeId: 'code' });
    await peer.request('session/set_config_option', { sessionId, configId: 'thinking', value: 'high' });
    await expect(prompt(peer, sessionId, [{ crash: { code: 1 } }])).rejects.toMatchObject({ code: 47002 });
    const before = peer.updates().length;
    const result = await prompt(peer, sessionId, [{ received: 'prompt' }]);
    expect(result).toMatchObject({ stopReason: 'end_turn' });
    expect(peer.updates().slice(before)).toHaveLength(1);
    const got = peer.agentTexts().at(-1) as string;
    if (rung === 'transcript') expect(got).toContain('heron');
    else expect(got).not.toContain('heron');
    const { events } = await peer.request<{ events: { kind: string; message: JsonObject }[] }>(
      '_sandboxagent/session/events',
      { sessionId, limit: 1000 },
    );
    expect(events.map(({ message }) => message)).toContainEqual({ type: 'agent_restored', by: rung, failures: [] });
    expect(await resume(rig, peer, sessionId)).toMatchObject({
      modes: { currentModeId: 'code' },
      configOptions: expect.arrayContaining([expect.objectContaining({ id: 'thinking', currentValue: 'high' })]),
    });
    const { sessionId: fresh, ...own } = JSON.parse(got) as { sessionId: string; prompt: unknown[] };
    expect(fresh === sessionId).toBe(rung !== 'transcript');
    expect(own.prompt).toHaveLength(rung === 'transcript' ? 2 : 1);
    expect(rig.unforeseen).toEqual([]);
  });

  it('by a client that comes to a dormant session: the result says how it was restored', async () => {
    await using rig = await startRig({ agents: { fake: ['--state-dir=state'] }, limits: { idleAgentMs: 1 } });
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, 'before');
    peer.close();
    await eventually(() => rig.directory.liveCount).toBe(0);
    const back = await rig.connect();
    expect(await load(rig, back, sessionId)).toMatchObject({ _meta: { 'sandboxagent.dev': { restored: 'load' } } });
    expect(back.agentTexts()).toEqual(['before']);
    expect(await prompt(back, sessionId, 'again')).toMatchObject({ stopReason: 'end_turn' });
    const watcher = await rig.connect();
    await load(rig, watcher, sessionId, { role: 'observer' });
    expect(watcher.agentTexts()).toEqual(['before', 'again']);
  });
});

describe('an idempotency key', () => {
  it('whose turn was interrupted by the end of the server: the outcome is unknown', async () => {
    await using store = openMemoryStore();
    let sessionId: string;
    {
      const first = await startRig({ store });
      const peer = await first.connect();
      const created = await peer.request<{ sessionId: string }>('session/new', { cwd: tmpdir(), mcpServers: [] });
      sessionId = created.sessionId;
      const { lastSeq } = first.directory.live(sessionId as never) as { lastSeq: number };
      await store.sessions.putTurn({
        sessionId: sessionId as never,
        idempotencyKey: 'lost',
        promptSeq: (lastSeq + 1) as never,
      });
      await first[Symbol.asyncDispose]();
    }
    await using second = await startRig({ store });
    const peer = await second.connect();
    await load(second, peer, sessionId);
    await expect(prompt(peer, sessionId, 'x', { idempotencyKey: 'lost' })).rejects.toMatchObject({ code: 47011 });
    expect(await prompt(peer, sessionId, 'x', { idempotencyKey: 'new' })).toMatchObject({ stopReason: 'end_turn' });
  });
});
