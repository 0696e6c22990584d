import { describe, expect, it } from 'vitest';
import {
  checkAnswers,
  checkQuestionResult,
  offeredBy,
  type Question,
  questionStatus,
  readQuestion,
} from './question.ts';

const options = [
  { id: 'a', label: 'A' },
  { id: 'b', label: 'B', description: 'the other' },
];
const single: Question = { prompt: 'Which?', options, multiSelect: false, freeText: false };
const several: Question = { ...single, multiSelect: true };
const open: Question = { ...single, freeText: true };

describe('readQuestion', () => {
  const params = { sessionId: 's', questionId: 'q', prompt: 'Which?', options };

  it('reads what is asked; what is left out is no', () => {
    expect(readQuestion(params)).toEqual({ kind: 'ok', questionId: 'q', question: single });
    const all = { ...params, multiSelect: true, freeText: true, other: 1 };
    expect(readQuestion(all)).toMatchObject({ question: { ...several, freeText: true } });
  });

  it('takes a text for a question without options, or nothing could answer it', () => {
    const question = { prompt: 'Which?', options: [], multiSelect: false, freeText: true };
    expect(readQuestion({ ...params, options: undefined })).toMatchObject({ question });
    expect(readQuestion({ ...params, options: [], freeText: false })).toMatchObject({ question });
  });

  it('counts the first of two options with one id', () => {
    const twice = [...options, { id: 'a', label: 'again' }];
    expect(readQuestion({ ...params, options: twice })).toMatchObject({ question: { options } });
  });

  it.each([
    [undefined, 'params'],
    [{ ...params, questionId: undefined }, 'questionId'],
    [{ ...params, questionId: '' }, 'questionId'],
    [{ ...params, prompt: 7 }, 'prompt'],
    [{ ...params, options: 'a' }, 'options'],
    [{ ...params, options: [{ id: 'a' }] }, 'options'],
    [{ ...params, options: [null] }, 'options'],
  ])('names what is wrong with %j', (wrong, member) => {
    expect(readQuestion(wrong)).toMatchObject({ kind: 'invalid', why: expect.stringContaining(`${member}:`) });
  });
});

describe('checkAnswers', () => {
  it.each<[string, Question, unknown]>([
    ['one option', single, [{ optionId: 'b' }]],
    ['several where they may be', several, [{ optionId: 'a' }, { optionId: 'b' }]],
    ['none where several may be', several, []],
    ['a text where one is taken', open, [{ text: 'C' }]],
    ['options and a text', { ...open, multiSelect: true }, [{ optionId: 'a' }, { text: 'C' }]],
  ])('takes %s', (_, question, answers) => {
    expect(checkAnswers(question, answers)).toEqual({ kind: 'ok', value: answers });
  });

  it.each<[string, Question, unknown]>([
    ['an unknown option', single, [{ optionId: 'c' }]],
    ['two where one is asked for', single, [{ optionId: 'a' }, { optionId: 'b' }]],
    ['an option and a text where one is asked for', open, [{ optionId: 'a' }, { text: 'C' }]],
    ['none where one is asked for', single, []],
    ['the same one twice', several, [{ optionId: 'a' }, { optionId: 'a' }]],
    ['a text where none is taken', single, [{ text: 'C' }]],
    ['two texts', { ...open, multiSelect: true }, [{ text: 'C' }, { text: 'D' }]],
    ['both in one', open, [{ optionId: 'a', text: 'C' }]],
    ['what is no answer', single, [null]],
    ['what is no list', single, { optionId: 'a' }],
    ['a name that objects have', single, [{ optionId: 'constructor' }]],
  ])('refuses %s', (_, question, answers) => {
    expect(checkAnswers(question, answers)).toMatchObject({ kind: 'invalid', why: expect.any(String) });
  });

  it('says what is offered', () => {
    expect(offeredBy(open)).toEqual(['a', 'b', '{"text": …}']);
    expect(offeredBy(single)).toEqual(['a', 'b']);
  });
});

describe('checkQuestionResult', () => {
  it.each([
    { outcome: 'answered', answers: [{ optionId: 'a' }], _meta: { kept: 1 } },
    { outcome: 'rejected' },
    { outcome: 'rejected', reason: 'no' },
    { outcome: 'cancelled' },
  ])('takes %j as it came', (result) => {
    expect(checkQuestionResult(single, result)).toEqual({ kind: 'ok', value: result });
  });

  it.each([
    undefined,
    null,
    [],
    'cancelled',
    {},
    { outcome: 'pending' },
    { outcome: 'answered' },
    { outcome: 'rejected', reason: 7 },
    { action: 'accept' },
  ])('refuses %j', (result) => {
    expect(checkQuestionResult(single, result)).toMatchObject({ kind: 'invalid' });
  });
});

it.each([
  [{ outcome: 'answered' }, 'answered'],
  [{ action: 'accept' }, 'answered'],
  [{ outcome: 'rejected' }, 'rejected'],
  [{ action: 'decline' }, 'rejected'],
  [{ outcome: 'cancelled' }, 'cancelled'],
  [{ action: 'cancel' }, 'cancelled'],
  [null, 'cancelled'],
])('the status of %j is %s', (result, status) => {
  expect(questionStatus(result)).toBe(status);
});
