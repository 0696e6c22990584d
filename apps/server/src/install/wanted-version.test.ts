import { describe, expect, it } from 'vitest';
import { parsePackageName } from './package-name.ts';
import {
  meets,
  newestFirst,
  newestThatMeets,
  parseExactVersion,
  parseWanted,
  type WantedVersion,
} from './wanted-version.ts';

const HOSTILE = [
  '',
  ' ',
  '--registry=http://evil.example',
  '-g',
  '../../etc',
  '/etc/passwd',
  './here',
  'file:../x',
  'git+ssh://git@host/x.git',
  'https://evil.example/x.tgz',
  'github:a/b',
  'a/b',
  'npm:other@1',
  'x'.repeat(400),
  '1.2.3\n',
  'a b c',
  undefined,
  null,
  1,
  {},
];

describe('a wanted version', () => {
  it.each([
    ['1.2.3', { kind: 'exact', version: '1.2.3' }],
    ['v1.2.3', { kind: 'exact', version: '1.2.3' }],
    ['2.0.0-beta.1', { kind: 'exact', version: '2.0.0-beta.1' }],
    ['^1.2', { kind: 'range', range: '>=1.2.0 <2.0.0-0' }],
    ['1', { kind: 'range', range: '>=1.0.0 <2.0.0-0' }],
    ['>=1 <3', { kind: 'range', range: '>=1.0.0 <3.0.0-0' }],
    ['latest', { kind: 'tag', tag: 'latest' }],
    ['next-11', { kind: 'tag', tag: 'next-11' }],
  ])('is read from %j', (text, expected) => {
    expect(parseWanted(text)).toEqual(expected);
  });

  it('is never an address, a path, an option or an alias', () => {
    const taken = HOSTILE.filter((text) => parseWanted(text) !== undefined);
    expect(taken).toEqual(['1.2.3\n']); // Trimmed by its normal form.
    expect(parseWanted('1.2.3\n')).toEqual({ kind: 'exact', version: '1.2.3' });
  });

  it('is met by the newest that lies in it, without previews unless they are asked for', () => {
    const versions = ['1.2.0', '1.10.0', '2.0.0-rc.1', 'nonsense', '1.9.0'];
    const wanted = (text: string): WantedVersion => parseWanted(text) as WantedVersion;
    expect(newestFirst(versions)).toEqual(['2.0.0-rc.1', '1.10.0', '1.9.0', '1.2.0']);
    expect(newestThatMeets(versions, wanted('>=1'))).toBe('1.10.0');
    expect(newestThatMeets(versions, wanted('^2.0.0-rc.0'))).toBe('2.0.0-rc.1');
    expect(newestThatMeets(versions, wanted('~1.2'))).toBe('1.2.0');
    expect(newestThatMeets(versions, wanted('3.x'))).toBeUndefined();
    expect(meets('1.2.0', wanted('latest'))).toBe(false);
  });
});

describe('the name of a folder or of an argument of npm', () => {
  it('is an exact version in its normal form, and nothing else', () => {
    expect(parseExactVersion('1.2.3-beta.1')).toBe('1.2.3-beta.1');
    for (const text of [...HOSTILE, 'v1.2.3', '1.2', '1.2.3/..', ' 1.2.3'])
      expect(parseExactVersion(text)).toBeUndefined();
  });

  it('is the name of a package of the registry, and nothing else', () => {
    expect(parsePackageName('@google/gemini-cli')).toBe('@google/gemini-cli');
    expect(parsePackageName('opencode-ai')).toBe('opencode-ai');
    const names = [...HOSTILE, '@/x', '@a/../b', '..', '.hidden', 'Upper', 'name@1.0.0', '@a/b/c', '-x', '@-a/b'];
    for (const text of names) expect(parsePackageName(text)).toBeUndefined();
  });
});
