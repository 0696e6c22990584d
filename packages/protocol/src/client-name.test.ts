import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseClientName } from './client-name.ts';

describe('the name that a program gives itself', () => {
  it('is a name and a version', () => {
    expect(parseClientName('reeve-console/0.1.0')).toEqual({ name: 'reeve-console', version: '0.1.0' });
    expect(parseClientName(`${'n'.repeat(64)}/1.0.0-rc.1+${'b'.repeat(53)}`)).toBeDefined();
  });

  it.each([
    '',
    'reeve',
    'http-api',
    '/1',
    'a/',
    'a/b/c',
    'a b/1',
    '-a/1',
    `${'n'.repeat(65)}/1`,
    `a/${'1'.repeat(65)}`,
    'ä/1',
    'a/1\n',
  ])('is nothing else: %j', (text) => {
    expect(parseClientName(text)).toBeUndefined();
  });

  it('never has a space, a control or a sign that reorders text, whatever is sent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const parsed = parseClientName(text);
        if (parsed) expect(`${parsed.name}${parsed.version}`).toMatch(/^[\w.+-]+$/);
      }),
    );
  });
});
