import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineDiff } from './line-diff.ts';

const shown = (before: string, after: string): string[] =>
  lineDiff(before, after).map(({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${text}`);

describe('the comparison of two texts', () => {
  it('keeps what is the same and shows removals before additions', () => {
    expect(shown('a\nb\nc\n', 'a\nx\nc\n')).toEqual([' a', '-b', '+x', ' c']);
    expect(shown('', 'new\n')).toEqual(['+new']);
    expect(shown('old', '')).toEqual(['-old']);
    expect(shown('same\n', 'same\n')).toEqual([' same']);
  });

  it('numbers the lines of both texts', () => {
    expect(lineDiff('a\nb', 'b\nc')).toEqual([
      { kind: 'removed', text: 'a', before: 1 },
      { kind: 'same', text: 'b', before: 2, after: 1 },
      { kind: 'added', text: 'c', after: 2 },
    ]);
  });

  it('gives back both texts, whatever they are', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = lineDiff(`${before}\n`, `${after}\n`);
        const left = lines.filter(({ kind }) => kind !== 'added').map((line) => line.text);
        const right = lines.filter(({ kind }) => kind !== 'removed').map((line) => line.text);
        expect([left.join('\n'), right.join('\n')]).toEqual([before, after]);
      }),
    );
  });

  it('does not stand still over texts that have nothing in common', () => {
    const long = (word: string): string => Array.from({ length: 20_000 }, (_, at) => `${word}${at}`).join('\n');
    expect(lineDiff(long('a'), long('b'))).toHaveLength(40_000);
  });
});
