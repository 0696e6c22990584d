import { tmpdir } from 'node:os';
import {
  connectWebSocket,
  fakeAgentCommand,
  type JsonRpcPeer,
  type SpawnedReeve,
  type Step,
  script,
  startReeve,
} from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../apps/cli/src/cli.rig.ts';
import { callControl, readLog } from './control-calls.ts';

const cwd = tmpdir();
const KEY = 'sandboxagent.dev';
const ASK = '_sandboxagent/session/request_question';
const ELICIT = 'elicitation/create';
const QUESTIONS = { _meta: { [KEY]: { requestQuestion: true } } };
const FORMS = { elicitation: { form: {} } };
const options = [
  { id: 'tabs', label: 'Tabs' },
  { id: 'spaces', label: 'Spaces', description: 'two of them' },
];
const question: Step = { question: { questionId: 'q', prompt: 'Tabs or spaces?', options } };
const indent = {
  type: 'string',
  oneOf: options.map(({ id, label, ...more }) => ({ const: id, title: label, ...more })),
};
const form: Step = {
  elicit: {
    message: 'Tabs or spaces?',
    requestedSchema: { type: 'object', properties: { indent }, required: ['indent'] },
  },
};

interface Request {
  readonly id: string;
  readonly kind: string;
  readonly question?: unknown;
  readonly state: {
    readonly kind: string;
    readonly by?: string;
    readonly result?: unknown;
    readonly mapping?: unknown;
  };
}

