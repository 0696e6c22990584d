import { EXTENSION, type JsonObject, ourMeta, type RequestId, type SessionId } from '@reeve/protocol';
import type { JsonRpcId, JsonRpcPeer, Step } from '@reeve/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, type SessionRig, startRig } from './session.rig.ts';
import { load, newSession, prompt, rawOf } from './session-calls.rig.ts';

const ASK = EXTENSION.requestQuestion;
const ELICIT = 'elicitation/create';
const FORMS = { elicitation: { form: {} } };
const QUESTIONS = { requestQuestion: true };
const options = [
  { id: 'r', label: 'Red', description: 'like a rose' },
  { id: 'g', label: 'Green' },
];
const question: Step = { question: { questionId: 'q7', prompt: 'Which colour?', options } };
const colour = { type: 'string', oneOf: options.map(({ id, label }) => ({ const: id, title: label })) };
const elicitation = (properties: JsonObject, required: readonly string[] = []): Step => ({
  elicit: { message: 'Which colour?', requestedSchema: { type: 'object', properties, required } },
});

interface Held {
  readonly id: JsonRpcId;
  readonly params: JsonObject;
}

/** Leaves requests open; gives those that came. */
function hold(peer: JsonRpcPeer, method: string): Held[] {
  const held: Held[] = [];
  peer.onRequest(method, (params, { id }) => {
    held.push({ id, params: params as JsonObject });
    return new Promise(() => undefined);
  });
  return held;
}

const said = (peer: JsonRpcPeer): JsonObject => JSON.parse(peer.agentTexts().at(-1) as string) as JsonObject;
const cancels = (peer: JsonRpcPeer): unknown[] =>
  peer.notifications('$/cancel_request').map(({ requestId }) => requestId);

