import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ambiguousMember } from './ambiguous-member.ts';

const KNOWN = [['method', 'params'], ['name']];
const look = (json: string): string | undefined => ambiguousMember(Buffer.from(json), KNOWN);

describe('a member that two programs read in two ways', () => {
  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"a":1,"A":2}', 'A'],
    ['{"Method":1}', 'Method'],
    ['{"params":{"NAME":1}}', 'NAME'],
    ['{"param\u017f":{}}', 'param\u017f'],
    ['{"x":[{"y":{"z":1, "z" :2}}]}', 'z'],
    ['{"x":{"y":[1,{"k":"}"},{"q":{},"q":[]}]}}', 'q'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ])('is found in %s', (json, key) => {
    expect(look(json)).toBe(key);
  });

  it.each([
    '{}',
    '[]',
    '"a"',
    '{"method":"method","params":{"name":"name","Other":1}}',
    '{"a":{"b":{"path":1,"Path":2}}}',
    '{"a":["b","b",{"c":"c"},{"c":"c"}],"b":"a,\\"a\\":1"}',
    '{"constructor":1,"toString":2}',
  ])('is not in %s', (json) => {
    expect(look(json)).toBeUndefined();
  });

  it('is in nothing that was written by JSON.stringify without keys that differ in case alone', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(ambiguousMember(Buffer.from(JSON.stringify(value)), [])).toBeUndefined();
      }),
    );
  });

  it('is a key of the top that makes it another kind of message, and not the same key below', () => {
    const foreign = (json: string) => ambiguousMember(Buffer.from(json), [['method', 'params', 'result']], ['result']);
    expect(foreign('{"method":"m","result":1}')).toBe('result');
    expect(foreign('{"method":"m","re\\u0073ult":1}')).toBe('result');
    expect(foreign('{"method":"m","params":{"result":1}}')).toBeUndefined();
    expect(foreign('[{"result":1}]')).toBeUndefined();
  });

  it('is looked for however deep a text is nested', () => {
    const depth = 200_000;
    expect(look(`${'{"a":'.repeat(depth)}{"b":1,"b":2}${'}'.repeat(depth)}`)).toBe('b');
  });
});
