import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memberSpan, removeMember, setMember } from './json-bytes.ts';

const bytes = (text: string): Buffer => Buffer.from(text);
const at = (text: string, ...path: string[]): string | undefined => {
  const span = memberSpan(bytes(text), path);
  return span && bytes(text).subarray(span.start, span.end).toString();
};

/** A JSON text as somebody else may have written it: what a value means, in one of its many spellings. */
type Node =
  | { readonly kind: 'scalar'; readonly text: string }
  | { readonly kind: 'array'; readonly items: readonly Node[]; readonly space: string }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Node])[]; readonly space: string };

const space = fc.constantFrom('', '', ' ', '\n', '\t \r\n');
// No name with a backslash: V8 13.6 itself misreads an escaped key after it has seen such a name at the same place
// (`{"b":0,"\\":1}`, then `{"b":0,"\u0061":1}`), and JSON.parse is what these tests compare with.
const keyNames = [
  'a',
  'b',
  'ab',
  '_meta',
  '',
  '__proto__',
  'é',
  '😀',
  '"',
  'a"}',
  '\u0000',
  '\ud800',
  '�',
  'x'.repeat(60),
];

/** One string in a random spelling: each character as it is, or as `\uXXXX`. Lone surrogates are always escaped. */
const spelled = (value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(value, fc.array(fc.boolean(), { maxLength: 8 })).map(([text, escapes]) => {
    const characters = [...text].map((character, index) =>
      escapes[index] ? escaped(character) : JSON.stringify(character).slice(1, -1),
    );
    return `"${characters.join('')}"`;
  });

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');

const key = spelled(fc.constantFrom(...keyNames));
const anyText = spelled(
  fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\\'.repeat(70), `${'"'.repeat(40)}\\`)),
);
const scalar = fc
  .oneof(anyText, fc.constantFrom('0', '-1.5e+10', '123', 'true', 'false', 'null', '""'))
  .map((text): Node => ({ kind: 'scalar', text }));

const { object } = fc.letrec<{ node: Node; object: Node; array: Node }>((tie) => ({
  node: fc.oneof({ maxDepth: 5, depthSize: 'small', withCrossShrink: true }, scalar, tie('object'), tie('array')),
  object: fc.record({
    kind: fc.constant('object' as const),
    members: fc.array(fc.tuple(key, tie('node')), { maxLength: 5 }),
    space,
  }),
  array: fc.record({ kind: fc.constant('array' as const), items: fc.array(tie('node'), { maxLength: 4 }), space }),
}));

function print(value: Node): string {
  if (value.kind === 'scalar') return value.text;
  const gap = value.space;
  if (value.kind === 'array') return `[${gap}${value.items.map(print).join(`${gap},${gap}`)}${gap}]`;
  const members = value.members.map(([name, member]) => `${name}${gap}:${gap}${print(member)}`);
  return `{${gap}${members.join(`${gap},${gap}`)}${gap}}`;
}

const document = fc.tuple(space, object, space).map(([before, value, after]) => before + print(value) + after);
const path = fc.array(fc.constantFrom(...keyNames), { minLength: 1, maxLength: 4 });

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function get(value: unknown, keys: readonly string[]): { readonly value: unknown } | undefined {
  let here = value;
  for (const name of keys) {
    if (!isRecord(here) || !Object.hasOwn(here, name)) return undefined;
    here = here[name];
  }
  return { value: here };
}

const own = (target: object, name: string, value: unknown): void => {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
};

function set(value: unknown, keys: readonly string[], member: unknown): unknown {
  const [name, ...rest] = keys;
  if (name === undefined) return member;
  const target = isRecord(value) ? value : {};
  own(target, name, set(Object.hasOwn(target, name) ? target[name] : undefined, rest, member));
  return target;
}

const runs = { numRuns: 1000 };

describe('memberSpan', () => {
  it('finds a value behind whitespace, escapes and other members', () => {
    expect(at(' { "x" : [1,{"b":2}] , "\\u0061" : {"b" :  "v\\"}" } } ', 'a', 'b')).toBe('"v\\"}"');
    expect(at('{"a":1,"b":-2.5e3}', 'b')).toBe('-2.5e3');
    expect(at(' {"a":1} ')).toBe('{"a":1}');
  });

  it('takes the last of duplicate keys, on the way as well', () => {
    expect(at('{"a":1,"a":2}', 'a')).toBe('2');
    expect(at('{"a":{"b":1},"a":{}}', 'a', 'b')).toBeUndefined();
    expect(at('{"a":{"b":1},"a":null}', 'a', 'b')).toBeUndefined();
  });

  it('does not take a key for another one', () => {
    expect(at('{"ab":1,"b":{"a":2},"c":["a"],"d":"a"}', 'a')).toBeUndefined();
    expect(at('{"�":1}', '\ud800')).toBeUndefined();
    expect(at('{"\\ud800":1}', '\ud800')).toBe('1');
    expect(at('{"\\\\u0061":1,"\\\\":2}', 'a')).toBeUndefined();
    expect(at('{"\\\\u0061":1,"\\\\":2,"\\u005c":3}', '\\')).toBe('3');
  });

  it('agrees with JSON.parse on any text', () => {
    fc.assert(
      fc.property(document, path, (text, keys) => {
        const expected = get(JSON.parse(text), keys);
        const found = at(text, ...keys);
        expect(found === undefined ? undefined : { value: JSON.parse(found) }).toEqual(expected);
      }),
      runs,
    );
  });

  it('walks text that is nested 100,000 deep', () => {
    const deep = `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)},"y":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)},"z":7}`;
    expect(at(deep, 'z')).toBe('7');
    expect(setMember(bytes(deep), ['z'], '8').toString()).toBe(deep.replace('"z":7', '"z":8'));
    expect(removeMember(bytes(deep), ['z']).toString()).toBe(deep.replace(',"z":7', ''));
  });

  it('takes linear time for a long string of quotes and backslashes', () => {
    const long = JSON.stringify('\\"'.repeat(2_000_000) + '\\'.repeat(2_000_000));
    const started = performance.now();
    expect(at(`{"x":${long},"z":7}`, 'z')).toBe('7');
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe('setMember', () => {
  it('replaces a value and leaves every other byte', () => {
    const text = '{ "id":1.0, "params" : {"sessionId":"a\\/b" , "n":1e2} }\n';
    expect(setMember(bytes(text), ['params', 'sessionId'], '"z"').toString()).toBe(text.replace('"a\\/b"', '"z"'));
  });

  it('inserts at the end of the object that lacks the member', () => {
    expect(setMember(bytes('{"a":{ }}'), ['a', 'b'], '1').toString()).toBe('{"a":{"b":1 }}');
    expect(setMember(bytes('{"a":{"c":[] }}'), ['a', 'b'], '1').toString()).toBe('{"a":{"c":[],"b":1 }}');
    expect(setMember(bytes('{}'), ['a', 'é', '"'], 'null').toString()).toBe('{"a":{"é":{"\\"":null}}}');
  });

  it('puts an object in the place of what stands on the way and is none', () => {
    for (const blocked of ['null', '[{"b":0}]', '"b"', '3']) {
      expect(setMember(bytes(`{"a":${blocked},"z":1}`), ['a', 'b'], '1').toString()).toBe('{"a":{"b":1},"z":1}');
    }
  });

  it('returns a Buffer and leaves its input alone', () => {
    const input = bytes('{"a":1}');
    expect(Buffer.isBuffer(setMember(input, ['a'], '22'))).toBe(true);
    expect(input.toString()).toBe('{"a":1}');
    expect(new TextDecoder().decode(setMember(new TextEncoder().encode('{}'), ['a'], '"é"'))).toBe('{"a":"é"}');
  });

  it('means what setting the member on the parsed value means, and keeps the bytes around', () => {
    fc.assert(
      fc.property(document, path, document, (text, keys, value) => {
        const edited = setMember(bytes(text), keys, value).toString();
        expect(JSON.parse(edited)).toEqual(set(JSON.parse(text), keys, JSON.parse(value)));
        const span = memberSpan(bytes(text), keys);
        if (span !== undefined) {
          const whole = bytes(text);
          expect(edited).toBe(`${whole.subarray(0, span.start)}${value}${whole.subarray(span.end)}`);
          return;
        }
        // An edit is one splice: a common beginning and a common end make up the old text but for what was blocked.
        let same = 0;
        while (same < text.length && text[same] === edited[same]) same += 1;
        const blocked = keys
          .map((_, depth) => get(JSON.parse(text), keys.slice(0, depth + 1)))
          .find((hit) => hit && !isRecord(hit.value));
        if (blocked === undefined) expect(edited.endsWith(text.slice(same))).toBe(true);
      }),
      runs,
    );
  });
});

describe('removeMember', () => {
  it('takes one comma with the member and leaves the rest', () => {
    expect(removeMember(bytes('{ "a":1 , "b":2 }'), ['a']).toString()).toBe('{ "b":2 }');
    expect(removeMember(bytes('{ "a":1 , "b":2 }'), ['b']).toString()).toBe('{ "a":1 }');
    expect(removeMember(bytes('{ "a":1 }'), ['a']).toString()).toBe('{ }');
    expect(removeMember(bytes('{"a":1,"a":2,"b":3,"a":4}'), ['a']).toString()).toBe('{"b":3}');
  });

  it('gives back its input where there is nothing to remove', () => {
    const input = bytes('{"a":[{"b":1}]}');
    expect(removeMember(input, ['b'])).toBe(input);
    expect(removeMember(input, ['a', 'b'])).toBe(input);
    expect(removeMember(input, [])).toBe(input);
  });

  it('means what deleting the member from the parsed value means', () => {
    fc.assert(
      fc.property(document, path, (text, keys) => {
        const expected: unknown = JSON.parse(text);
        const parent = get(expected, keys.slice(0, -1))?.value;
        if (isRecord(parent)) delete parent[keys.at(-1) as string];
        expect(JSON.parse(removeMember(bytes(text), keys).toString())).toEqual(expected);
      }),
      runs,
    );
  });
});
