import { type JsonObject, ourMeta, type RequestId, type SessionId } from '@reeve/protocol';
import type { JsonRpcId, JsonRpcPeer } from '@reeve/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, type SessionRig, startRig } from './session.rig.ts';
import { load, newSession, prompt, rawOf } from './session-calls.rig.ts';

const ASK = 'session/request_permission';
const allow = { outcome: { outcome: 'selected', optionId: 'allow-once' } };
const reject = { outcome: { outcome: 'selected', optionId: 'reject-once' } };
const offers = { options: [{ optionId: 'allow-once', name: 'Allow', kind: 'allow_once' }] };
const cancelled = { outcome: { outcome: 'cancelled' } };

/** Leaves requests open; gives those that came. */
function holdRequests(peer: JsonRpcPeer, method = ASK): { id: JsonRpcId; params: JsonObject }[] {
  const held: { id: JsonRpcId; params: JsonObject }[] = [];
  peer.onRequest(method, (params, { id }) => {
    held.push({ id, params: params as JsonObject });
    return new Promise(() => undefined);
  });
  return held;
}

const cancels = (peer: JsonRpcPeer): unknown[] =>
  peer.notifications('$/cancel_request').map(({ requestId }) => requestId);

describe('what an agent asks of people', () => {
  let rig: SessionRig;
  let peer: JsonRpcPeer;
  let other: JsonRpcPeer;
  let sessionId: string;

  beforeEach(async () => {
    rig = await startRig({ agents: { fake: ['--resume'] }, limits: { maxPendingRequests: 2 } });
    peer = await rig.connect({ name: 'one' });
    other = await rig.connect({ name: 'two', wishes: { requestResolved: true } });
    sessionId = await newSession(rig, peer);
  });
  afterEach(async () => {
    expect(rig.unforeseen).toEqual([]);
    await rig[Symbol.asyncDispose]();
  });

  it('goes to every controller; the first valid answer wins and the others are told, each with its own id', async () => {
    await load(rig, other, sessionId);
    const spare = await rig.connect();
    spare.onRequest('_x', () => 1);
    await load(rig, spare, sessionId);
    // The ids of the two connections run apart, so that one can be told from the other.
    await prompt(spare, sessionId, [{ request: { method: '_x', params: {} } }]);
    const [mine, theirs, spares] = [holdRequests(peer), holdRequests(other), holdRequests(spare)];
    const turn = prompt(peer, sessionId, [{ permission: {} }]);
    await eventually(() => [mine.length, theirs.length, spares.length]).toEqual([1, 1, 1]);
    const requestId = ourMeta(mine[0]?.params).requestId as RequestId;
    other.respond(theirs[0]?.id as JsonRpcId, { ...reject, _meta: { kept: true } });
    await turn;
    expect(JSON.parse(peer.agentTexts().at(-1) as string)).toEqual({ ...reject, _meta: { kept: true } });
    expect(cancels(peer)).toEqual([mine[0]?.id]);
    await eventually(() => cancels(spare)).toEqual([spares[0]?.id]);
    expect(cancels(other)).toEqual([]);
    expect(mine[0]?.id).not.toBe(spares[0]?.id);
    expect(await rig.store.requests.find(requestId)).toMatchObject({
      state: { kind: 'answered', by: 'two 1' },
    });
    // An answer that comes too late changes nothing.
    peer.respond(mine[0]?.id as JsonRpcId, allow);
    expect(await prompt(peer, sessionId, 'next')).toMatchObject({ stopReason: 'end_turn' });
    expect(rawOf(other, '_sandboxagent/session/request_resolved')).toEqual([]);
  });

  it('tells who wishes it how a request of others ended', async () => {
    await load(rig, other, sessionId);
    holdRequests(other);
    peer.onRequest(ASK, () => allow);
    await prompt(peer, sessionId, [{ permission: {} }]);
    const { params } = await other.waitFor(({ method }) => method === '_sandboxagent/session/request_resolved');
    expect(params).toMatchObject({ sessionId, by: 'one 1', outcome: { kind: 'answered', result: allow } });
    expect(rawOf(peer, '_sandboxagent/session/request_resolved')).toEqual([]);
  });

  it('is answered once when two clients answer at the same time, fifty times', async () => {
    await load(rig, other, sessionId);
    const [mine, theirs] = [holdRequests(peer), holdRequests(other)];
    for (let round = 1; round <= 50; round += 1) {
      const turn = prompt(peer, sessionId, [{ permission: {} }]);
      await eventually(() => mine.length + theirs.length, { interval: 1 }).toBe(2 * round);
      const answers = [
        () => peer.respond(mine[round - 1]?.id as JsonRpcId, allow),
        () => other.respond(theirs[round - 1]?.id as JsonRpcId, reject),
      ];
      for (const answer of round % 2 === 0 ? answers : answers.reverse()) answer();
      await turn;
    }
    const said = peer.agentTexts().filter((text) => text.startsWith('{'));
    expect(said).toHaveLength(50);
    const { events } = await peer.request<{ events: JsonObject[] }>('_sandboxagent/session/events', {
      sessionId,
      limit: 1000,
    });
    expect(events.filter(({ kind }) => kind === 'response')).toHaveLength(50);
    expect(rig.noise).toEqual([]);
  });

  it('refuses an answer that was not offered, and asks again', async () => {
    const answers: unknown[] = [{ outcome: { outcome: 'selected', optionId: 'everything' } }, null, allow];
    peer.onRequest(ASK, () => answers.shift());
    await prompt(peer, sessionId, [{ permission: {} }]);
    expect(answers).toEqual([]);
    expect(peer.agentTexts()).toEqual([JSON.stringify(allow)]);
    expect(rig.warnings).toHaveLength(2);
  });

  it('does not ask a client for ever that answers nonsense: the request waits for others', async () => {
    let asked = 0;
    peer.onRequest(ASK, () => {
      asked += 1;
      return { outcome: 'nonsense' };
    });
    const turn = prompt(peer, sessionId, [{ permission: {} }]);
    await eventually(() => asked).toBe(4);
    await load(rig, other, sessionId);
    other.onRequest(ASK, () => allow);
    await load(rig, other, sessionId);
    const [waiting] = rig.broker.pendingOf(sessionId as SessionId);
    if (waiting) await rig.broker.answer(waiting.id, { reply: 'once' }, { label: 'a person' });
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
    expect(asked).toBe(4);
  });

  it('waits for the others when a client answers with an error', async () => {
    peer.onRequest('*', () => {
      throw new Error('no hands');
    });
    const turn = prompt(peer, sessionId, [{ permission: {} }]);
    other.onRequest(ASK, () => reject);
    await load(rig, other, sessionId);
    await turn;
    expect(peer.agentTexts()).toEqual([JSON.stringify(reject)]);
  });

  it('shows an observer nothing to answer, and lets it do nothing', async () => {
    const held = holdRequests(other);
    await load(rig, other, sessionId, { role: 'observer' });
    peer.onRequest(ASK, () => allow);
    await prompt(peer, sessionId, [{ permission: {} }]);
    expect(held).toEqual([]);
    await expect(prompt(other, sessionId, 'x')).rejects.toMatchObject({ code: 47005 });
    await expect(other.request('session/set_mode', { sessionId, modeId: 'code' })).rejects.toMatchObject({
      code: 47005,
    });
    const turn = prompt(peer, sessionId, [{ sleep: 50 }, { say: 'undisturbed' }]);
    other.notify('session/cancel', { sessionId });
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
    await expect(load(rig, other, sessionId, { role: 'king' })).rejects.toMatchObject({ code: -32602 });
  });

  it('is asked again of a client that comes back, and of one that comes first', async () => {
    const held = holdRequests(peer);
    prompt(peer, sessionId, [{ permission: {} }]).catch(() => {});
    await eventually(() => held.length).toBe(1);
    peer.close();
    const back = holdRequests(other);
    await load(rig, other, sessionId);
    await eventually(() => back.length).toBe(1);
    expect(back[0]?.params.toolCall).toEqual(held[0]?.params.toolCall);
    const answered = other.log.findIndex(
      ({ message }) => (message?.result as JsonObject | undefined)?.modes !== undefined,
    );
    expect(other.log.findIndex(({ message }) => message?.method === ASK)).toBeGreaterThan(answered);
    expect(await other.request<{ sessions: JsonObject[] }>('session/list', {})).toMatchObject({
      sessions: [{ _meta: { 'sandboxagent.dev': { state: 'waiting' } } }],
    });
    other.respond(back[0]?.id as JsonRpcId, allow);
    await other.waitFor(({ params }) => JSON.stringify(params ?? null).includes('allow-once\\"'));
  });

  it('is asked again of a client that left the session and returned on the same connection', async () => {
    const held = holdRequests(peer);
    prompt(peer, sessionId, [{ permission: {} }]).catch(() => {});
    await eventually(() => held.length).toBe(1);
    await peer.request('_sandboxagent/session/detach', { sessionId });
    peer.respond(held[0]?.id as JsonRpcId, allow);
    await load(rig, peer, sessionId);
    await eventually(() => held.length).toBe(2);
    peer.respond(held[1]?.id as JsonRpcId, reject);
    await peer.waitFor(({ params }) => JSON.stringify(params ?? null).includes('reject-once\\"'));
    expect(peer.agentTexts()).toEqual([JSON.stringify(reject)]);
  });

  it('is answered as cancelled when the turn is cancelled, also what is asked after that', async () => {
    const held = holdRequests(peer);
    const turn = prompt(peer, sessionId, [{ permission: {} }, { say: 'never' }]);
    await eventually(() => held.length).toBe(1);
    peer.notify('session/cancel', { sessionId });
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    expect(peer.agentTexts()).toEqual([JSON.stringify(cancelled)]);
    expect(cancels(peer)).toEqual([held[0]?.id]);
    const stubborn = prompt(peer, sessionId, [
      { refuseCancel: true },
      { say: 'on' },
      { sleep: 1000 },
      { permission: {} },
    ]);
    await peer.waitFor(({ params }) => JSON.stringify(params ?? null).includes('"on"'));
    peer.notify('session/cancel', { sessionId });
    expect(await stubborn).toMatchObject({ stopReason: 'cancelled' });
    expect(held).toHaveLength(1);
  });

  it('is answered as cancelled when the client takes the prompt back by $/cancel_request', async () => {
    const held = holdRequests(peer);
    const stop = new AbortController();
    const params = { sessionId, prompt: [{ type: 'text', text: '{"do":[{"permission":{}}]}' }] };
    const turn = peer.request('session/prompt', params, { signal: stop.signal });
    await eventually(() => held.length).toBe(1);
    stop.abort();
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
  });

  it('is withdrawn by the agent under the id that each client knows', async () => {
    const held = holdRequests(peer);
    const turn = prompt(peer, sessionId, [{ permission: { cancelAfterMs: 300 } }]);
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    expect(cancels(peer)).toEqual([held[0]?.id]);
    expect(rig.broker.pendingCount).toBe(0);
  });

  it('is void when its process is gone: an old answer reaches no new process, though ids start again', async () => {
    const held = holdRequests(peer);
    const raw = JSON.stringify({ jsonrpc: '2.0', id: 0, method: ASK, params: { sessionId: '$SESSION', ...offers } });
    const turn = prompt(peer, sessionId, [{ raw }, { sleep: 1000 }, { crash: { code: 1 } }]);
    turn.catch(() => {});
    await eventually(() => held.length, { interval: 5 }).toBe(1);
    const old = rig.broker.pendingOf(sessionId as SessionId)[0]?.id as RequestId;
    expect(rig.directory.live(sessionId as SessionId)?.state).toBe('waiting');
    await expect(turn).rejects.toMatchObject({ code: 47002 });
    await eventually(() => cancels(peer)).toEqual([held[0]?.id]);
    const again = prompt(peer, sessionId, [{ permission: {} }]);
    await eventually(() => held.length).toBe(2);
    expect(rig.broker.pendingOf(sessionId as SessionId)).toMatchObject([{ rpcId: 0, agentEpoch: 2 }]);
    peer.respond(held[0]?.id as JsonRpcId, allow);
    expect(await rig.broker.answer(old, { reply: 'once' }, { label: 'late' })).toMatchObject({
      kind: 'already_resolved',
      request: { state: { kind: 'void' } },
    });
    peer.respond(held[1]?.id as JsonRpcId, reject);
    await again;
    expect(peer.agentTexts()).toEqual([JSON.stringify(reject)]);
  });

  it('is refused when too much waits already, and the agent is told which setting says so', async () => {
    const held = holdRequests(peer);
    const params = { sessionId: '$SESSION', options: [] };
    const asks = [1, 2].map((id) => ({
      raw: JSON.stringify({ jsonrpc: '2.0', id: `raw-${id}`, method: ASK, params }),
    }));
    const turn = prompt(peer, sessionId, [...asks, { request: { method: ASK, params } }, { untilCancel: true }]);
    await eventually(() => peer.agentTexts()).toEqual([expect.stringContaining('limits.maxPendingRequests')]);
    await eventually(() => held.length).toBe(2);
    expect(rig.broker.pendingCount).toBe(2);
    peer.notify('session/cancel', { sessionId });
    await turn;
  });

  it('is answered as cancelled when its turn ends without an answer; a question outside of turns goes on waiting', async () => {
    const asking = `
      const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
      const ask = (id) => say({ id, method: '${ASK}', params: { sessionId: 'x', options: ${JSON.stringify(offers.options)} } });
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method, params, result } = JSON.parse(line);
        if (method === 'initialize') say({ id, result: { protocolVersion: 1 } });
        else if (method === 'session/new') say({ id, result: { sessionId: 'x' } });
        else if (method === 'session/prompt') {
          const { text } = params.prompt[0];
          if (text === 'during') ask(text);
          say({ id, result: { stopReason: 'end_turn' } });
          if (text === 'after') ask(text);
        } else if (result) {
          const told = { sessionUpdate: 'told', id, result };
          say({ method: 'session/update', params: { sessionId: 'x', update: told } });
        }
      });`;
    await using plain = await startRig({
      agents: {},
      commands: { asking: { command: process.execPath, args: ['-e', asking] } },
    });
    const asked = await plain.connect({ wishes: { requestResolved: true } });
    const held = holdRequests(asked);
    const session = await newSession(plain, asked);
    const told = (): unknown[] => asked.updates().filter(({ sessionUpdate }) => sessionUpdate === 'told');

    expect(await prompt(asked, session, 'after')).toMatchObject({ stopReason: 'end_turn' });
    await eventually(() => held.length).toBe(1);
    expect(await prompt(asked, session, 'during')).toMatchObject({ stopReason: 'end_turn' });
    await eventually(told).toEqual([{ sessionUpdate: 'told', id: 'during', result: cancelled }]);
    await eventually(() => cancels(asked)).toEqual([held[1]?.id]);
    const outcome = { kind: 'cancelled', reason: 'its turn ended' };
    await eventually(() => asked.notifications('_sandboxagent/session/request_resolved')).toMatchObject([{ outcome }]);
    expect(plain.broker.pendingOf(session as SessionId)).toMatchObject([{ rpcId: 'after' }]);
    asked.respond(held[0]?.id as JsonRpcId, allow);
    await eventually(told).toMatchObject([{}, { id: 'after', result: allow }]);
    expect(plain.unforeseen).toEqual([]);
  });
});

