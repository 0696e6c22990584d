import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkFormContent } from './elicitation-form.ts';
import { EXTENSION } from './extension.ts';
import type { JsonObject } from './json-rpc.ts';
import { checkQuestionResult, type Question, type QuestionAnswer, type QuestionResult } from './question.ts';
import { formOfQuestion, questionAsked, questionOfForm, questionResultOf } from './question-translation.ts';

const elicitation = (requestedSchema: unknown, message = 'Which?') => ({ mode: 'form', message, requestedSchema });
const form = (properties: JsonObject, required: readonly string[] = []) =>
  elicitation({ type: 'object', properties, required });
const answered = (...answers: QuestionAnswer[]): QuestionResult => ({ outcome: 'answered', answers });

const text = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' });
const option = fc.record({ id: text, label: text, description: text }, { requiredKeys: ['id', 'label'] });
const question: fc.Arbitrary<Question> = fc
  .record({
    prompt: text,
    options: fc.uniqueArray(option, { selector: ({ id }) => id, maxLength: 6 }),
    multiSelect: fc.boolean(),
    freeText: fc.boolean(),
  })
  .map((it) => ({ ...it, freeText: it.freeText || it.options.length === 0 }))
  // A choice among nothing is none.
  .map((it) => ({ ...it, multiSelect: it.multiSelect && it.options.length > 0 }));

const answersTo = ({ options, multiSelect, freeText }: Question): fc.Arbitrary<QuestionAnswer[]> => {
  const typed = fc.record({ text });
  const chosen = options.length > 0 ? fc.constantFrom(...options).map(({ id }) => ({ optionId: id })) : typed;
  if (!multiSelect) return fc.tuple(freeText ? fc.oneof(chosen, typed) : chosen);
  const several = fc.subarray(options.map(({ id }) => ({ optionId: id })));
  return fc
    .tuple(several, freeText ? fc.option(typed, { nil: undefined }) : fc.constant(undefined))
    .map(([ids, own]) => [...ids, ...(own ? [own] : [])]);
};

describe('a question as a form', () => {
  it('reads as the same question again, whatever it asks', () => {
    fc.assert(
      fc.property(question, (it) => {
        expect(questionOfForm(elicitation(formOfQuestion(it), it.prompt))?.question).toEqual(it);
      }),
    );
  });

  it('takes every answer to the question, and gives it back', () => {
    const both = question.chain((it) => fc.tuple(fc.constant(it), answersTo(it)));
    fc.assert(
      fc.property(both, ([it, answers]) => {
        const schema = formOfQuestion(it);
        const filled = questionOfForm(elicitation(schema, it.prompt))?.elicitationResult(answered(...answers));
        expect(filled).toMatchObject({ action: 'accept' });
        const { content } = filled as { content: JsonObject };
        expect(checkFormContent(schema, content)).toMatchObject({ kind: 'ok' });
        const back = questionResultOf(it, filled);
        expect(back).toEqual(answered(...answers));
        expect(checkQuestionResult(it, back)).toMatchObject({ kind: 'ok' });
      }),
    );
  });

  it('never makes an answer of what is none: what breaks the form is refused as an answer too', () => {
    const content = fc.dictionary(
      fc.constantFrom('answer', 'text', 'other'),
      fc.oneof(text, fc.array(text), fc.jsonValue()),
    );
    fc.assert(
      fc.property(question, content, (it, filled) => {
        const result = questionResultOf(it, { action: 'accept', content: filled });
        const checked = checkQuestionResult(it, result);
        if (checked.kind === 'ok') {
          const nonEmpty = filled.text === '' && it.options.length > 0 ? { answer: filled.answer } : filled;
          expect(checkFormContent(formOfQuestion(it), JSON.parse(JSON.stringify(nonEmpty)))).toMatchObject({
            kind: 'ok',
          });
        }
      }),
    );
  });

  it('is a choice with titles and descriptions, several, or a text beside it', () => {
    const options = [
      { id: 'a', label: 'A', description: 'first' },
      { id: 'b', label: 'B' },
    ];
    const choices = [
      { const: 'a', title: 'A', description: 'first' },
      { const: 'b', title: 'B' },
    ];
    const asked: Question = { prompt: 'p', options, multiSelect: false, freeText: false };
    expect(formOfQuestion(asked)).toEqual({
      type: 'object',
      properties: { answer: { type: 'string', title: 'Answer', oneOf: choices } },
      required: ['answer'],
    });
    expect(formOfQuestion({ ...asked, multiSelect: true, freeText: true })).toMatchObject({
      properties: { answer: { type: 'array', items: { anyOf: choices } }, text: { type: 'string' } },
    });
    expect(formOfQuestion({ ...asked, freeText: true })).not.toHaveProperty('required');
    expect(formOfQuestion({ ...asked, options: [], freeText: true })).toMatchObject({ required: ['text'] });
  });

  it('leaves out a text that was left empty beside a choice', () => {
    const asked: Question = { prompt: 'p', options: [{ id: 'a', label: 'A' }], multiSelect: false, freeText: true };
    const result = questionResultOf(asked, { action: 'accept', content: { answer: 'a', text: '' } });
    expect(result).toEqual(answered({ optionId: 'a' }));
  });

  it.each([
    [{ action: 'decline' }, { outcome: 'rejected' }],
    [{ action: 'cancel' }, { outcome: 'cancelled' }],
  ])('of which %j is %j', (result, expected) => {
    const asked: Question = { prompt: 'p', options: [], multiSelect: false, freeText: true };
    expect(questionResultOf(asked, result)).toEqual(expected);
  });
});

