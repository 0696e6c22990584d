import type { z } from 'zod';

type Issue = Parameters<z.core.$ZodErrorMap>[0];

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a JSON object',
  record: 'a JSON object',
};
const UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' items', set: ' items' };
const ANOTHER = 'another value';

/**
 * What was expected where a schema has no words of its own for it, so that "Send …" with it is a sentence. It never repeats what came.
 */
export function expectationOfIssue(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return KINDS[issue.expected] ?? ANOTHER;
    case 'invalid_value':
      return oneOf(issue.values.map((value) => JSON.stringify(value) ?? String(value)));
    case 'too_big':
      return `at most ${issue.maximum}${UNITS[issue.origin] ?? ''}`;
    case 'too_small':
      return `at least ${issue.minimum}${UNITS[issue.origin] ?? ''}`;
    case 'invalid_format':
      return `text in the form ${issue.format}`;
    case 'invalid_union': {
      const ways = issue.errors.flatMap(([first]) => (first === undefined ? [] : [first.message]));
      return ways.length === 0 ? ANOTHER : oneOf(ways);
    }
    case 'unrecognized_keys':
      return 'no other members';
    default:
      return ANOTHER;
  }
}

function oneOf(ways: readonly string[]): string {
  return [...new Set(ways)].join(' or ');
}