describe('an elicitation', () => {
  it('tied to the prompt reaches the prompter with the id of its own, the others as a question of the session', async () => {
    await using rig = await startRig();
    const capabilities = { elicitation: { form: {} } };
    const peer = await rig.connect({ idPrefix: 'own-', clientCapabilities: capabilities });
    const other = await rig.connect({ clientCapabilities: capabilities });
    const without = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await load(rig, other, sessionId);
    await load(rig, without, sessionId);
    const [mine, theirs, none] = [peer, other, without].map((client) => holdRequests(client, 'elicitation/create'));
    const turn = prompt(peer, sessionId, [{ elicit: { scope: 'request' } }]);
    await eventually(() => [mine?.length, theirs?.length]).toEqual([1, 1]);
    const promptId = peer.log.find(({ message }) => message?.method === 'session/prompt')?.message?.id;
    expect(mine?.[0]?.params).toMatchObject({ requestId: promptId });
    expect(theirs?.[0]?.params).toMatchObject({ sessionId });
    expect(theirs?.[0]?.params).not.toHaveProperty('requestId');
    expect(none).toEqual([]);
    other.respond(theirs?.[0]?.id as JsonRpcId, { action: 'sideways' });
    await eventually(() => theirs?.length).toBe(2);
    other.respond(theirs?.[1]?.id as JsonRpcId, { action: 'accept', content: { answer: '42' } });
    await turn;
    expect(peer.agentTexts()).toEqual([JSON.stringify({ action: 'accept', content: { answer: '42' } })]);
    expect(rig.unforeseen).toEqual([]);
  });
});
