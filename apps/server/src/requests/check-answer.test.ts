import {
  type AgentEpoch,
  checkElicitationResult,
  checkPermissionResult,
  checkQuestionResult,
  EXTENSION,
  type JsonObject,
  ourMeta,
  questionAsked,
  type RequestAnswer,
  type RequestId,
  type RequestKind,
  type SessionId,
} from '@reeve/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerTooLate, checkAnswer } from './check-answer.ts';
import type { StoredRequest } from './request-store.ts';

const METHODS: Readonly<Record<RequestKind, string>> = {
  permission: 'session/request_permission',
  question: EXTENSION.requestQuestion,
  elicitation: 'elicitation/create',
  review: EXTENSION.review,
};

const SOMEBODY = { administrator: false, now: 0 };

function asked(kind: RequestKind, params: unknown): StoredRequest {
  return {
    id: 'r1' as RequestId,
    sessionId: 's' as SessionId,
    agentEpoch: 1 as AgentEpoch,
    rpcId: 1,
    kind,
    method: METHODS[kind],
    params,
    createdAt: 0,
    state: { kind: 'pending' },
  };
}

const permission = asked('permission', {
  options: [
    { optionId: 'now', name: 'Now', kind: 'allow_once' },
    { optionId: 'other', name: 'Other', kind: 'allow_once' },
    { optionId: 'never', name: 'Never', kind: 'reject_always' },
  ],
});
const options = [
  { id: 'a', label: 'A' },
  { id: 'b', label: 'B' },
];
const question = asked('question', { questionId: 'q', prompt: 'Which?', options });
const form = (properties: object, required: readonly string[] = []): StoredRequest =>
  asked('elicitation', { mode: 'form', message: 'Which?', requestedSchema: { type: 'object', properties, required } });
const pick = form({ pick: { type: 'string', enum: ['a', 'b'] } }, ['pick']);
const two = form({ name: { type: 'string' }, size: { type: 'integer' } }, ['size']);
const page = asked('elicitation', { mode: 'url', message: 'Log in', elicitationId: 'e', url: 'https://example.org' });

describe('an answer to a permission', () => {
  it.each<[RequestAnswer, string, unknown]>([
    [{ reply: 'once' }, 'now', { asked: 'once', chosen: { optionId: 'now', kind: 'allow_once' }, nearest: false }],
    [{ reply: 'always' }, 'now', { asked: 'always', chosen: { optionId: 'now', kind: 'allow_once' }, nearest: true }],
    [
      { reply: 'reject' },
      'never',
      { asked: 'reject', chosen: { optionId: 'never', kind: 'reject_always' }, nearest: true },
    ],
    [
      { reject: true },
      'never',
      { asked: 'reject', chosen: { optionId: 'never', kind: 'reject_always' }, nearest: true },
    ],
    [{ optionId: 'other' }, 'other', undefined],
  ])('%j takes %s', (answer, optionId, mapping) => {
    const checked = checkAnswer(permission, answer, SOMEBODY);
    expect(checked).toEqual({
      kind: 'ok',
      result: { outcome: { outcome: 'selected', optionId } },
      ...(mapping ? { mapping } : {}),
    });
  });

  it('keeps the reason of a rejection where ACP has a place for it', () => {
    const checked = checkAnswer(permission, { reject: 'too dangerous' }, SOMEBODY);
    expect(checked).toMatchObject({
      result: { outcome: { optionId: 'never' }, _meta: { 'sandboxagent.dev': { reason: 'too dangerous' } } },
    });
  });

  it.each<[RequestAnswer]>([
    [{ optionId: 'x' }],
    [{ answers: [{ optionId: 'now' }] }],
    [{ content: {} }],
    [{ result: {} }],
  ])('refuses %j', (answer) => {
    expect(checkAnswer(permission, answer, SOMEBODY)).toMatchObject({
      kind: 'not_offered',
      offered: ['now', 'other', 'never'],
    });
  });
});

describe('an answer to a question', () => {
  it.each<[RequestAnswer, JsonObject]>([
    [{ optionId: 'a' }, { outcome: 'answered', answers: [{ optionId: 'a' }] }],
    [{ answers: [{ optionId: 'b' }] }, { outcome: 'answered', answers: [{ optionId: 'b' }] }],
    [{ reject: true }, { outcome: 'rejected' }],
    [{ reply: 'reject' }, { outcome: 'rejected' }],
    [{ reject: 'later' }, { outcome: 'rejected', reason: 'later' }],
  ])('%j is %j, with its id and status for who knows the older interface', (answer, result) => {
    const _meta = { 'sandboxagent.dev': { questionId: 'q', status: result.outcome } };
    expect(checkAnswer(question, answer, SOMEBODY)).toEqual({ kind: 'ok', result: { ...result, _meta } });
  });

  it('goes on as it came when it is a result', () => {
    const result = { outcome: 'answered', answers: [{ optionId: 'a' }], _meta: { theirs: 1 } };
    expect(checkAnswer(question, { result }, SOMEBODY)).toEqual({ kind: 'ok', result });
  });

  it.each<[RequestAnswer]>([
    [{ optionId: 'c' }],
    [{ answers: [{ text: 'c' }] }],
    [{ answers: [{ optionId: 'a' }, { optionId: 'b' }] }],
    [{ reply: 'once' }],
    [{ content: { answer: 'a' } }],
    [{ result: { action: 'accept' } }],
  ])('refuses %j', (answer) => {
    expect(checkAnswer(question, answer, SOMEBODY)).toMatchObject({ kind: 'not_offered', offered: ['a', 'b'] });
  });
});