describe('a question', () => {
  let rig: SessionRig;
  beforeEach(async () => {
    rig = await startRig({ agents: { fake: ['--resume'] } });
  });
  afterEach(async () => {
    expect(rig.unforeseen).toEqual([]);
    await rig[Symbol.asyncDispose]();
  });

  it('reaches a client that knows the method as the agent asked it, with its id, options and status beside', async () => {
    const peer = await rig.connect({ wishes: QUESTIONS, clientCapabilities: FORMS });
    const held = hold(peer, ASK);
    const sessionId = await newSession(rig, peer);
    const turn = prompt(peer, sessionId, [question]);
    await eventually(() => held.length).toBe(1);
    const { params, id } = held[0] as Held;
    expect(params).toMatchObject({ sessionId, questionId: 'q7', prompt: 'Which colour?', options });
    const [waiting] = rig.broker.pendingOf(sessionId as SessionId);
    expect(ourMeta(params)).toEqual({ requestId: waiting?.id, questionId: 'q7', options, status: 'pending' });
    peer.respond(id, { outcome: 'answered', answers: [{ optionId: 'g' }], _meta: { theirs: 1 } });
    await turn;
    expect(said(peer)).toEqual({ outcome: 'answered', answers: [{ optionId: 'g' }], _meta: { theirs: 1 } });
    expect(await rig.store.requests.find(waiting?.id as RequestId)).toMatchObject({
      kind: 'question',
      state: { kind: 'answered', by: 'test 1' },
    });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['accept', { action: 'accept', content: { answer: 'r' } }, { outcome: 'answered', answers: [{ optionId: 'r' }] }],
    ['decline', { action: 'decline' }, { outcome: 'rejected' }],
    ['cancel', { action: 'cancel' }, { outcome: 'cancelled' }],
  ])('is a form to a client that only knows elicitation: its %s is the answer', async (_, answer, expected) => {
    const peer = await rig.connect({ clientCapabilities: FORMS });
    const held = hold(peer, ELICIT);
    const sessionId = await newSession(rig, peer);
    const turn = prompt(peer, sessionId, [question]);
    await eventually(() => held.length).toBe(1);
    const { params, id } = held[0] as Held;
    expect(params).toMatchObject({ sessionId, mode: 'form', message: 'Which colour?' });
    expect(params.requestedSchema).toMatchObject({
      properties: { answer: { oneOf: [{ const: 'r', title: 'Red', description: 'like a rose' }, { const: 'g' }] } },
    });
    expect(ourMeta(params)).toMatchObject({ questionId: 'q7', options, status: 'pending' });
    peer.respond(id, answer);
    await turn;
    expect(said(peer)).toMatchObject({ ...expected, _meta: { 'sandboxagent.dev': { status: expected.outcome } } });
  });

  it('waits in the inbox when the client knows neither; null and an empty object mean no', async () => {
    for (const clientCapabilities of [{}, { elicitation: {} }, { elicitation: { form: null, url: {} } }]) {
      const peer = await rig.connect({ clientCapabilities });
      const sessionId = await newSession(rig, peer);
      const turn = prompt(peer, sessionId, [question]);
      await eventually(() => rig.broker.pendingOf(sessionId as SessionId).length).toBe(1);
      const [waiting] = rig.broker.pendingOf(sessionId as SessionId);
      const by = { label: 'inbox' };
      const answer = { answers: [{ optionId: 'g' }] };
      expect(await rig.broker.answer(waiting?.id as RequestId, { optionId: 'x' }, by)).toMatchObject({
        kind: 'not_offered',
        offered: ['r', 'g'],
      });
      expect(await rig.broker.answer(waiting?.id as RequestId, answer, by)).toMatchObject({ kind: 'answered' });
      await turn;
      expect(said(peer)).toMatchObject({ outcome: 'answered', ...answer });
      expect([...rawOf(peer, ASK), ...rawOf(peer, ELICIT)]).toEqual([]);
    }
  });

  it('goes to clients of both kinds at once: the first valid answer wins, the other is told', async () => {
    const one = await rig.connect({ name: 'one', wishes: { ...QUESTIONS, requestResolved: true } });
    const other = await rig.connect({ name: 'other', clientCapabilities: FORMS, wishes: { requestResolved: true } });
    const [mine, theirs] = [hold(one, ASK), hold(other, ELICIT)];
    const sessionId = await newSession(rig, one);
    await load(rig, other, sessionId);
    const turn = prompt(one, sessionId, [question]);
    await eventually(() => [mine.length, theirs.length]).toEqual([1, 1]);
    other.respond((theirs[0] as Held).id, { action: 'accept', content: { answer: 'blue' } });
    await eventually(() => theirs.length).toBe(2);
    expect(ourMeta(theirs[1]?.params).refused).toContain('none of those offered');
    one.respond((mine[0] as Held).id, { outcome: 'answered', answers: [{ optionId: 'g' }] });
    await turn;
    expect(said(one)).toEqual({ outcome: 'answered', answers: [{ optionId: 'g' }] });
    await eventually(() => cancels(other)).toEqual([theirs[1]?.id]);
    await eventually(() => other.notifications('_sandboxagent/session/request_resolved')).toMatchObject([
      { by: 'one 1', outcome: { kind: 'answered', status: 'answered', result: { answers: [{ optionId: 'g' }] } } },
    ]);
    expect(rawOf(one, '_sandboxagent/session/request_resolved')).toEqual([]);
  });

  it('is cancelled with its turn', async () => {
    const peer = await rig.connect({ clientCapabilities: FORMS });
    const held = hold(peer, ELICIT);
    const sessionId = await newSession(rig, peer);
    const asking: Step = {
      raw: JSON.stringify({
        jsonrpc: '2.0',
        id: 'raw',
        method: ASK,
        params: { sessionId: '$SESSION', questionId: 'q', prompt: 'Go on?' },
      }),
    };
    const turn = prompt(peer, sessionId, [asking, { untilCancel: true }]);
    await eventually(() => held.length).toBe(1);
    peer.notify('session/cancel', { sessionId });
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    expect(cancels(peer)).toEqual([held[0]?.id]);
    const { events } = await peer.request<{ events: { kind: string; message: JsonObject }[] }>(EXTENSION.events, {
      sessionId,
    });
    const answers = events.filter(({ kind, message }) => kind === 'response' && message.id === 'raw');
    expect(answers.map(({ message }) => message.result)).toMatchObject([{ outcome: 'cancelled' }]);
  });

  it('that its agent takes back is withdrawn under the id that each client knows', async () => {
    const one = await rig.connect({ wishes: QUESTIONS });
    const other = await rig.connect({ clientCapabilities: FORMS });
    const [mine, theirs] = [hold(one, ASK), hold(other, ELICIT)];
    const sessionId = await newSession(rig, one);
    await load(rig, other, sessionId);
    const params = { sessionId: '$SESSION', questionId: 'q', prompt: 'Go on?' };
    const raw = (message: JsonObject): Step => ({ raw: JSON.stringify({ jsonrpc: '2.0', ...message }) });
    const turn = prompt(one, sessionId, [
      raw({ id: 'mine', method: ASK, params }),
      { sleep: 500 },
      raw({ method: '$/cancel_request', params: { requestId: 'mine' } }),
      { untilCancel: true },
    ]);
    await eventually(() => [cancels(one).length, cancels(other).length]).toEqual([1, 1]);
    expect([cancels(one), cancels(other)]).toEqual([[mine[0]?.id], [theirs[0]?.id]]);
    expect(rig.broker.pendingCount).toBe(0);
    one.notify('session/cancel', { sessionId });
    await turn;
  });

  it('survives its client: whoever comes next is asked, in the form that it knows', async () => {
    const first = await rig.connect({ wishes: QUESTIONS });
    const held = hold(first, ASK);
    const sessionId = await newSession(rig, first);
    const turn = prompt(first, sessionId, [question]).catch(() => 'left');
    await eventually(() => held.length).toBe(1);
    first.close();
    await turn;
    const second = await rig.connect({ clientCapabilities: FORMS });
    const again = hold(second, ELICIT);
    await load(rig, second, sessionId);
    await eventually(() => again.length).toBe(1);
    expect(ourMeta(again[0]?.params).requestId).toBe(ourMeta(held[0]?.params).requestId);
    second.respond((again[0] as Held).id, { action: 'accept', content: { answer: 'g' } });
    await eventually(() => second.agentTexts().length).toBe(1);
    expect(said(second)).toMatchObject({ outcome: 'answered', answers: [{ optionId: 'g' }] });
  });

  it('that is none is refused to the agent, with what is missing', async () => {
    const peer = await rig.connect({ wishes: QUESTIONS });
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, [{ request: { method: ASK, params: { sessionId: '$SESSION', prompt: 'x' } } }]);
    expect(said(peer)).toMatchObject({ error: { code: -32602, message: 'questionId: required text' } });
    expect(rig.broker.pendingCount).toBe(0);
  });
});

