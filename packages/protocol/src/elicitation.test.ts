import { describe, expect, it } from 'vitest';
import { capabilitiesForAgent, checkElicitationResult, elicitationMode, servesElicitation } from './elicitation.ts';

const form = (properties: object, required?: readonly string[]) => ({
  mode: 'form',
  message: 'm',
  requestedSchema: { type: 'object', properties, ...(required ? { required } : {}) },
});
const accept = (content: unknown) => ({ action: 'accept', content });

describe('checkElicitationResult', () => {
  it.each([
    { action: 'accept', content: {} },
    { action: 'accept' },
    { action: 'accept', content: null },
    { action: 'decline' },
    { action: 'decline', content: 'not looked at' },
    { action: 'cancel', _meta: {} },
  ])('takes %j as it came', (result) => {
    expect(checkElicitationResult(form({}), result)).toEqual({ kind: 'ok', value: result });
  });

  it.each([
    undefined,
    null,
    [],
    'accept',
    {},
    { action: 'yes' },
    { action: null },
    { action: 'accept', content: ['a'] },
    { action: 'accept', content: 'a' },
  ])('refuses %j', (result) => {
    expect(checkElicitationResult(form({}), result)).toMatchObject({ kind: 'invalid', why: expect.any(String) });
  });

  it.each<[object, unknown, unknown]>([
    [{ type: 'string' }, 'text', 7],
    [{ type: 'string', enum: ['a', 'b'] }, 'b', 'c'],
    [{ type: 'string', oneOf: [{ const: 'a', title: 'A' }] }, 'a', 'A'],
    [{ type: 'string', minLength: 2, maxLength: 3 }, '🙂🙂🙂', '🙂'],
    [{ type: 'string', maxLength: 3 }, 'abc', 'abcd'],
    [{ type: 'string', format: 'email' }, 'me@example.org', 'me'],
    [{ type: 'string', format: 'uri' }, 'https://example.org', 'example'],
    [{ type: 'string', format: 'date' }, '2026-11-21', '2026-13-01'],
    [{ type: 'string', format: 'date' }, '2026-11-21', '21.11.2026'],
    [{ type: 'string', format: 'date-time' }, '2026-11-21T10:00:00Z', '2026-11-21'],
    [{ type: 'number', minimum: 1, maximum: 2 }, 1.5, 0.5],
    [{ type: 'number', maximum: 2 }, 2, 2.1],
    [{ type: 'number' }, -1e9, '1'],
    [{ type: 'integer' }, 3, 3.5],
    [{ type: 'boolean' }, false, 'false'],
    [{ type: 'array', items: { type: 'string', enum: ['a', 'b'] } }, ['b', 'a'], ['c']],
    [{ type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } }, ['a'], ['a', 'a']],
    [{ type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1 }, ['a'], []],
    [{ type: 'array', items: { type: 'string', enum: ['a', 'b'] }, maxItems: 1 }, ['a'], ['a', 'b']],
    [{ type: 'string', enum: ['a'] }, 'a', null],
  ])('holds a field against its schema %j: %j is taken, %j is not', (field, good, bad) => {
    expect(checkElicitationResult(form({ field }), accept({ field: good }))).toMatchObject({ kind: 'ok' });
    expect(checkElicitationResult(form({ field }), accept({ field: bad }))).toMatchObject({
      kind: 'invalid',
      why: expect.stringContaining('"field": expected'),
    });
  });

  it('wants every field that is required, and none that was not asked for', () => {
    const two = form({ a: { type: 'string' }, b: { type: 'string' } }, ['a']);
    expect(checkElicitationResult(two, accept({ a: 'x' }))).toMatchObject({ kind: 'ok' });
    expect(checkElicitationResult(two, accept({ b: 'x' }))).toMatchObject({ why: '"a": required' });
    expect(checkElicitationResult(two, { action: 'accept' })).toMatchObject({ why: '"a": required' });
    expect(checkElicitationResult(two, accept({ a: 'x', c: 1 }))).toMatchObject({ why: '"c": not asked for' });
    const inherited = form({ toString: { type: 'string' } }, ['toString']);
    expect(checkElicitationResult(inherited, accept({}))).toMatchObject({ why: '"toString": required' });
  });

  it('leaves to the agent what it cannot know: newer types, patterns, schemas that are none', () => {
    expect(checkElicitationResult(form({ a: { type: '_color' } }), accept({ a: [1] }))).toMatchObject({ kind: 'ok' });
    const slow = form({ a: { type: 'string', pattern: '^(a+)+$' } });
    expect(checkElicitationResult(slow, accept({ a: `${'a'.repeat(50)}!` }))).toMatchObject({ kind: 'ok' });
    const odd = { mode: 'form', message: 'm', requestedSchema: 7 };
    expect(checkElicitationResult(odd, accept({ a: 1 }))).toMatchObject({ kind: 'ok' });
  });
});

describe('what a client can be shown', () => {
  it('is what it says with an object: absent, null and an empty object say no', () => {
    expect(servesElicitation({ elicitation: { form: {} } }, 'form')).toBe(true);
    expect(servesElicitation({ elicitation: { form: {} } }, 'url')).toBe(false);
    expect(servesElicitation({ elicitation: { form: null, url: {} } }, 'form')).toBe(false);
    for (const elicitation of [{}, null, true, undefined, []])
      expect(servesElicitation({ elicitation }, 'form')).toBe(false);
    expect(servesElicitation({ elicitation: {} }, 'constructor')).toBe(false);
    expect(servesElicitation({ elicitation: { _theirs: {} } }, '_theirs')).toBe(true);
  });

  it('a mode that is not said is a form', () => {
    expect(elicitationMode({})).toBe('form');
    expect(elicitationMode({ mode: 'url' })).toBe('url');
  });

  it('is told to the agent as it came, with questions always and forms where they become questions', () => {
    const said = {
      elicitation: { url: {} },
      fs: { readTextFile: true },
      _meta: { theirs: 1, 'sandboxagent.dev': { requestQuestion: true, seq: true } },
    };
    expect(capabilitiesForAgent(said)).toEqual({ ...said, elicitation: { url: {}, form: {} } });
    expect(capabilitiesForAgent({ elicitation: null })).toEqual({
      elicitation: null,
      _meta: { 'sandboxagent.dev': { requestQuestion: true } },
    });
  });
});
