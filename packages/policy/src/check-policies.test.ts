import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Cedar, loadCedar } from './cedar.ts';
import { checkPolicies, type PolicyCheck } from './check-policies.ts';
import { ACTIONS, factsShape } from './facts-shape.ts';
import { POLICY_SCHEMA } from './policy-schema.ts';

let cedar: Cedar;
beforeAll(async () => {
  cedar = await loadCedar();
});

const check = (text: string): PolicyCheck => checkPolicies(cedar, [{ name: 'p.cedar', text }]);

const FAULTS: readonly (readonly [string, string, object])[] = [
  [
    'text that does not parse',
    '@id("a")\npermit (principal, action, resource) when { principal. };',
    { line: 2, message: expect.stringContaining('unexpected token'), next: expect.any(String) },
  ],
  [
    'an action that there is not',
    '// é\n@id("a") permit (principal, action == Action::"expose_rot", resource);',
    { line: 2, column: 39, next: expect.stringContaining('Did you mean `Action::"expose_root"`?') },
  ],
  [
    'an attribute that there is not',
    '@id("a") permit (principal is Server, action, resource) when { principal.remote };',
    { line: 1, message: expect.stringContaining('`remote`') },
  ],
  [
    'an attribute that may be missing',
    '@id("a") permit (principal, action, resource is Root) when { resource.repository == "x" };',
    { next: expect.stringContaining('has repository') },
  ],
  [
    'a path, which no fact holds',
    '@id("a") permit (principal, action, resource is Root) when { resource.path like "/home/*" };',
    { message: expect.stringContaining('`path`') },
  ],
  [
    'a word that an attribute never holds',
    '@id("b") permit (principal is Server, action == Action::"expose_root", resource)\nwhen { "read" == context.access };',
    { line: 2, column: 8, message: 'access is never "read"', next: 'Use one of ro, rw.' },
  ],
  [
    'a word among others that a set never holds',
    '@id("b") forbid (principal, action, resource is Root) when { resource.risks.containsAny(["ordinary", "ssh"]) };',
    { message: 'risks is never "ssh"', next: expect.stringContaining('hard_links') },
  ],
  [
    'a policy without an id',
    '@id("a") permit (principal, action, resource);\n\npermit (principal, action, resource);',
    { line: 3 },
  ],
  [
    'an id that is given twice',
    '@id("a") permit (principal, action, resource);\n@id("a") forbid (principal, action, resource);',
    { line: 2, message: 'the id "a" is that of the policy at p.cedar:1 too' },
  ],
  [
    'a template',
    '@id("a") permit (principal == ?principal, action, resource);',
    { next: expect.stringContaining('slots') },
  ],
];

describe('the check of policies', () => {
  it.each(FAULTS)('finds %s, at its place and with the next step', (_, text, expected) => {
    const { problems } = check(text);
    expect(problems[0]).toMatchObject({ kind: 'error', file: 'p.cedar', ...expected });
    expect(problems[0]?.next).toMatch(/[.?]$/);
    expect(problems).toHaveLength(1);
  });

  it('warns of a policy that never applies', () => {
    const { problems } = check('@id("a") permit (principal is Agent, action == Action::"expose_root", resource);');
    expect(problems).toEqual([expect.objectContaining({ kind: 'warning', line: 1, column: 1 })]);
  });

  it('tells every fault of every file', () => {
    const faulty = '@id("a") permit (principal, action, resource) when { context.x };';
    const { problems } = checkPolicies(cedar, [
      { name: 'one.cedar', text: faulty },
      { name: 'two.cedar', text: `${faulty.replace('"a"', '"b"')}\n${faulty.replace('"a"', '"c"')}` },
    ]);
    const places = new Set(problems.map(({ file, line }) => `${file}:${line}`));
    expect([...places]).toEqual(['one.cedar:1', 'two.cedar:1', 'two.cedar:2']);
  });

  it('gives each policy its own id, reason and line, however many there are', () => {
    const texts = Array.from(
      { length: 25 },
      (_, at) => `@id("p${at}") @reason("é${at}")\npermit (principal, action, resource);`,
    );
    const { policies, problems } = check(texts.join('\n'));
    expect(problems).toEqual([]);
    expect(policies.map(({ id, reason, line }) => ({ id, reason, line }))).toEqual(
      texts.map((_, at) => ({ id: `p${at}`, reason: `é${at}`, line: 2 * at + 1 })),
    );
  });

  it('answers any text with policies or problems, and never throws', () => {
    const piece = fc.constantFrom(
      '@id("a")',
      'permit',
      '(',
      ')',
      'principal',
      ',',
      'action',
      'resource',
      ';',
      'when',
      '{',
      '}',
      '"',
      'é',
      '\n',
      '//',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((pieces) => pieces.join(' ')),
        ),
        (text) => {
          const { problems } = check(text);
          for (const { line, column } of problems) expect(Math.min(line, column)).toBeGreaterThan(0);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('the schema', () => {
  it('is one that Cedar takes', () => {
    expect(cedar.checkParseSchema(POLICY_SCHEMA)).toEqual({ type: 'success' });
  });

  it('has the actions that facts have', () => {
    const read = cedar.schemaToJson(POLICY_SCHEMA);
    if (read.type === 'failure') throw new Error('the schema parses');
    expect(Object.keys(read.json['']?.actions ?? {}).sort()).toEqual(ACTIONS.toSorted());
    expect(ACTIONS.every((kind) => factsShape(kind).kind === 'members')).toBe(true);
  });
});