describe('an answer to an elicitation', () => {
  it.each<[string, StoredRequest, RequestAnswer, JsonObject]>([
    ['that asks one thing', pick, { optionId: 'a' }, { action: 'accept', content: { pick: 'a' } }],
    ['that asks one thing', pick, { answers: [{ optionId: 'b' }] }, { action: 'accept', content: { pick: 'b' } }],
    ['that is filled in', two, { content: { size: 3 } }, { action: 'accept', content: { size: 3 } }],
    ['that shows a page', page, { content: {} }, { action: 'accept' }],
    ['that is turned down', two, { reply: 'reject' }, { action: 'decline' }],
  ])('%s', (_, request, answer, result) => {
    const _meta = {
      'sandboxagent.dev': { questionId: 'r1', status: result.action === 'accept' ? 'answered' : 'rejected' },
    };
    expect(checkAnswer(request, answer, SOMEBODY)).toEqual({ kind: 'ok', result: { ...result, _meta } });
  });

  it('tells why it was turned down', () => {
    const checked = checkAnswer(page, { reject: 'not there' }, SOMEBODY);
    expect(ourMeta(checked.kind === 'ok' && checked.result)).toMatchObject({ status: 'rejected', reason: 'not there' });
  });

  it.each<[StoredRequest, RequestAnswer, readonly string[]]>([
    [pick, { optionId: 'c' }, ['a', 'b']],
    [pick, { content: { pick: 'c' } }, ['a', 'b']],
    [two, { optionId: 'a' }, ['{"content": {"name": …, "size": …}}', '{"reject": true}']],
    [two, { content: { name: 'x' } }, ['{"content": {"name": …, "size": …}}', '{"reject": true}']],
    [page, { content: { a: 1 } }, ['{"content": {}}', '{"reject": true}']],
    [page, { answers: [{ text: 'yes' }] }, ['{"content": {}}', '{"reject": true}']],
  ])('%#: refuses what does not fit, and says what would', (request, answer, offered) => {
    expect(checkAnswer(request, answer, SOMEBODY)).toMatchObject({
      kind: 'not_offered',
      offered,
      why: expect.any(String),
    });
  });
});

describe('whatever was asked and answered', () => {
  const json = fc.jsonValue();
  const request = fc
    .tuple(fc.constantFrom<RequestKind>('permission', 'question', 'elicitation'), json)
    .map(([kind, params]) => asked(kind, params));
  const known = fc.constantFrom(permission, question, pick, two, page);
  const text = fc.constantFrom('a', 'b', 'now', 'x', '');
  const answer = fc.oneof(
    fc.record({ reply: fc.constantFrom('once', 'always', 'reject') }),
    fc.record({ optionId: text }),
    fc.record({ answers: fc.array(fc.oneof(fc.record({ optionId: text }), fc.record({ text }))) }),
    fc.record({ content: fc.dictionary(fc.constantFrom('pick', 'name', 'size', 'x'), json) }),
    fc.record({ reject: fc.oneof(fc.constant(true as const), text) }),
    fc.record({ result: json }),
  ) as fc.Arbitrary<RequestAnswer>;

  it('an answer is a result that the method allows, or is refused; nothing throws', () => {
    fc.assert(
      fc.property(fc.oneof(request, known), answer, (it, given) => {
        const checked = checkAnswer(it, given, SOMEBODY);
        const results = [answerTooLate(it).result, ...(checked.kind === 'ok' ? [checked.result] : [])];
        for (const result of results) expect(isAllowed(it, result)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

function isAllowed(request: StoredRequest, result: unknown): boolean {
  if (request.kind === 'permission')
    return checkPermissionResult((request.params as JsonObject | null)?.options, result).kind === 'ok';
  if (request.kind === 'elicitation') return checkElicitationResult(request.params, result).kind === 'ok';
  const asks = questionAsked(request.method, request.params);
  const none = { prompt: '', options: [], multiSelect: false, freeText: false };
  return checkQuestionResult(asks ?? none, result).kind === 'ok';
}