describe('an elicitation', () => {
  let rig: SessionRig;
  beforeEach(async () => {
    rig = await startRig();
  });
  afterEach(async () => {
    expect(rig.unforeseen).toEqual([]);
    await rig[Symbol.asyncDispose]();
  });

  it('is a question to a client that only knows those', async () => {
    const peer = await rig.connect({ wishes: QUESTIONS });
    const held = hold(peer, ASK);
    const sessionId = await newSession(rig, peer);
    const turn = prompt(peer, sessionId, [elicitation({ colour }, ['colour'])]);
    await eventually(() => held.length).toBe(1);
    const { params, id } = held[0] as Held;
    expect(params).toMatchObject({ sessionId, prompt: 'Which colour?', multiSelect: false, freeText: false });
    expect(params.options).toEqual(options.map(({ id, label }) => ({ id, label })));
    expect(params.questionId).toBe(ourMeta(params).requestId);
    peer.respond(id, { outcome: 'answered', answers: [{ optionId: 'r' }] });
    await turn;
    expect(said(peer)).toMatchObject({ action: 'accept', content: { colour: 'r' } });
  });

  it('that is more than one question waits in the inbox, where its form is filled in', async () => {
    const peer = await rig.connect({ wishes: QUESTIONS });
    const sessionId = await newSession(rig, peer);
    const fields = { colour, size: { type: 'integer', minimum: 1 } };
    const turn = prompt(peer, sessionId, [elicitation(fields, ['size'])]);
    await eventually(() => rig.broker.pendingCount).toBe(1);
    const [waiting] = rig.broker.pendingOf(sessionId as SessionId);
    const answer = (content: JsonObject) =>
      rig.broker.answer(waiting?.id as RequestId, { content }, { label: 'inbox' });
    expect(await answer({ colour: 'r' })).toMatchObject({ kind: 'not_offered', why: '"size": required' });
    expect(await answer({ size: 0.5 })).toMatchObject({ why: '"size": expected a whole number' });
    expect(await answer({ size: 0 })).toMatchObject({ why: '"size": expected at least 1 as value' });
    expect(await answer({ size: 2, colour: 'r' })).toMatchObject({ kind: 'answered' });
    await turn;
    expect(said(peer)).toMatchObject({ action: 'accept', content: { size: 2, colour: 'r' } });
    expect(rawOf(peer, ASK)).toEqual([]);
  });

  it('whose answer breaks the form is refused, and asked again with the reason', async () => {
    const peer = await rig.connect({ clientCapabilities: FORMS });
    const sessionId = await newSession(rig, peer);
    const asked: JsonObject[] = [];
    const answers = [{ colour: 'blue' }, { other: 1 }, {}, { colour: 'g' }];
    peer.onRequest(ELICIT, (params) => {
      asked.push(ourMeta(params));
      return { action: 'accept', content: answers.shift() };
    });
    await prompt(peer, sessionId, [elicitation({ colour }, ['colour'])]);
    expect(said(peer)).toEqual({ action: 'accept', content: { colour: 'g' } });
    expect(asked.map(({ refused }) => refused)).toEqual([
      undefined,
      '"colour": expected one of "r", "g"',
      '"other": not asked for',
      '"colour": required',
    ]);
  });

  it('with a URL goes to clients that can show one; they are told when it is done', async () => {
    const able = await rig.connect({ clientCapabilities: { elicitation: { url: {} } } });
    const unable = await rig.connect({ clientCapabilities: FORMS, wishes: QUESTIONS });
    const held = hold(able, ELICIT);
    const sessionId = await newSession(rig, able);
    await load(rig, unable, sessionId);
    const url = 'https://example.org/login?state=1';
    const complete = (elicitationId: string): Step => ({
      notify: { method: 'elicitation/complete', params: { elicitationId } },
    });
    const turn = prompt(able, sessionId, [
      { elicit: { mode: 'url', message: 'Log in', elicitationId: 'e1', url } },
      complete('e0'),
      complete('e1'),
      { say: 'done' },
    ]);
    await eventually(() => held.length).toBe(1);
    expect(held[0]?.params).toMatchObject({ mode: 'url', url, elicitationId: 'e1' });
    able.respond((held[0] as Held).id, { action: 'accept' });
    await turn;
    await eventually(() => able.notifications('elicitation/complete')).toEqual([{ elicitationId: 'e1' }]);
    await eventually(() => unable.agentTexts()).toContain('done');
    expect([...rawOf(unable, ELICIT), ...rawOf(unable, ASK), ...rawOf(unable, 'elicitation/complete')]).toEqual([]);
  });
});

