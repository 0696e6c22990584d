import { describe, expect, it } from 'vitest';
import { compareNetwork, intersectNetwork, uniteNetwork } from './network-rule.ts';

const allow = (...hosts: string[]) => ({ allow: hosts });

describe('two network rules', () => {
  it('have in common what both let through', () => {
    expect(intersectNetwork('full', allow('a.org'))).toEqual(allow('a.org'));
    expect(intersectNetwork('none', 'full')).toBe('none');
    expect(intersectNetwork(allow('a.org', 'b.org'), allow('B.org:443', 'c.org'))).toEqual(allow('b.org:443'));
    expect(intersectNetwork(allow('*.a.org'), allow('x.a.org:8080', 'y.a.org', 'a.org'))).toEqual(allow('y.a.org'));
    expect(intersectNetwork(allow('a.org'), allow('b.org'))).toBe('none');
  });

  it('together let through what either does', () => {
    expect(uniteNetwork('none', allow('a.org'))).toEqual(allow('a.org'));
    expect(uniteNetwork('full', 'none')).toBe('full');
    expect(uniteNetwork(allow('a.org:443'), allow('a.org:80', '[::1]:9'))).toEqual(allow('a.org', '[::1]:9'));
  });

  it.each([
    ['none', 'full', 'wider'],
    ['full', allow('a.org'), 'narrower'],
    [allow('a.org'), allow('A.ORG:80', 'a.org:443'), 'same'],
    [allow('*.a.org'), allow('x.a.org'), 'narrower'],
    [allow('a.org'), allow('*.a.org'), 'other'],
    [allow('a.org'), allow('evil-a.org'), 'other'],
    [allow('[::1]:80'), allow('[::1]'), 'wider'],
  ] as const)('%j, then %j: %s', (before, after, change) => {
    expect(compareNetwork(before, after)).toBe(change);
  });
});