describe('a form as a question', () => {
  it.each<[string, JsonObject, Partial<Question>, QuestionAnswer[], JsonObject]>([
    ['plain choices', { type: 'string', enum: ['a', 'b'] }, { freeText: false }, [{ optionId: 'b' }], { it: 'b' }],
    [
      'several choices',
      { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
      { multiSelect: true },
      [{ optionId: 'b' }, { optionId: 'a' }],
      { it: ['b', 'a'] },
    ],
    ['none of several', { type: 'array', items: { enum: ['a'] } }, { multiSelect: true }, [], { it: [] }],
    [
      'yes or no',
      { type: 'boolean' },
      {
        options: [
          { id: 'true', label: 'Yes' },
          { id: 'false', label: 'No' },
        ],
      },
      [{ optionId: 'false' }],
      { it: false },
    ],
    ['a text', { type: 'string' }, { options: [], freeText: true }, [{ text: '7' }], { it: '7' }],
    ['a number', { type: 'number' }, { options: [], freeText: true }, [{ text: ' -1.5e2 ' }], { it: -150 }],
    [
      'what is no number stays text, for the check to refuse',
      { type: 'integer' },
      {},
      [{ text: '0x10' }],
      { it: '0x10' },
    ],
  ])('%s', (_, schema, expected, answers, content) => {
    const read = questionOfForm(form({ it: schema }, ['it']));
    expect(read?.question).toMatchObject({ prompt: 'Which?', ...expected });
    expect(read?.elicitationResult(answered(...answers))).toEqual({ action: 'accept', content });
  });

  it('keeps what the field and the form say beside the message', () => {
    const schema = { type: 'string', enum: ['a'], title: 'Colour', description: 'of the roof' };
    const read = questionOfForm(elicitation({ title: 'House', properties: { it: schema } }));
    expect(read?.question.prompt).toBe('Which?\nHouse\nColour\nof the roof');
  });

  it('is none when it asks for more than one thing, or for what nobody knows', () => {
    const choice = { type: 'string', enum: ['a'] };
    for (const params of [
      form({}),
      form({ a: choice, b: choice }),
      form({ a: { type: 'string' }, b: { type: 'string' } }),
      form({ a: choice, b: { type: 'number' } }),
      form({ a: choice, b: { type: 'string' } }, ['a']),
      form({ a: choice, b: { type: 'string' } }, ['b']),
      form({ a: choice, b: { type: 'string' }, c: { type: 'boolean' } }),
      form({ a: { type: '_new' } }),
      form({ a: { type: 'string', enum: [1] } }),
      elicitation(undefined),
      { ...form({ a: choice }), mode: 'url' },
      { ...form({ a: choice }), message: 7 },
      undefined,
    ])
      expect(questionOfForm(params)).toBeUndefined();
  });

  it('reads a choice with a text that may stay empty, in either order', () => {
    const fields = { own: { type: 'string' }, pick: { type: 'array', items: { enum: ['a'] } } };
    const read = questionOfForm(form(fields));
    expect(read?.question).toMatchObject({ multiSelect: true, freeText: true, options: [{ id: 'a' }] });
    const filled = read?.elicitationResult(answered({ optionId: 'a' }, { text: 'x' }));
    expect(filled).toEqual({ action: 'accept', content: { pick: ['a'], own: 'x' } });
  });

  it('never throws, whatever the agent sends', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (params, result) => {
        questionOfForm(params);
        questionOfForm(elicitation(params));
        questionOfForm(form({ __proto__: params, a: params } as JsonObject));
        questionAsked(EXTENSION.requestQuestion, params);
        questionResultOf({ prompt: '', options: [], multiSelect: true, freeText: true }, result);
      }),
    );
  });
});