describe('what an agent is told that its client can be asked', () => {
  it('is what the client said, and what Reeve makes of it', async () => {
    await using rig = await startRig();
    const told = async (clientCapabilities: JsonObject, wishes?: JsonObject): Promise<JsonObject> => {
      const peer = await rig.connect({ clientCapabilities, ...(wishes ? { wishes } : {}) });
      const sessionId = await newSession(rig, peer);
      await prompt(peer, sessionId, [{ received: 'initialize' }]);
      return said(peer).clientCapabilities as JsonObject;
    };
    const ours = { _meta: { 'sandboxagent.dev': { requestQuestion: true } } };
    expect(await told({})).toEqual(ours);
    expect(await told({ elicitation: { url: {} }, odd: 1 })).toEqual({ elicitation: { url: {} }, odd: 1, ...ours });
    expect(await told({}, QUESTIONS)).toEqual({ ...FORMS, ...ours });
    const own = { elicitation: { form: { _meta: { a: 1 } } } };
    expect(await told(own, { ...QUESTIONS, seq: true })).toEqual({
      ...own,
      _meta: { 'sandboxagent.dev': { requestQuestion: true, seq: true } },
    });
  });
});

describe('nobody answers', () => {
  it('a permission is rejected and a question turned down when its time is up, also without a client', async () => {
    await using rig = await startRig({ patience: { permissionMs: 150, questionMs: 150 } });
    const peer = await rig.connect({ wishes: { ...QUESTIONS, requestResolved: true } });
    const held = [...[hold(peer, 'session/request_permission')], hold(peer, ASK)];
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, [{ permission: {} }, question, elicitation({ colour })]);
    expect(peer.agentTexts().map((text) => JSON.parse(text) as JsonObject)).toMatchObject([
      { outcome: { outcome: 'selected', optionId: 'reject-once' } },
      { outcome: 'rejected', reason: 'nobody answered in time' },
      { action: 'decline' },
    ]);
    expect(held.map((some) => some.length)).toEqual([1, 2]);
    expect(cancels(peer)).toHaveLength(3);
    const mapping = { asked: 'reject', chosen: { optionId: 'reject-once', kind: 'reject_once' }, nearest: false };
    const by = 'reeve (time-out)';
    const resolved = peer.notifications('_sandboxagent/session/request_resolved');
    expect(resolved).toMatchObject([{ by, outcome: { mapping } }, { by }, { by }]);
    const stored = await rig.store.requests.list({ sessionId: sessionId as SessionId });
    expect(stored.map(({ state }) => state)).toMatchObject([
      { kind: 'answered', by, mapping },
      { kind: 'answered', by },
      { kind: 'answered', by },
    ]);
    const { events } = await peer.request<{ events: { kind: string; source: string; message: JsonObject }[] }>(
      EXTENSION.events,
      { sessionId },
    );
    expect(events.filter(({ kind }) => kind === 'response').map(({ source }) => source)).toEqual(
      Array(3).fill('reeve'),
    );
    const notes = events.filter(({ message }) => message.type === 'request_answered').map(({ message }) => message);
    expect(notes).toMatchObject([{ requestId: stored[0]?.id, by, ...mapping }, { by }, { by }]);
    expect(rig.unforeseen).toEqual([]);
  });

  it('and without clients at all it is the same', async () => {
    await using rig = await startRig({ patience: { permissionMs: 150 } });
    const peer = await rig.connect();
    const held = hold(peer, 'session/request_permission');
    const sessionId = await newSession(rig, peer);
    const turn = prompt(peer, sessionId, [{ permission: {} }]).catch(() => 'left');
    await eventually(() => held.length).toBe(1);
    peer.close();
    await turn;
    await eventually(() => rig.broker.pendingCount).toBe(0);
    const [stored] = await rig.store.requests.list({ sessionId: sessionId as SessionId });
    expect(stored?.state).toMatchObject({ kind: 'answered', by: 'reeve (time-out)' });
  });
});