describe('what an agent asks a person', () => {
  let reeve: SpawnedReeve;
  beforeAll(async () => {
    reeve = await startReeve();
  });
  afterAll(() => reeve?.[Symbol.asyncDispose]());

  async function connect(clientCapabilities: object): Promise<JsonRpcPeer> {
    const peer = await connectWebSocket(`${reeve.url}/acp`, { token: reeve.token });
    await peer.request('initialize', { protocolVersion: 1, clientCapabilities });
    return peer;
  }
  async function begin(peer: JsonRpcPeer, ...steps: Step[]): Promise<{ sessionId: string; turn: Promise<unknown> }> {
    const { sessionId } = await peer.request<{ sessionId: string }>('session/new', { cwd, mcpServers: [] });
    const prompt = [{ type: 'text', text: script(...steps) }];
    return { sessionId, turn: peer.request('session/prompt', { sessionId, prompt }) };
  }
  async function waiting(sessionId: string): Promise<Request> {
    let found: Request[] = [];
    const look = async (): Promise<number> => {
      ({ requests: found } = (await callControl(reeve, `/requests?session=${sessionId}`)) as { requests: Request[] });
      return found.length;
    };
    await expect.poll(look).toBe(1);
    return found[0] as Request;
  }
  const answer = async (id: string, body: object): Promise<Request> => {
    const init = { method: 'POST', body: JSON.stringify(body) };
    return ((await callControl(reeve, `/requests/${id}/answer`, init)) as { request: Request }).request;
  };
  const said = (peer: JsonRpcPeer): unknown => JSON.parse(peer.agentTexts().at(-1) ?? 'null');

  it('is announced to every client', async () => {
    await using peer = await connectWebSocket(`${reeve.url}/acp`, { token: reeve.token });
    expect(await peer.request('initialize', { protocolVersion: 1 })).toMatchObject({
      agentCapabilities: { _meta: { [KEY]: { extensions: { requestQuestion: true } } } },
    });
  });

  it.each<[string, object, string, Step, unknown, object]>([
    [
      'a question is one to a client that knows those',
      QUESTIONS,
      ASK,
      question,
      { outcome: 'answered', answers: [{ optionId: 'tabs' }] },
      { outcome: 'answered', answers: [{ optionId: 'tabs' }] },
    ],
    [
      'a question is a form to a client that only knows forms',
      FORMS,
      ELICIT,
      question,
      { action: 'accept', content: { answer: 'tabs' } },
      { outcome: 'answered', answers: [{ optionId: 'tabs' }] },
    ],
    [
      'a form is one to a client that knows those',
      { ...FORMS, ...QUESTIONS },
      ELICIT,
      form,
      { action: 'accept', content: { indent: 'tabs' } },
      { action: 'accept', content: { indent: 'tabs' } },
    ],
    [
      'a form is a question to a client that only knows questions',
      QUESTIONS,
      ASK,
      form,
      { outcome: 'answered', answers: [{ optionId: 'tabs' }] },
      { action: 'accept', content: { indent: 'tabs' } },
    ],
  ])('%s', async (_, capabilities, method, step, reply, expected) => {
    await using peer = await connect(capabilities);
    peer.onRequest(method, () => reply);
    const { turn } = await begin(peer, step);
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
    expect(said(peer)).toMatchObject(expected);
  });

  it.each([
    ['a question', question, 'question', { outcome: 'answered', answers: [{ optionId: 'spaces' }] }],
    ['a form', form, 'elicitation', { action: 'accept', content: { indent: 'spaces' } }],
  ])('%s waits for HTTP where the client knows neither, and reads the same', async (_, step, kind, expected) => {
    await using peer = await connect({});
    const { sessionId, turn } = await begin(peer, step);
    const request = await waiting(sessionId);
    expect(request).toMatchObject({
      kind,
      question: { prompt: 'Tabs or spaces?', options, multiSelect: false, freeText: false },
    });
    for (const wrong of [
      { optionId: 'both' },
      { answers: [] },
      { answers: [{ text: 'x' }] },
      { reply: 'once' },
      { result: {} },
    ])
      await expect(answer(request.id, wrong)).rejects.toThrow(/422 .*"tabs".*"spaces"/);
    await expect(answer(request.id, { answers: [{ optionId: 'tabs', text: 'x' }] })).rejects.toThrow(/ 400 /);
    expect(await answer(request.id, { answers: [{ optionId: 'spaces' }] })).toMatchObject({
      state: { kind: 'answered', by: 'http-api', result: expected },
    });
    await turn;
    expect(said(peer)).toMatchObject({ ...expected, _meta: { [KEY]: { status: 'answered' } } });
  });

  it('waits for the command line where the client knows neither', async () => {
    await using peer = await connect({});
    const { sessionId, turn } = await begin(peer, question);
    const { id } = await waiting(sessionId);
    const env = { HOME: cwd, REEVE_URL: reeve.url, REEVE_TOKEN: reeve.token };
    expect(await runCli(['requests', 'answer', id, '--option', 'tabs'], env)).toMatchObject({ code: 0 });
    await turn;
    expect(said(peer)).toMatchObject({ outcome: 'answered', answers: [{ optionId: 'tabs' }] });
  });

  it('keeps which option a reply was mapped to: in the answer, in what is told to others, and in the log', async () => {
    await using peer = await connect({ _meta: { [KEY]: { requestResolved: true } } });
    peer.onRequest('session/request_permission', () => new Promise(() => {}));
    const offered = [
      { optionId: 'first', name: 'First', kind: 'allow_once' },
      { optionId: 'second', name: 'Second', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ];
    const { sessionId, turn } = await begin(peer, { permission: { options: offered } });
    const { id } = await waiting(sessionId);
    const mapping = { asked: 'always', chosen: { optionId: 'first', kind: 'allow_once' }, nearest: true };
    expect((await answer(id, { reply: 'always' })).state).toMatchObject({ mapping });
    await turn;
    expect(said(peer)).toEqual({ outcome: { outcome: 'selected', optionId: 'first' } });
    const told = peer.notifications('_sandboxagent/session/request_resolved');
    expect(told).toMatchObject([{ requestId: id, by: 'http-api', outcome: { kind: 'answered', mapping } }]);
    const log = await readLog(reeve, sessionId);
    const noted = log
      .map(({ message }) => message as { type?: string })
      .filter(({ type }) => type === 'request_answered');
    expect(noted).toEqual([{ type: 'request_answered', requestId: id, by: 'http-api', ...mapping }]);
    expect(((await callControl(reeve, `/requests/${id}`)) as Request).state.mapping).toEqual(mapping);
  });
});

it('what nobody answers is rejected in time, though every client has left', async () => {
  const config = {
    agents: { fake: fakeAgentCommand() },
    defaultAgent: 'fake',
    timeouts: { permissionMs: 1500, questionMs: 1500 },
  };
  await using reeve = await startReeve({ config });
  const peer = await connectWebSocket(`${reeve.url}/acp`, { token: reeve.token });
  await peer.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await peer.request<{ sessionId: string }>('session/new', { cwd, mcpServers: [] });
  const prompt = [{ type: 'text', text: script({ permission: {} }, question) }];
  peer.request('session/prompt', { sessionId, prompt }).catch(() => 'left');
  const list = async (): Promise<Request[]> =>
    ((await callControl(reeve, `/requests?session=${sessionId}&state=all`)) as { requests: Request[] }).requests;
  await expect.poll(async () => (await list()).length).toBeGreaterThan(0);
  peer.close();
  await expect
    .poll(async () => (await list()).map(({ state }) => state.by))
    .toEqual(['reeve (time-out)', 'reeve (time-out)']);
  expect((await list()).map(({ state }) => state.result)).toMatchObject([
    { outcome: { outcome: 'selected', optionId: 'reject-once' } },
    { outcome: 'rejected', reason: 'nobody answered in time' },
  ]);
});

it('a question of an agent that ended with the server is void: nobody is asked, no answer counts', async () => {
  const first = await startReeve({
    config: { agents: { fake: fakeAgentCommand(['--resume']) }, defaultAgent: 'fake' },
  });
  const peer = await connectWebSocket(`${first.url}/acp`, { token: first.token });
  await peer.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await peer.request<{ sessionId: string }>('session/new', { cwd, mcpServers: [] });
  peer.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: script(question) }] }).catch(() => 'gone');
  const path = `/requests?session=${sessionId}&state=all`;
  let found: Request[] = [];
  const look = async (): Promise<number> => {
    ({ requests: found } = (await callControl(first, path)) as { requests: Request[] });
    return found.length;
  };
  await expect.poll(look).toBe(1);
  await first.kill('SIGKILL');
  await using reeve = await first.restart();
  await using back = await connectWebSocket(`${reeve.url}/acp`, { token: reeve.token });
  await back.request('initialize', { protocolVersion: 1, clientCapabilities: QUESTIONS });
  const asked: unknown[] = [];
  back.onRequest(ASK, (params) => {
    asked.push(params);
    return { outcome: 'cancelled' };
  });
  await back.request('session/load', { sessionId, cwd, mcpServers: [] });
  const init = { method: 'POST', body: JSON.stringify({ optionId: 'tabs' }) };
  await expect(callControl(reeve, `/requests/${found[0]?.id}/answer`, init)).rejects.toThrow(/ 409 .*void/);
  expect(asked).toEqual([]);
});
