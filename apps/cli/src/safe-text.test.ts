import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeLine, safeText } from './safe-text.ts';

describe('text for a terminal', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007x', 'x'],
    ['\u001b]8;;http://evil\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u009b2Jx', 'x'],
    ['a\rb\u0008c', 'abc'],
    ['a\u202eb\u2066c', 'abc'],
    ['tab\tand\nnewline', 'tab\tand\nnewline'],
    ['grüße 日本 👩', 'grüße 日本 👩'],
    ['\u001bP payload \u001b\\x', 'x'],
  ])('%j is shown as %j', (given, shown) => {
    expect(safeText(given)).toBe(shown);
  });

  it('never holds a control character, whatever comes', () => {
    const hostile = fc.string({
      unit: fc.constantFrom('\u001b', '[', ']', '3', 'm', '\u0007', '\u009b', '\u202e', '\r', 'x', '\\'),
    });
    fc.assert(
      fc.property(hostile, (text) => {
        expect(safeText(text)).not.toMatch(/[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });

  it('fits a line', () => {
    expect(safeLine(' a\n b\u001b[1m  c ')).toBe('a b c');
    expect(safeLine('abcdef', 4)).toBe('abc…');
  });
});
